//! The operations: one file each, listed once. Every face reads this table.

mod capture;
mod commands;
mod configure;
mod convert;
mod create;
mod destroy;
mod info;
mod keyboard;
mod list;
mod purge;
mod read;
mod recording;
mod resize;
mod run;
mod search;
mod send;
mod signal;
mod status;
mod wait;

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};

use cotty_protocol::{Code, Fault};
use cotty_session::{Actor, Hub, Origin, Session, Typist};
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::daemon::Place;

pub use capture::Capture;
pub use commands::Commands;
pub use configure::Configure;
pub(crate) use convert::{activity, fault, send_input};
pub use create::Create;
pub use destroy::Destroy;
pub use info::Info;
pub use keyboard::Keyboard;
pub use list::List;
pub use purge::Purge;
pub use read::Read;
pub use recording::Recording;
pub use resize::Resize;
pub use run::Run;
pub use search::Search;
pub use send::Send as SendInput;
pub use signal::Signal;
pub use status::Status;
pub use wait::Wait;

/// What an operation does to the world; rights are given by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Looks.
    Read,
    /// Makes or types.
    Write,
    /// Ends.
    Destroy,
}

/// Who asks, from where, under which id, and what there is to act on.
#[derive(Debug, Clone)]
pub struct Context {
    /// All sessions.
    pub hub: Hub,
    /// Who asks.
    pub actor: Actor,
    /// The process that asks.
    pub origin: Origin,
    /// The same on every retry.
    pub request: String,
    /// The daemon itself.
    pub(crate) place: Arc<Place>,
}

impl Context {
    /// The session that is meant, if the actor may have it.
    pub(crate) fn session(&self, reference: &str) -> Result<Session, Fault> {
        self.hub.find_for(reference, &self.actor).map_err(fault)
    }

    /// Who types, when the actor does.
    pub(crate) fn typist(&self) -> Typist {
        Typist::from(&self.actor)
    }
}

/// One operation.
pub trait Operation: Send + 'static {
    /// As it is called.
    const NAME: &'static str;
    /// What it does, in one sentence.
    const SUMMARY: &'static str;
    /// What it does to the world.
    const ACCESS: Access;
    /// What it takes.
    type Params: DeserializeOwned + JsonSchema + Send;
    /// What it answers.
    type Reply: Serialize + JsonSchema + Send;

    /// Does it.
    fn run(context: Context, params: Self::Params)
    -> impl Future<Output = Result<Self::Reply, Fault>> + Send;
}

type Answering = Pin<Box<dyn Future<Output = Result<Value, Fault>> + Send>>;

/// An operation in the table.
pub struct Entry {
    /// As it is called.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// What it does to the world.
    pub access: Access,
    /// What it takes.
    pub params: fn() -> Schema,
    /// What it answers.
    pub reply: fn() -> Schema,
    call: fn(Context, Value) -> Answering,
}

/// Every operation there is.
pub static OPERATIONS: &[Entry] = &[
    entry::<Create>(),
    entry::<SendInput>(),
    entry::<Read>(),
    entry::<Wait>(),
    entry::<Run>(),
    entry::<Commands>(),
    entry::<List>(),
    entry::<Info>(),
    entry::<Search>(),
    entry::<Keyboard>(),
    entry::<Signal>(),
    entry::<Resize>(),
    entry::<Configure>(),
    entry::<Destroy>(),
    entry::<Recording>(),
    entry::<Capture>(),
    entry::<Purge>(),
    entry::<Status>(),
];

const fn entry<O: Operation>() -> Entry {
    Entry {
        name: O::NAME,
        summary: O::SUMMARY,
        access: O::ACCESS,
        params: || schemars::schema_for!(O::Params),
        reply: || schemars::schema_for!(O::Reply),
        call: |context, params| {
            Box::pin(async move {
                let params = parse::<O>(params)?;
                let reply = O::run(context, params).await?;
                serde_json::to_value(reply).map_err(|e| Fault::new(Code::SessionError, e.to_string()))
            })
        },
    }
}

/// Does the operation of that name.
pub async fn call(name: &str, context: Context, params: Value) -> Result<Value, Fault> {
    let Some(entry) = OPERATIONS.iter().find(|e| e.name == name) else {
        let names: Vec<&str> = OPERATIONS.iter().map(|e| e.name).collect();
        return Err(Fault::new(Code::UnknownOperation, format!("there is no operation `{name}`"))
            .with_hint(format!("there are: {}", names.join(", "))));
    };
    (entry.call)(context, params).await
}

fn parse<O: Operation>(params: Value) -> Result<O::Params, Fault> {
    let params = if params.is_null() { Value::Object(serde_json::Map::new()) } else { params };
    let known = &FIELDS[O::NAME];
    let unknown = params.as_object().and_then(|given| given.keys().find(|key| !known.contains(*key)));
    if let Some(unknown) = unknown {
        let names: Vec<&str> = known.iter().map(String::as_str).collect();
        return Err(Fault::new(Code::InvalidInput, format!("{} has no parameter `{unknown}`", O::NAME))
            .with_hint(format!("it has: {}", names.join(", "))));
    }
    serde_json::from_value(params).map_err(|e| Fault::new(Code::InvalidInput, format!("{}: {e}", O::NAME)))
}

/// The parameters of each operation, by name: serde cannot refuse unknown ones where structs are flattened.
static FIELDS: LazyLock<BTreeMap<&str, BTreeSet<String>>> = LazyLock::new(|| {
    let fields = |entry: &Entry| -> BTreeSet<String> {
        let schema = (entry.params)();
        let properties = schema.get("properties").and_then(Value::as_object);
        properties.map(|p| p.keys().cloned().collect()).unwrap_or_default()
    };
    OPERATIONS.iter().map(|entry| (entry.name, fields(entry))).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_stands_in_the_table_once_and_describes_itself() {
        let names: BTreeSet<&str> = OPERATIONS.iter().map(|e| e.name).collect();
        assert_eq!(names.len(), OPERATIONS.len());
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
}
