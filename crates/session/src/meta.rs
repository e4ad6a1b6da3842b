use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Allow, Panel, line};

/// What kind of actor asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ActorKind {
    /// Somebody at a keyboard.
    Person,
    /// A program that works for somebody.
    Agent,
    /// A process inside an agent's session.
    Child,
}

/// Who asks. Every operation knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    /// What it is.
    pub kind: ActorKind,
    /// Whose sessions it makes; limits are per owner. Of a child, which makes none: the session that it is inside of, or
    /// nothing where that is not known.
    pub owner: String,
    /// The client's name, for lists and logs.
    pub client: String,
}

impl Actor {
    /// Whether it may have a session, with this id and of this owner: a person any, an agent its owner's, a child its own.
    pub fn may_have(&self, id: &str, owner: &str) -> bool {
        match self.kind {
            ActorKind::Person => true,
            ActorKind::Agent => self.owner == owner,
            ActorKind::Child => self.owner == id,
        }
    }
}

/// Whose keys they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Typist {
    /// What it is: a person's keys take the keyboard, an agent's need it.
    pub kind: ActorKind,
    /// The viewer or client that the keys come through: the same person's come through the same one.
    pub who: String,
    /// As others are told.
    pub name: String,
}

impl From<&Actor> for Typist {
    fn from(actor: &Actor) -> Typist {
        Typist { kind: actor.kind, who: actor.client.clone(), name: actor.client.clone() }
    }
}

/// The process that asks for a session: the child gets its directory and environment, never the daemon's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// Its working directory.
    pub cwd: Option<String>,
    /// Its environment.
    pub env: BTreeMap<String, String>,
}

/// What stays true of a session for its whole life. The keeper holds it as JSON, so that a newer daemon can read
/// what an older one wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// `sess_` and eight characters.
    pub id: String,
    /// Its small number.
    pub number: u32,
    /// The name its maker gave it.
    pub name: Option<String>,
    /// The program's path.
    pub program: String,
    /// Its arguments, as they were asked for.
    pub args: Vec<String>,
    /// The line that it was made from, where it was made from one.
    #[serde(default)]
    pub line: Option<String>,
    /// The directory that it began in.
    #[serde(default)]
    pub cwd: Option<String>,
    /// Which panel it is, where it is one.
    #[serde(default)]
    pub panel: Option<Panel>,
    /// Milliseconds since the epoch.
    pub created_ms: u64,
    /// Columns and rows at the start.
    pub size: (u16, u16),
    /// What its output may do beyond showing things.
    #[serde(default)]
    pub allow: Allow,
    /// What a prompt looks like, where the caller said so.
    #[serde(default)]
    pub prompt_pattern: Option<String>,
    /// What its maker's prompts look like where the shell does not mark them, if not as everybody's.
    #[serde(default)]
    pub usual_prompt: Option<String>,
    /// Lines of history it was made with.
    #[serde(default)]
    pub history_lines: Option<usize>,
    /// Who made it.
    pub actor: Actor,
    /// The request that made it: asked again, it answers with this session.
    pub request: String,
    /// What our own marks carry; `None` where the program is no shell that marks.
    pub nonce: Option<String>,
    /// Whether it is recorded.
    #[serde(default = "yes")]
    pub record: bool,
}

impl Meta {
    /// What it runs, as one line.
    pub fn command(&self) -> String {
        self.line.clone().unwrap_or_else(|| line::write(&self.program, &self.args))
    }
}

fn yes() -> bool {
    true
}

pub(crate) fn now_ms() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// ISO 8601, in UTC, with milliseconds.
pub(crate) fn timestamp(ms: u64) -> String {
    let at = i64::try_from(ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    at.map(|at| format!("{at:.3}")).unwrap_or_default()
}
