use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;

use cotty_pty::Entry;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::durable::journal::LiveJournal;
use crate::shell::words as line;
use crate::{Allow, Panel};

/// The kind of an actor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ActorKind {
    /// A person at a keyboard.
    #[default]
    Person,
    /// A program that works for a person.
    Agent,
    /// A process inside an agent's session.
    Child,
}

/// Who calls. Every operation gets it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    /// Its kind.
    pub kind: ActorKind,
    /// The owner of the sessions it creates; limits count per owner. A child creates none: for a child this is the id of the
    /// session that it runs in, or empty if that is unknown.
    pub owner: String,
    /// The client's name, for lists and logs.
    pub client: String,
}

impl Actor {
    /// Whether it may access a session with this id and owner: a person any, an agent its owner's, a child its own.
    pub fn may_access(&self, id: &str, owner: &str) -> bool {
        match self.kind {
            ActorKind::Person => true,
            ActorKind::Agent => !owner.is_empty() && self.owner == owner,
            ActorKind::Child => self.owner == id,
        }
    }
}

/// Who types.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Typist {
    /// The kind of actor: a person's keys take the keyboard, an agent's need it.
    pub kind: ActorKind,
    /// An id of the viewer or client that sends the keys. It stays the same for the same person.
    pub who: String,
    /// The name that others see.
    pub name: String,
}

impl From<&Actor> for Typist {
    fn from(actor: &Actor) -> Typist {
        Typist { kind: actor.kind, who: actor.client.clone(), name: actor.client.clone() }
    }
}

/// The process that calls for a session. The child gets its directory and environment, never the daemon's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// Its working directory.
    pub cwd: Option<String>,
    /// Its environment.
    pub env: BTreeMap<String, String>,
}

/// A session's metadata, which does not change. The keeper holds it as JSON, so that a newer daemon can read what an
/// older one wrote.
///
/// The journal has a copy. If both are damaged, the readable fields are used. A session without an owner can be accessed by
/// people but by no agent, and processes inside it have no more rights than those in an agent's session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Meta {
    /// `sess_` and eight characters.
    pub id: String,
    /// Its number.
    pub number: u32,
    /// The name that the creating call gave it.
    pub name: Option<String>,
    /// The program's path.
    pub program: String,
    /// Its arguments, as the call gave them.
    pub args: Vec<String>,
    /// The command line that it was created from, if any.
    pub line: Option<String>,
    /// Its first working directory.
    pub cwd: Option<String>,
    /// The panel that it is, if any.
    pub panel: Option<Panel>,
    /// When it was created, in milliseconds since the epoch.
    pub created_ms: u64,
    /// Columns and rows at the start.
    pub size: (u16, u16),
    /// What its output may do besides showing text.
    pub allow: Allow,
    /// A pattern that matches a prompt, if the caller gave one.
    pub prompt_pattern: Option<String>,
    /// The default of `prompt_pattern` for the client that created it, if it differs from the hub's.
    pub usual_prompt: Option<String>,
    /// How many lines of history it keeps at the start.
    pub history_lines: Option<usize>,
    /// Who created it.
    pub actor: Actor,
    /// The retry id of the call that created it. A repeated call gets this session.
    #[serde(rename = "request")]
    pub retry_id: String,
    /// The nonce of our own marks; `None` if the program is not a shell with our integration.
    pub nonce: Option<String>,
    /// Whether it is recorded.
    pub record: bool,
    /// Which metadata could not be read.
    #[serde(skip)]
    pub damage: Option<String>,
}

impl Default for Meta {
    fn default() -> Meta {
        Meta {
            id: String::new(),
            number: 0,
            name: None,
            program: "unknown".to_owned(),
            args: Vec::new(),
            line: None,
            cwd: None,
            panel: None,
            created_ms: now_ms(),
            size: (80, 24),
            allow: Allow::default(),
            prompt_pattern: None,
            usual_prompt: None,
            history_lines: None,
            actor: Actor::default(),
            retry_id: String::new(),
            nonce: None,
            record: true,
            damage: None,
        }
    }
}

