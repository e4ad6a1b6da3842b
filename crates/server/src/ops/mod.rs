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

/// What an operation does to the world; rights are given by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Looks.
    Read,
    /// Makes or types.
    Write,
    /// Ends.
    Destroy,
    /// Asks a person.
    Ask,
    /// Decides for the person, so that only a person may.
    Person,
}

/// Whether an actor may do what has this access. Which sessions are its own to do it to is asked where one is found.
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

/// Where an operation is found over HTTP. Parameters that the path does not name come in the query of `GET` and `DELETE`,
/// and in the body of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// `GET`, `POST`, `PATCH` or `DELETE`.
    pub method: &'static str,
    /// With parameters in braces.
    pub path: &'static str,
    /// The status of a reply.
    pub status: u16,
}

impl Route {
    const fn at(method: &'static str, path: &'static str) -> Route {
        Route { method, path, status: 200 }
    }

    /// Looks.
    pub const fn get(path: &'static str) -> Route {
        Route::at("GET", path)
    }

    /// Does something.
    pub const fn post(path: &'static str) -> Route {
        Route::at("POST", path)
    }

    /// Makes something.
    pub const fn make(path: &'static str) -> Route {
        Route { status: 201, ..Route::at("POST", path) }
    }

    /// Changes something.
    pub const fn patch(path: &'static str) -> Route {
        Route::at("PATCH", path)
    }

    /// Ends something.
    pub const fn delete(path: &'static str) -> Route {
        Route::at("DELETE", path)
    }

    /// Whether parameters come in the query.
    pub fn takes_query(self) -> bool {
        matches!(self.method, "GET" | "DELETE")
    }

    /// The parameters that the path names.
    pub fn in_path(self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }
}

/// Who asks, from where, under which id, and what there is to act on.
#[derive(Debug, Clone)]
pub struct Context {
    /// All sessions.
    pub hub: Hub,
    /// Who asks.
    pub actor: Actor,
    /// Whether it may only look, whoever it is.
    pub read_only: bool,
    /// The process that asks.
    pub origin: Origin,
    /// The same on every retry.
    pub retry_id: String,
    /// What the face that asks takes for usual, where nobody set it. Not a parameter: an agent could raise its own limits.
    pub(crate) usual: Usual,
    /// Where a call types more than once: nobody types in between.
    pub(crate) lease: Option<InputLease>,
    /// Where a viewer asks.
    pub(crate) viewer: Option<Arc<Viewing>>,
    /// The daemon itself.
    pub(crate) daemon: Arc<DaemonState>,
}

/// A viewer of a session, whose keys and mouse are typed into it.
#[derive(Debug)]
pub(crate) struct Viewing {
    pub(crate) session: Session,
    pub(crate) typist: Typist,
}

impl Context {
    /// The session that is meant, if the actor may have it, for an operation of this access. A viewer has its own.
    pub(crate) async fn session(&self, reference: &str, access: Access) -> Result<Session, ApiError> {
        if let Some(viewer) = self.viewer.as_ref().filter(|viewer| viewer.session.meta().id == reference) {
            return Ok(viewer.session.clone());
        }
        let purpose = match access {
            Access::Read => Purpose::Read,
            Access::Write | Access::Destroy | Access::Ask | Access::Person => Purpose::Act,
        };
        let found = self.hub.find_for(reference, &self.actor, &self.retry_id, purpose).await;
        found.map_err(|error| self.meant(error))
    }

    /// A session's error as it goes over the wire; where there is none of that name, with one that may have been meant.
    pub(crate) fn meant(&self, error: SessionError) -> ApiError {
        match ApiError::from(error) {
            ApiError::SessionNotFound { session, .. } => {
                let names = self.hub.names_for(&self.actor);
                let near = nearest(&session, names.iter().map(String::as_str)).map(str::to_owned);
                ApiError::SessionNotFound { session, near }
            }
            error => error,
        }
    }

