//! The configuration: what can be set, in layers. Built in < file < environment < flag < what a client asks.
//!
//! Pure: text and variables go in; settings, where each comes from, and what is wrong come out. [`KEYS`] lists every key
//! once; parsing, `cotty config show`, the template and `docs/configuration.md` are all made from it.

mod file;
mod reference;
mod table;
mod value;

use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use cotty_session::{RecordingLimits, Retention, TerminalOptions};
use serde_json::Value;

pub use reference::{reference, template};
pub use table::{KEYS, Key};

use value::Given;

/// Everything that can be set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Where the page is served.
    pub listen: SocketAddr,
    /// Live sessions in all.
    pub max_sessions: usize,
    /// Live sessions of one owner.
    pub max_per_owner: usize,
    /// What a new terminal is like where its maker does not say.
    pub terminal: TerminalOptions,
    /// When sessions that nobody comes back to leave.
    pub retention: Retention,
    /// Whether sessions are recorded where their makers do not say.
    pub record: bool,
    /// How much of recordings is kept.
    pub recording: RecordingLimits,
    /// Where recordings lie, if not at home.
    pub recordings_dir: Option<PathBuf>,
    /// Where captures go that name no place, if not home.
    pub captures_dir: Option<PathBuf>,
    /// Whether agents may answer questions for secrets.
    pub agents_answer_secrets: bool,
    /// Where the shell history of agents' commands lies, if not at home.
    pub agents_history_file: Option<PathBuf>,
    /// The key before each key that is for `attach` itself.
    pub attach_prefix: String,
    /// One that leaves it at once; empty where none does.
    pub detach_key: String,
    /// What is worth a line in the log.
    pub log_level: String,
    /// Where the log goes, if not to its usual place.
    pub log_file: Option<PathBuf>,
    /// How large the log gets before a new one is begun.
    pub log_size: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            listen: SocketAddr::from(([127, 0, 0, 1], 7420)),
            max_sessions: 1000,
            max_per_owner: 10,
            terminal: TerminalOptions::default(),
            retention: Retention::default(),
            record: true,
            recording: RecordingLimits::default(),
            recordings_dir: None,
            captures_dir: None,
            agents_answer_secrets: false,
            agents_history_file: None,
            attach_prefix: "ctrl+]".to_owned(),
            detach_key: String::new(),
            log_level: "warn".to_owned(),
            log_file: None,
            log_size: 8 << 20,
        }
    }
}

/// What a face takes for usual where nobody set it: the layer just above what is built in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usual {
    /// Lines of history of a session.
    pub history_lines: Option<usize>,
    /// Live sessions of one owner.
    pub max_per_owner: Option<usize>,
}

impl Settings {
    /// The same for one client: what its environment says of its own terminals beats what the daemon was told.
    pub fn for_client(&self, env: &BTreeMap<String, String>) -> Result<Settings, Refused> {
        let mut settings = self.clone();
        for key in KEYS.iter().filter(|key| key.per_client) {
            let Some((name, text)) = key.variable_in(env) else { continue };
            (key.slot)(&mut settings)
                .set(&Given::Word(text.to_owned()))
                .map_err(|why| Refused { problem: Problem::new(name, why), is_pattern: key.is_pattern() })?;
        }
        Ok(settings)
    }
}

/// What a client asked in its environment, and cannot have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Which variable, and why.
    pub problem: Problem,
    /// It is a pattern that cannot be read.
    pub is_pattern: bool,
}

/// Where a value comes from. Later ones beat earlier ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Nobody set it.
    BuiltIn,
    /// A line of the file.
    File(PathBuf, usize),
    /// A variable.
    Environment(String),
    /// An argument.
    Flag(&'static str),
}

impl Source {
    /// The layer in a word, for programs.
    pub fn layer(&self) -> &'static str {
        match self {
            Source::BuiltIn => "built_in",
            Source::File(..) => "file",
            Source::Environment(_) => "environment",
            Source::Flag(_) => "flag",
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::BuiltIn => write!(f, "built in"),
            Source::File(path, line) => write!(f, "{}:{line}", path.display()),
            Source::Environment(name) => write!(f, "{name}"),
            Source::Flag(name) => write!(f, "{name}"),
        }
    }
}

/// Something that cannot be taken as it is, and the next step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// A file and line, a variable, a flag.
    pub place: String,
    /// What is wrong with it, and what is allowed.
    pub what: String,
}

impl Problem {
    /// Something wrong there.
    pub fn new(place: impl fmt::Display, what: impl Into<String>) -> Problem {
        Problem { place: place.to_string(), what: what.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// A configuration that is not right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Broken(pub Vec<Problem>);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the configuration is not right")?;
        self.0.iter().try_for_each(|problem| write!(f, "\n  {problem}"))
    }
}

/// A flag that was given: the key that it sets (`http.listen`), its own name and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// `section.name`.
    pub key: &'static str,
    /// As it is typed.
    pub name: &'static str,
    /// Its value.
    pub value: String,
}

