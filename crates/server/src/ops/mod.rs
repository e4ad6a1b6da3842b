//! The operations: one file each, listed once. Every face reads this table.

mod convert;

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};

use cotty_protocol::ApiError;
use cotty_protocol::op::{self, Operation};
use cotty_session::{Actor, ActorKind, Hub, InputLease, Origin, Purpose, Session, SessionError, Typist};
use schemars::Schema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::config::Usual;
use crate::daemon::DaemonState;
use crate::near::nearest;

pub(crate) use convert::{handoff_state, now_ms, random_id};
pub use status::formats;

/// What an operation does. Rights depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reads.
    Read,
    /// Makes or types.
    Write,
    /// Ends something.
    Destroy,
    /// Asks a person.
    Ask,
    /// Decides for the person: only a person may do it.
    Person,
}

/// Whether an actor may perform operations of this access. Rights to a session are checked when it is looked up.
pub(crate) fn allowed(kind: ActorKind, read_only: bool, access: Access) -> Result<(), ApiError> {
    match (access, kind) {
        (Access::Read, _) => Ok(()),
        _ if read_only => Err(ApiError::ReadOnly),
        (Access::Ask, _) => Ok(()),
        (_, ActorKind::Child) => Err(ApiError::ChildNotAllowed),
        (Access::Person, ActorKind::Agent) => Err(ApiError::NotAPerson),
        (Access::Write | Access::Destroy, ActorKind::Agent) | (_, ActorKind::Person) => Ok(()),
    }
}

/// The HTTP route of an operation. Parameters that the path does not name are in the query of `GET` and `DELETE`, and
/// in the body of other methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// `GET`, `POST`, `PATCH` or `DELETE`.
    pub method: &'static str,
    /// The path, with parameters in braces.
    pub path: &'static str,
    /// The HTTP status of a reply.
    pub status: u16,
}

impl Route {
    const fn at(method: &'static str, path: &'static str) -> Route {
        Route { method, path, status: 200 }
    }

    /// A route that reads.
    pub const fn get(path: &'static str) -> Route {
        Route::at("GET", path)
    }

    /// A route that acts.
    pub const fn post(path: &'static str) -> Route {
        Route::at("POST", path)
    }

    /// A route that creates something.
    pub const fn make(path: &'static str) -> Route {
        Route { status: 201, ..Route::at("POST", path) }
    }

    /// A route that changes something.
    pub const fn patch(path: &'static str) -> Route {
        Route::at("PATCH", path)
    }

    /// A route that ends something.
    pub const fn delete(path: &'static str) -> Route {
        Route::at("DELETE", path)
    }

    /// Whether parameters are in the query.
    pub fn takes_query(self) -> bool {
        matches!(self.method, "GET" | "DELETE")
    }

    /// The parameters that the path names.
    pub fn in_path(self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }
}

/// Who calls, from where, with which retry id, and what the call acts on.
#[derive(Debug, Clone)]
pub struct Context {
    /// All sessions.
    pub hub: Hub,
    /// Who calls.
    pub actor: Actor,
    /// Whether the caller may only read.
    pub read_only: bool,
    /// Directory and environment of the calling process.
    pub origin: Origin,
    /// The same id on every retry.
    pub retry_id: String,
    /// Defaults of the calling face. Not a parameter: an agent could raise its own limits.
    pub(crate) usual: Usual,
    /// Set if a call types more than once: no other call types in between.
    pub(crate) lease: Option<InputLease>,
    /// Set if a viewer calls.
    pub(crate) viewer: Option<Arc<Viewing>>,
    /// The daemon itself.
    pub(crate) daemon: Arc<DaemonState>,
}

/// A viewer, and the session that it types into.
#[derive(Debug)]
pub(crate) struct Viewing {
    pub(crate) session: Session,
    pub(crate) typist: Typist,
}

impl Context {
    /// Finds a session that the actor may use for this access. A viewer already has its session.
    pub(crate) async fn session(&self, reference: &str, access: Access) -> Result<Session, ApiError> {
        if let Some(viewer) = self.viewer.as_ref().filter(|viewer| viewer.session.meta().id == reference) {
            return Ok(viewer.session.clone());
        }
        let purpose = match access {
            Access::Read => Purpose::Read,
            Access::Write | Access::Destroy | Access::Ask | Access::Person => Purpose::Act,
        };
        let found = self.hub.find_for(reference, &self.actor, &self.retry_id, purpose).await;
        found.map_err(|error| self.with_nearest_name(error))
    }