    /// Whether the actor may do what has this access.
    pub(crate) fn may(&self, access: Access) -> Result<(), ApiError> {
        allowed(self.actor.kind, self.read_only, access)
    }

    /// Who types, when the actor does.
    pub(crate) fn typist(&self) -> Typist {
        match &self.viewer {
            Some(viewer) => viewer.typist.clone(),
            None => Typist::from(&self.actor),
        }
    }
}

/// What the daemon does with an operation.
pub trait Perform: Operation {
    /// What it does, in one sentence.
    const SUMMARY: &'static str;
    /// What it does to the world.
    const ACCESS: Access;
    /// Where it is found over HTTP.
    const ROUTE: Route;

    /// Does it, for somebody who may: [`perform`] asks that first.
    fn run(params: Self, context: Context) -> impl Future<Output = Result<Self::Reply, ApiError>> + Send;
}

type Answering = Pin<Box<dyn Future<Output = Result<Value, ApiError>> + Send>>;

/// An operation in the table.
pub struct OperationEntry {
    /// As it is called.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// What it does to the world.
    pub access: Access,
    /// Where it is found over HTTP.
    pub route: Route,
    /// What it takes.
    pub params: fn() -> Schema,
    /// What it answers.
    pub reply: fn() -> Schema,
    call: fn(Context, Value) -> Answering,
}

/// One file for each.
macro_rules! operations {
    ($($name:ident,)*) => {
        $(mod $name;)*
        /// Every operation there is.
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

/// Does an operation, if the actor may. Every face comes through here.
pub(crate) async fn perform<P: Perform>(context: Context, params: P) -> Result<P::Reply, ApiError> {
    let daemon = Arc::clone(&context.daemon);
    let done = match context.may(P::ACCESS) {
        Ok(()) => P::run(params, context).await,
        Err(error) => Err(error),
    };
    daemon.metrics.operation(P::NAME, done.as_ref().err().map(ApiError::code));
    done
}

/// Does the operation of that name.
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

/// The parameters of each operation, by name: serde cannot refuse unknown ones where structs are flattened.
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
    fn every_operation_stands_in_the_table_once_and_describes_itself() {
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

    /// What each actor may do, by name: whoever adds an operation says so here, too.
    #[test]
    fn each_actor_may_do_what_its_kind_may_and_nothing_else() {
        let looks = [
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
        let persons = ["answer", "purge", "token_list", "token_new", "token_revoke"];
        for entry in OPERATIONS {
            let is = |names: &[&str]| names.contains(&entry.name);
            let code =
                |kind, read_only| allowed(kind, read_only, entry.access).err().map(|error| error.code());
            assert_eq!(code(ActorKind::Person, false), None, "{}: a person may do anything", entry.name);
            let agents = is(&persons).then_some(Code::NotAPerson);
            assert_eq!(code(ActorKind::Agent, false), agents, "{}: an agent", entry.name);
            let childs = (!is(&looks) && !is(&asks)).then_some(Code::NotAllowed);
            assert_eq!(code(ActorKind::Child, false), childs, "{}: a child", entry.name);
            let lookers = (!is(&looks)).then_some(Code::ReadOnly);
            for kind in [ActorKind::Person, ActorKind::Agent, ActorKind::Child] {
                assert_eq!(code(kind, true), lookers, "{}: who may only look", entry.name);
            }
        }
    }

    #[test]
    fn every_operation_has_a_route_of_its_own_that_fits_it() {
        let routes: BTreeSet<_> = OPERATIONS.iter().map(|e| (e.route.method, e.route.path)).collect();
        assert_eq!(routes.len(), OPERATIONS.len());
        for entry in OPERATIONS {
            let Route { method, path, .. } = entry.route;
            assert!(path.starts_with("/v1/"), "{path}");
            // A person's list is read, too; what only looks never changes anything else.
            let looks = entry.access == Access::Read || entry.name == "token_list";
            assert_eq!(method == "GET", looks, "{}", entry.name);
            assert!(entry.route.in_path().all(|name| FIELDS[entry.name].contains(name)), "{path}");
        }
    }
}