/// Fields that may be long and that an adopted session can do without.
const LONG: &[&str] = &["args", "line", "cwd", "prompt_pattern", "usual_prompt"];

impl Meta {
    /// Parses the keeper's copy, as far as it can be read.
    pub(crate) fn read(entry: &Entry) -> Meta {
        let id = String::from_utf8_lossy(&entry.key).into_owned();
        match serde_json::from_slice::<Meta>(&entry.blob) {
            Ok(meta) if meta.id == id && meta.number > 0 => meta,
            read => {
                let reason = read.err().map_or_else(|| "it names no session".to_owned(), |e| e.to_string());
                let fields = serde_json::from_slice(&entry.blob).unwrap_or_default();
                let mut meta = Meta { id, ..Meta::salvage(&fields) };
                let marks = if meta.nonce.is_none() { "; its shell's marks cannot be verified" } else { "" };
                meta.damage = Some(format!("session metadata: {reason}{marks}"));
                meta
            }
        }
    }

    /// Puts a copy into a new journal, because without the nonce a shell can run nothing. If it does not fit, the fields
    /// that may be long are left out.
    pub(crate) fn copy_into(&self, journal: &OwnedFd) -> io::Result<()> {
        let mut fields = serde_json::to_value(self)?;
        if !LiveJournal::describe(journal, &serde_json::to_vec(&fields)?)? {
            if let Some(fields) = fields.as_object_mut() {
                fields.retain(|name, _| !LONG.contains(&name.as_str()));
            }
            LiveJournal::describe(journal, &serde_json::to_vec(&fields)?)?;
        }
        Ok(())
    }

    /// The journal's copy of this damaged metadata.
    pub(crate) fn copy_in(&self, journal: &OwnedFd) -> Option<Meta> {
        let copy = LiveJournal::description(journal)?;
        let meta: Meta = serde_json::from_slice(&copy).ok().filter(|meta: &Meta| meta.id == self.id)?;
        let fields: Map<String, Value> = serde_json::from_slice(&copy).ok()?;
        let is_whole = LONG.iter().all(|name| fields.contains_key(*name));
        let why = "session metadata: it is damaged, and its copy has no arguments";
        Some(Meta { damage: (!is_whole).then(|| why.to_owned()), ..meta })
    }

    /// Metadata from the fields that can be read one by one. Without `record` the session is not recorded; without `actor` it
    /// has no owner.
    fn salvage(fields: &Map<String, Value>) -> Meta {
        let readable = fields.iter().filter(|(name, value)| {
            let alone = Map::from_iter([((*name).clone(), (*value).clone())]);
            Meta::deserialize(Value::Object(alone)).is_ok()
        });
        let readable: Map<String, Value> =
            readable.map(|(name, value)| (name.clone(), value.clone())).collect();
        let (record, actor) = (readable.contains_key("record"), readable.contains_key("actor"));
        let mut meta = Meta::deserialize(Value::Object(readable)).unwrap_or_default();
        meta.record &= record;
        if !actor {
            meta.actor.kind = ActorKind::Agent;
        }
        meta
    }

    /// What it runs, as one line.
    pub fn command(&self) -> String {
        self.line.clone().unwrap_or_else(|| line::write(&self.program, &self.args))
    }
}

pub(crate) fn now_ms() -> u64 {
    crate::clock::wall_ms()
}

