use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use super::Settings;
use super::value::Slot;

/// A key: its place, its purpose and its allowed values.
pub struct Key {
    /// The section of the file.
    pub section: &'static str,
    /// Its name in that section.
    pub name: &'static str,
    /// What it is for.
    pub what: &'static str,
    /// The flag that overrides file and environment.
    pub flag: Option<&'static str>,
    /// Another variable that sets it.
    pub alias: Option<&'static str>,
    /// A client's environment may set it for the client's own sessions.
    pub per_client: bool,
    /// Only clients read it: it needs no restart.
    pub of_clients: bool,
    pub(super) slot: for<'a> fn(&'a mut Settings) -> Slot<'a>,
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.path())
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.path() == other.path()
    }
}

fn is_filled_in(text: &str) -> bool {
    let is_template = text.starts_with("${user_config.") && text.ends_with('}');
    !text.is_empty() && !is_template
}

impl Key {
    /// `section.name`.
    pub fn path(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }

    /// The variable that sets it.
    pub fn variable(&self) -> String {
        format!("COTTY_{}_{}", self.section.to_uppercase(), self.name.to_uppercase())
    }

    /// The allowed values, in words.
    pub fn allowed(&self) -> String {
        (self.slot)(&mut Settings::default()).allowed()
    }

    /// Its default, as TOML.
    pub fn built_in(&self) -> String {
        super::toml_text(&(self.slot)(&mut Settings::default()).value())
    }

    pub(super) fn is_pattern(&self) -> bool {
        matches!((self.slot)(&mut Settings::default()), Slot::Pattern(_))
    }

    /// The variable that sets it, and its text. An empty variable counts as unset, and so does a placeholder from the
    /// manifest of a bundle that the host did not fill in.
    pub(super) fn variable_in<'a>(&self, env: &'a BTreeMap<String, String>) -> Option<(&'a str, &'a str)> {
        let set = |name: &str| env.get_key_value(name).filter(|(_, text)| is_filled_in(text));
        let found = set(&self.variable()).or_else(|| set(self.alias?))?;
        Some((found.0, found.1))
    }

    const fn flag(mut self, flag: &'static str) -> Key {
        self.flag = Some(flag);
        self
    }

    const fn alias(mut self, alias: &'static str) -> Key {
        self.alias = Some(alias);
        self
    }

    const fn per_client(mut self) -> Key {
        self.per_client = true;
        self
    }

    const fn of_clients(mut self) -> Key {
        self.of_clients = true;
        self
    }
}

const fn key(
    section: &'static str,
    name: &'static str,
    what: &'static str,
    slot: for<'a> fn(&'a mut Settings) -> Slot<'a>,
) -> Key {
    Key { section, name, what, flag: None, alias: None, per_client: false, of_clients: false, slot }
}

const SECOND: Duration = Duration::from_secs(1);
const DAY: Duration = Duration::from_secs(86_400);
const YEARS: Duration = Duration::from_secs(10 * 365 * 86_400);
const RETENTION: RangeInclusive<Duration> = SECOND..=YEARS;
/// A segment holds a whole state, and should fit into memory.
const SEGMENT: RangeInclusive<u64> = 4096..=1 << 30;
const QUOTA: RangeInclusive<u64> = 1 << 16..=1 << 50;
const LARGEST_COUNT: usize = 1_000_000;