    /// Converts a session's error for the wire. For an unknown session, adds the nearest known name.
    pub(crate) fn with_nearest_name(&self, error: SessionError) -> ApiError {
        match ApiError::from(error) {
            ApiError::SessionNotFound { session, .. } => {
                let names = self.hub.names_for(&self.actor);
                let near = nearest(&session, names.iter().map(String::as_str)).map(str::to_owned);
                ApiError::SessionNotFound { session, near }
            }
            error => error,
        }
    }

    /// Whether the actor may perform operations of this access.
    pub(crate) fn may(&self, access: Access) -> Result<(), ApiError> {
        allowed(self.actor.kind, self.read_only, access)
    }

    /// Who types when this caller types.
    pub(crate) fn typist(&self) -> Typist {
        match &self.viewer {
            Some(viewer) => viewer.typist.clone(),
            None => Typist::from(&self.actor),
        }
    }
}

/// How the daemon performs an operation.
pub trait Perform: Operation {
    /// What it does, in one sentence.
    const SUMMARY: &'static str;
    /// The access that it needs.
    const ACCESS: Access;
    /// Its HTTP route.
    const ROUTE: Route;

    /// Performs it. [`perform`] has already checked the rights.
    fn run(params: Self, context: Context) -> impl Future<Output = Result<Self::Reply, ApiError>> + Send;
}

type Answering = Pin<Box<dyn Future<Output = Result<Value, ApiError>> + Send>>;

/// An operation in the table.
pub struct OperationEntry {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// The access that it needs.
    pub access: Access,
    /// Its HTTP route.
    pub route: Route,
    /// The schema of its parameters.
    pub params: fn() -> Schema,
    /// The schema of its reply.
    pub reply: fn() -> Schema,
    call: fn(Context, Value) -> Answering,
}

/// One module per operation.
macro_rules! operations {
    ($($name:ident,)*) => {
        $(mod $name;)*
        /// Every operation.
        pub static OPERATIONS: &[OperationEntry] = &[$(entry::<op::$name::Params>(),)*];
    };
}

cotty_protocol::for_each_operation!(operations);

const fn entry<P: Perform>() -> OperationEntry {
    OperationEntry {
        name: P::NAME,
        summary: P::SUMMARY,
        access: P::ACCESS,
        route: P::ROUTE,
        params: || schemars::schema_for!(P),
        reply: || {
            SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<P::Reply>()
        },
        call: |context, params| {
            Box::pin(async move {
                let params = parse::<P>(params)?;
                let reply = perform(context, params).await?;
                serde_json::to_value(reply).map_err(|e| ApiError::Broken { error: e.to_string() })
            })
        },
    }
}

/// Performs an operation, if the actor may. Every face uses this.
pub(crate) async fn perform<P: Perform>(context: Context, params: P) -> Result<P::Reply, ApiError> {
    let daemon = Arc::clone(&context.daemon);
    let done = match context.may(P::ACCESS) {
        Ok(()) => P::run(params, context).await,
        Err(error) => Err(error),
    };
    daemon.metrics.operation(P::NAME, done.as_ref().err().map(ApiError::code));
    done
}

/// Performs the operation of this name.
pub async fn call(name: &str, context: Context, params: Value) -> Result<Value, ApiError> {
    let Some(entry) = OPERATIONS.iter().find(|e| e.name == name) else {
        let known = OPERATIONS.iter().map(|e| e.name.to_owned()).collect();
        return Err(ApiError::UnknownOperation { name: name.to_owned(), known });
    };
    (entry.call)(context, params).await
}

fn parse<P: Perform>(params: Value) -> Result<P, ApiError> {
    let params = if params.is_null() { Value::Object(serde_json::Map::new()) } else { params };
    let known = &FIELDS[P::NAME];
    let unknown = params.as_object().and_then(|given| given.keys().find(|key| !known.contains(*key)));
    if let Some(unknown) = unknown {
        return Err(ApiError::UnknownParameter {
            of: P::NAME.to_owned(),
            name: unknown.clone(),
            near: None,
            known: known.iter().cloned().collect(),
        });
    }
    serde_json::from_value(params).map_err(|e| ApiError::invalid(format!("{}: {e}", P::NAME)))
}

