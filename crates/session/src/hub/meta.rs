use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;

use cotty_pty::Entry;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::durable::journal::LiveJournal;
use crate::shell::words as line;
use crate::{Allow, Panel};

/// What kind of actor asks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ActorKind {
    /// Somebody at a keyboard.
    #[default]
    Person,
    /// A program that works for somebody.
    Agent,
    /// A process inside an agent's session.
    Child,
}

/// Who asks. Every operation knows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
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
            ActorKind::Agent => !owner.is_empty() && self.owner == owner,
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
///
/// The journal has a copy. Where both are damaged, it is read as far as it goes. Without its owner it is nobody's: people may have it, no agent may, and what
/// runs inside it may do no more than what runs in an agent's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
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
    pub line: Option<String>,
    /// The directory that it began in.
    pub cwd: Option<String>,
    /// Which panel it is, where it is one.
    pub panel: Option<Panel>,
    /// Milliseconds since the epoch.
    pub created_ms: u64,
    /// Columns and rows at the start.
    pub size: (u16, u16),
    /// What its output may do beyond showing things.
    pub allow: Allow,
    /// What a prompt looks like, where the caller said so.
    pub prompt_pattern: Option<String>,
    /// What its maker's prompts look like where the shell does not mark them, if not as everybody's.
    pub usual_prompt: Option<String>,
    /// Lines of history it was made with.
    pub history_lines: Option<usize>,
    /// Who made it.
    pub actor: Actor,
    /// The request that made it: asked again, it answers with this session.
    #[serde(rename = "request")]
    pub retry_id: String,
    /// What our own marks carry; `None` where the program is no shell that marks.
    pub nonce: Option<String>,
    /// Whether it is recorded.
    pub record: bool,
    /// What of this could not be read.
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

/// Fields of a description that may be long, and that nobody needs to go on.
const LONG: &[&str] = &["args", "line", "cwd", "prompt_pattern", "usual_prompt"];

impl Meta {
    /// What the keeper holds, as far as it can be read.
    pub(crate) fn read(entry: &Entry) -> Meta {
        let id = String::from_utf8_lossy(&entry.key).into_owned();
        match serde_json::from_slice::<Meta>(&entry.blob) {
            Ok(meta) if meta.id == id && meta.number > 0 => meta,
            read => {
                let reason = read.err().map_or_else(|| "it names no session".to_owned(), |e| e.to_string());
                let fields = serde_json::from_slice(&entry.blob).unwrap_or_default();
                let mut meta = Meta { id, ..Meta::salvage(&fields) };
                let marks =
                    if meta.nonce.is_none() { "; its shell's marks are not known any more" } else { "" };
                meta.damage = Some(format!("the description: {reason}{marks}"));
                meta
            }
        }
    }

    /// Puts a copy into a new journal: without its nonce a shell would run nothing any more. What is long and can be done
    /// without is left out where it does not fit.
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

    /// In place of this one, which is damaged: the copy that the journal has.
    pub(crate) fn copy_in(&self, journal: &OwnedFd) -> Option<Meta> {
        let copy = LiveJournal::description(journal)?;
        let meta: Meta = serde_json::from_slice(&copy).ok().filter(|meta: &Meta| meta.id == self.id)?;
        let fields: Map<String, Value> = serde_json::from_slice(&copy).ok()?;
        let is_whole = LONG.iter().all(|name| fields.contains_key(*name));
        let why = "the description: it is damaged, and its copy has no arguments";
        Some(Meta { damage: (!is_whole).then(|| why.to_owned()), ..meta })
    }

    /// The fields that can be read by themselves. What is not known is not recorded, and nobody's.
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
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// ISO 8601, in UTC, with milliseconds.
pub(crate) fn timestamp(ms: u64) -> String {
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
    fn a_description_of_another_version_is_read_by_the_names_of_its_fields() {
        let meta = Meta::read(&entry(WHOLE));
        assert_eq!((meta.damage, meta.number, meta.size, meta.record), (None, 7, (100, 30), true));
        assert_eq!((meta.actor.kind, meta.name.as_deref()), (ActorKind::Agent, Some("build")));
    }

    /// Something in every field.
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
    fn descriptions_of_the_first_version_are_read() {
        let bytes = fixture("description", 1, Some(&|| serde_json::to_vec(&filled()).unwrap()));
        // A field with another name is one that is not read.
        assert_eq!(Meta::read(&Entry { blob: bytes, ..entry("") }), filled());
    }

    #[test]
    fn what_is_damaged_of_a_description_costs_only_that() {
        let damaged = WHOLE.replace("\"Agent\"", "\"Ghost\"").replace("[100,30]", "\"large\"");
        let meta = Meta::read(&entry(&damaged));
        assert!(meta.damage.is_some_and(|why| why.contains("large")));
        assert_eq!((meta.number, meta.name.as_deref(), meta.size), (7, Some("build"), (80, 24)));
        assert_eq!((meta.actor.kind, meta.actor.owner.as_str()), (ActorKind::Agent, ""));
        assert_eq!((meta.nonce.as_deref(), meta.record), (Some("n"), false));
        let nobodys = Actor { kind: ActorKind::Agent, ..Actor::default() };
        assert!(!nobodys.may_have("sess_x", ""), "nobody's session is no agent's");
    }

    #[test]
    fn a_journal_has_a_copy_of_all_that_fits_and_of_what_cannot_be_done_without() {
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
    fn no_description_at_all_leaves_nobodys_session_with_its_id() {
        for blob in ["", "not ours", "[1]", "{}", r#"{"id":"sess_another1"}"#] {
            let meta = Meta::read(&entry(blob));
            assert_eq!((meta.id.as_str(), meta.actor.kind), ("sess_abcdefgh", ActorKind::Agent), "{blob}");
            assert!(meta.damage.is_some(), "{blob}");
        }
    }
}