/// A time in ISO 8601, in UTC, with milliseconds.
pub fn timestamp(ms: u64) -> String {
    let at = i64::try_from(ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    at.map(|at| format!("{at:.3}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::fixture;

    fn entry(blob: &str) -> Entry {
        Entry {
            key: b"sess_abcdefgh".to_vec(),
            pid: Some(1),
            status: None,
            slots: vec![],
            blob: blob.as_bytes().to_vec(),
        }
    }

    const WHOLE: &str = r#"{"id":"sess_abcdefgh","number":7,"name":"build","program":"/bin/bash","args":["-l"],
        "created_ms":5,"size":[100,30],"actor":{"kind":"Agent","owner":"claude","client":"claude"},
        "request":"r","nonce":"n","a_field_of_a_newer_version":1}"#;

    #[test]
    fn metadata_of_another_version_is_read_by_field_name() {
        let meta = Meta::read(&entry(WHOLE));
        assert_eq!((meta.damage, meta.number, meta.size, meta.record), (None, 7, (100, 30), true));
        assert_eq!((meta.actor.kind, meta.name.as_deref()), (ActorKind::Agent, Some("build")));
    }

    /// Metadata with a value in every field.
    fn filled() -> Meta {
        Meta {
            id: "sess_abcdefgh".into(),
            number: 7,
            name: Some("build".into()),
            program: "/bin/bash".into(),
            args: vec!["-l".into()],
            line: Some("bash -l".into()),
            cwd: Some("/tmp".into()),
            panel: Some(Panel { scope: "owner:claude".into(), id: "left".into() }),
            created_ms: 5,
            size: (100, 30),
            allow: Allow { title: true, clipboard: true, checksum: true, resize: true },
            prompt_pattern: Some("> $".into()),
            usual_prompt: Some("% $".into()),
            history_lines: Some(500),
            actor: Actor { kind: ActorKind::Agent, owner: "claude".into(), client: "code".into() },
            retry_id: "r".into(),
            nonce: Some("n".into()),
            record: false,
            damage: None,
        }
    }

    #[test]
    fn metadata_of_the_first_version_is_read() {
        let bytes = fixture("description", 1, Some(&|| serde_json::to_vec(&filled()).unwrap()));
        // A renamed field would not be read.
        assert_eq!(Meta::read(&Entry { blob: bytes, ..entry("") }), filled());
    }

    #[test]
    fn a_damaged_metadata_field_loses_only_that_field() {
        let damaged = WHOLE.replace("\"Agent\"", "\"Ghost\"").replace("[100,30]", "\"large\"");
        let meta = Meta::read(&entry(&damaged));
        assert!(meta.damage.is_some_and(|why| why.contains("large")));
        assert_eq!((meta.number, meta.name.as_deref(), meta.size), (7, Some("build"), (80, 24)));
        assert_eq!((meta.actor.kind, meta.actor.owner.as_str()), (ActorKind::Agent, ""));
        assert_eq!((meta.nonce.as_deref(), meta.record), (Some("n"), false));
        let without_owner = Actor { kind: ActorKind::Agent, ..Actor::default() };
        assert!(!without_owner.may_access("sess_x", ""), "no agent may access a session without an owner");
    }

    #[test]
    fn a_journals_copy_of_the_metadata_leaves_out_long_fields_if_they_do_not_fit() {
        let damaged = Meta::read(&entry("not ours"));
        let (_, journal) = LiveJournal::create().unwrap();
        assert_eq!(damaged.copy_in(&journal), None);
        filled().copy_into(&journal).unwrap();
        assert_eq!(damaged.copy_in(&journal), Some(filled()));
        assert_eq!(Meta { id: "sess_another1".into(), ..filled() }.copy_in(&journal), None);

        let long = Meta { args: vec!["x".repeat(5000)], ..filled() };
        long.copy_into(&journal).unwrap();
        let copy = damaged.copy_in(&journal).unwrap();
        assert_eq!((copy.nonce, copy.actor, copy.number), (long.nonce, long.actor, long.number));
        assert!(copy.args.is_empty() && copy.damage.is_some());
    }

    #[test]
    fn a_session_without_metadata_keeps_its_id_and_has_no_owner() {
        for blob in ["", "not ours", "[1]", "{}", r#"{"id":"sess_another1"}"#] {
            let meta = Meta::read(&entry(blob));
            assert_eq!((meta.id.as_str(), meta.actor.kind), ("sess_abcdefgh", ActorKind::Agent), "{blob}");
            assert!(meta.damage.is_some(), "{blob}");
        }
    }
}