/// The settings and where each comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// What holds.
    pub settings: Settings,
    /// Of every key, in the order of [`KEYS`].
    sources: Vec<Source>,
}

/// One key of a configuration as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingEntry<'a> {
    /// Which.
    pub key: &'static Key,
    /// Its value.
    pub value: Value,
    /// Where that comes from.
    pub source: &'a Source,
}

impl Config {
    /// Reads the layers. What is wrong is left out and told; whoever starts something new refuses then, a daemon that
    /// takes over goes on.
    pub fn read(
        file: Option<(&Path, &str)>,
        env: &BTreeMap<String, String>,
        flags: &[Flag],
    ) -> (Config, Vec<Problem>) {
        let mut config = Config { settings: Settings::default(), sources: vec![Source::BuiltIn; KEYS.len()] };
        let mut problems = Vec::new();
        if let Some((path, text)) = file {
            file::apply(&mut config, path, text, &mut problems);
        }
        config.apply_environment(env, &mut problems);
        for flag in flags {
            let Some(index) = KEYS.iter().position(|key| key.path() == flag.key) else { continue };
            config.set(index, &Given::Word(flag.value.clone()), Source::Flag(flag.name), &mut problems);
        }
        (config, problems)
    }

    /// The same, or everything that is wrong.
    pub fn read_strictly(
        file: Option<(&Path, &str)>,
        env: &BTreeMap<String, String>,
        flags: &[Flag],
    ) -> Result<Config, Broken> {
        match Config::read(file, env, flags) {
            (config, problems) if problems.is_empty() => Ok(config),
            (_, problems) => Err(Broken(problems)),
        }
    }

    /// The settings for one client that came through a face with usual values of its own.
    pub fn for_client(&self, env: &BTreeMap<String, String>, usual: Usual) -> Result<Settings, Refused> {
        let mut settings = self.settings.clone();
        let unset = |path| *self.source(path) == Source::BuiltIn;
        if let Some(lines) = usual.history_lines.filter(|_| unset("terminal.scrollback_limit")) {
            settings.terminal.history_lines = lines;
        }
        if let Some(most) = usual.max_per_owner.filter(|_| unset("limits.max_per_owner")) {
            settings.max_per_owner = most;
        }
        settings.for_client(env)
    }

    /// Every key with its value and where that comes from.
    pub fn entries(&self) -> Vec<SettingEntry<'_>> {
        let mut settings = self.settings.clone();
        let entry = |(key, source): (&'static Key, _)| {
            let value = (key.slot)(&mut settings).value();
            SettingEntry { key, value, source }
        };
        KEYS.iter().zip(&self.sources).map(entry).collect()
    }

    /// The same for the wire.
    pub fn keys(&self) -> Vec<cotty_protocol::op::config::Key> {
        let key = |entry: SettingEntry<'_>| cotty_protocol::op::config::Key {
            key: entry.key.path(),
            value: entry.value,
            source: entry.source.layer().to_owned(),
            from: entry.source.to_string(),
        };
        self.entries().into_iter().map(key).collect()
    }

    /// Where a key's value comes from.
    pub fn source(&self, path: &str) -> &Source {
        let index = KEYS.iter().position(|key| key.path() == path);
        index.and_then(|index| self.sources.get(index)).unwrap_or(&Source::BuiltIn)
    }

    fn apply_environment(&mut self, env: &BTreeMap<String, String>, problems: &mut Vec<Problem>) {
        for (index, key) in KEYS.iter().enumerate() {
            if let Some((name, text)) = key.variable_in(env) {
                let source = Source::Environment(name.to_owned());
                self.set(index, &Given::Word(text.to_owned()), source, problems);
            }
        }
        let names: Vec<String> = KEYS.iter().map(Key::variable).collect();
        for name in env.keys().filter(|name| !names.contains(name)) {
            let prefix = |key: &Key| format!("COTTY_{}_", key.section.to_uppercase());
            if KEYS.iter().any(|key| name.starts_with(&prefix(key))) {
                let near = crate::near::nearest(name, names.iter().map(String::as_str));
                problems.push(Problem::new(
                    name,
                    format!("there is no such key{}", crate::near::did_you_mean(near)),
                ));
            }
        }
    }

    fn set(&mut self, index: usize, given: &Given, source: Source, problems: &mut Vec<Problem>) {
        let mut settings = self.settings.clone();
        match (KEYS[index].slot)(&mut settings).set(given) {
            Ok(()) => (self.settings, self.sources[index]) = (settings, source),
            Err(why) => problems.push(Problem::new(source, why)),
        }
    }
}

/// A value as the file writes it.
pub fn toml_text(value: &Value) -> String {
    value::toml_text(value)
}

#[cfg(test)]
mod tests;