/// The parameters of each operation, by name: serde cannot refuse unknown ones if structs are flattened.
static FIELDS: LazyLock<BTreeMap<&str, BTreeSet<String>>> = LazyLock::new(|| {
    let fields = |entry: &OperationEntry| -> BTreeSet<String> {
        let schema = (entry.params)();
        let properties = schema.get("properties").and_then(Value::as_object);
        properties.map(|p| p.keys().cloned().collect()).unwrap_or_default()
    };
    OPERATIONS.iter().map(|entry| (entry.name, fields(entry))).collect()
});

#[cfg(test)]
mod tests {
    use cotty_protocol::Code;

    use super::*;

    #[test]
    fn the_table_has_every_operation_once_with_its_description() {
        let names: BTreeSet<&str> = OPERATIONS.iter().map(|e| e.name).collect();
        assert_eq!(names.len(), OPERATIONS.len());
        assert_eq!(names, op::OPERATIONS.iter().copied().collect());
        let files = std::fs::read_dir("src/ops").unwrap();
        let files = files.map(|f| f.unwrap().file_name().into_string().unwrap());
        let files: BTreeSet<String> = files.filter_map(|f| Some(f.strip_suffix(".rs")?.to_owned())).collect();
        let expected: BTreeSet<String> =
            names.iter().map(|n| (*n).to_owned()).chain(["mod".to_owned(), "convert".to_owned()]).collect();
        assert_eq!(files, expected, "one operation, one file");
        for entry in OPERATIONS {
            assert!(!entry.summary.is_empty());
            assert!(
                (entry.params)().get("type").is_some() && (entry.reply)().get("type").is_some(),
                "{}",
                entry.name
            );
        }
    }

    /// What each actor may do, by name. Add every new operation here.
    #[test]
    fn each_kind_of_actor_may_perform_exactly_its_operations() {
        let reads = [
            "commands",
            "config",
            "info",
            "list",
            "panels",
            "requests",
            "read",
            "recording",
            "search",
            "search_recordings",
            "snapshot",
            "status",
            "wait",
        ];
        let asks = ["ask", "withdraw"];
        let persons =
            ["answer", "purge", "restart", "stop", "token_list", "token_new", "token_revoke", "token_rotate"];
        for entry in OPERATIONS {
            let is = |names: &[&str]| names.contains(&entry.name);
            let code =
                |kind, read_only| allowed(kind, read_only, entry.access).err().map(|error| error.code());
            assert_eq!(code(ActorKind::Person, false), None, "{}: a person may do anything", entry.name);
            let agents = is(&persons).then_some(Code::NotAPerson);
            assert_eq!(code(ActorKind::Agent, false), agents, "{}: an agent", entry.name);
            let childs = (!is(&reads) && !is(&asks)).then_some(Code::NotAllowed);
            assert_eq!(code(ActorKind::Child, false), childs, "{}: a child", entry.name);
            let read_only_callers = (!is(&reads)).then_some(Code::ReadOnly);
            for kind in [ActorKind::Person, ActorKind::Agent, ActorKind::Child] {
                assert_eq!(code(kind, true), read_only_callers, "{}: a read-only caller", entry.name);
            }
        }
    }

    #[test]
    fn every_operation_has_its_own_route_with_a_fitting_method() {
        let routes: BTreeSet<_> = OPERATIONS.iter().map(|e| (e.route.method, e.route.path)).collect();
        assert_eq!(routes.len(), OPERATIONS.len());
        for entry in OPERATIONS {
            let Route { method, path, .. } = entry.route;
            assert!(path.starts_with("/v1/"), "{path}");
            // `token_list` only reads, although only a person may call it.
            let looks = entry.access == Access::Read || entry.name == "token_list";
            assert_eq!(method == "GET", looks, "{}", entry.name);
            assert!(entry.route.in_path().all(|name| FIELDS[entry.name].contains(name)), "{path}");
        }
    }
}