/// Every key, section by section.
pub static KEYS: &[Key] = &[
    key(
        "http",
        "listen",
        "Address of the page and of HTTP. If it is not set and the port is in use, cotty uses a \
         free port. If it is set and the port is in use, the daemon does not start.",
        |s| Slot::Address(&mut s.listen),
    )
    .flag("--listen"),
    key("limits", "max_sessions", "Most live sessions in total.", |s| {
        Slot::Count(&mut s.max_sessions, 1..=LARGEST_COUNT)
    })
    .flag("--max-sessions"),
    key(
        "limits",
        "max_per_owner",
        "Most live sessions of one owner: a person, or an agent in a project.",
        |s| Slot::Count(&mut s.max_per_owner, 1..=LARGEST_COUNT),
    )
    .flag("--max-per-owner")
    .per_client(),
    key("terminal", "default_rows", "Rows of a new terminal.", |s| {
        Slot::Cells(&mut s.terminal.rows, 1..=1000)
    })
    .per_client(),
    key("terminal", "default_cols", "Columns of a new terminal.", |s| {
        Slot::Cells(&mut s.terminal.cols, 2..=1000)
    })
    .per_client(),
    key(
        "terminal",
        "default_shell",
        "Program to start if none is named. If empty: the caller's SHELL.",
        |s| Slot::Program(&mut s.terminal.shell),
    )
    .per_client(),
    key("terminal", "term", "TERM of new programs.", |s| Slot::Word(&mut s.terminal.term)).per_client(),
    key("terminal", "scrollback_limit", "Lines of history that a session keeps.", |s| {
        Slot::Count(&mut s.terminal.history_lines, 0..=LARGEST_COUNT)
    })
    .per_client(),
    key(
        "terminal",
        "prompt_pattern",
        "Pattern of a prompt on the cursor's line, for shells that do not mark their prompt.",
        |s| Slot::Pattern(&mut s.terminal.prompt_pattern),
    )
    .per_client(),
    key(
        "terminal",
        "pass_env",
        "Variables to pass to programs in agents' sessions although they look like secrets.",
        |s| Slot::Names(&mut s.terminal.pass_env),
    ),
    key("retention", "ended", "How long a session stays readable after its program has ended.", |s| {
        Slot::Time(&mut s.retention.ended, RETENTION)
    }),
    key(
        "retention",
        "orphaned",
        "How long an agent's shell may stay at its prompt after the agent has disconnected, before \
         it is ended.",
        |s| Slot::Time(&mut s.retention.orphaned, RETENTION),
    ),
    key(
        "retention",
        "idle",
        "How long an agent's session may go without input and output before it is ended.",
        |s| Slot::Time(&mut s.retention.idle, RETENTION),
    ),
    key(
        "recording",
        "enabled",
        "Whether to record sessions, unless the call that makes one says otherwise.",
        |s| Slot::Switch(&mut s.record),
    ),
    key(
        "recording",
        "session_size",
        "Largest recording of one session; if it grows beyond that, its oldest part is deleted.",
        |s| Slot::Size(&mut s.recording.session_bytes, QUOTA),
    ),
    key(
        "recording",
        "total_size",
        "Largest size of all recordings together; beyond that, the oldest are deleted.",
        |s| Slot::Size(&mut s.recording.total_bytes, QUOTA),
    ),
    key("recording", "keep", "How long a recording is kept after its last byte.", |s| {
        Slot::Age(&mut s.recording.age_ms, DAY..=YEARS)
    }),
    key("recording", "segment_size", "Largest file of a recording.", |s| {
        Slot::Size(&mut s.recording.segment_bytes, SEGMENT)
    }),
    key(
        "recording",
        "directory",
        "Directory of recordings. If empty: `recordings` in cotty's home. Existing recordings are \
         not moved.",
        |s| Slot::Path(&mut s.recordings_dir),
    ),
    key(
        "recording",
        "captures",
        "Directory of captures, unless the call names another. If empty: `captures` in cotty's home.",
        |s| Slot::Path(&mut s.captures_dir),
    ),
    key("agents", "answer_secrets", "Whether agents may type when a program asks for a secret.", |s| {
        Slot::Switch(&mut s.agents_answer_secrets)
    }),
    key(
        "agents",
        "history_file",
        "File with the shell history of agents; their commands stay out of your own history. If empty: \
         `bash_history` in cotty's home.",
        |s| Slot::Path(&mut s.agents_history_file),
    ),
    key(
        "attach",
        "prefix",
        "The key before each command key of `cotty attach`: with d after it, it detaches. If empty: the default.",
        |s| Slot::Press(&mut s.attach_prefix),
    )
    .of_clients(),
    key("attach", "detach_key", "A key that detaches `cotty attach` at once. If empty: none.", |s| {
        Slot::Press(&mut s.detach_key)
    })
    .of_clients(),
    key("log", "level", "Level of detail of the daemon's log.", |s| Slot::Level(&mut s.log_level))
        .alias("COTTY_LOG"),
    key(
        "log",
        "file",
        "The daemon's log file. If empty: stderr in the foreground, `cotty.log` in cotty's home in \
         the background.",
        |s| Slot::Path(&mut s.log_file),
    ),
    key("log", "max_size", "Largest log file; then it becomes `….1` and a new one begins.", |s| {
        Slot::Size(&mut s.log_size, 1 << 16..=1 << 30)
    }),
];
