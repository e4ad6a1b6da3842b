//! The configuration, in layers: built in < file < environment < flag < client.
//!
//! Pure: text and variables go in; settings, their sources and problems come out. [`KEYS`] lists every key once;
//! parsing, `cotty config show`, the template and `docs/configuration.md` are all made from it.

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
    /// Address of the page and of HTTP.
    pub listen: SocketAddr,
    /// Most live sessions in total.
    pub max_sessions: usize,
    /// Most live sessions of one owner.
    pub max_per_owner: usize,
    /// Defaults of a new terminal.
    pub terminal: TerminalOptions,
    /// How long unused sessions are kept.
    pub retention: Retention,
    /// Whether sessions are recorded by default.
    pub record: bool,
    /// Limits of the recordings.
    pub recording: RecordingLimits,
    /// Directory of recordings, if not the default.
    pub recordings_dir: Option<PathBuf>,
    /// Directory of captures whose call names no other, if not the default.
    pub captures_dir: Option<PathBuf>,
    /// Whether agents may type secrets.
    pub agents_answer_secrets: bool,
    /// Shell history of agents' commands, if not the default.
    pub agents_history_file: Option<PathBuf>,
    /// The key before each command key of `attach`.
    pub attach_prefix: String,
    /// A key that detaches at once; empty for none.
    pub detach_key: String,
    /// Level of detail of the log.
    pub log_level: String,
    /// Log file, if not the default.
    pub log_file: Option<PathBuf>,
    /// Largest log file, in bytes.
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

/// Defaults of a face: the layer just above the built-in one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usual {
    /// Lines of history of a session.
    pub history_lines: Option<usize>,
    /// Most live sessions of one owner.
    pub max_per_owner: Option<usize>,
}

impl Settings {
    /// The settings for one client: its environment overrides the daemon's settings of its own terminals.
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

/// An invalid variable in a client's environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Which variable, and why.
    pub problem: Problem,
    /// Its value is an invalid pattern.
    pub is_pattern: bool,
}

/// Where a value comes from. Later variants override earlier ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The built-in default.
    BuiltIn,
    /// A line of the file.
    File(PathBuf, usize),
    /// An environment variable.
    Environment(String),
    /// A command-line flag.
    Flag(&'static str),
}

impl Source {
    /// The layer's name, for programs.
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

/// An invalid setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// A file and line, a variable or a flag.
    pub place: String,
    /// What is wrong with it, and what is allowed.
    pub what: String,
}

impl Problem {
    /// A problem at this place.
    pub fn new(place: impl fmt::Display, what: impl Into<String>) -> Problem {
        Problem { place: place.to_string(), what: what.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// An invalid configuration, with all its problems.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Broken(pub Vec<Problem>);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the configuration is invalid")?;
        self.0.iter().try_for_each(|problem| write!(f, "\n  {problem}"))
    }
}

/// A flag that was given: the key that it sets (`http.listen`), its own name and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// `section.name`.
    pub key: &'static str,
    /// As the user types it.
    pub name: &'static str,
    /// Its value.
    pub value: String,
}

/// The settings and where each comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The settings in effect.
    pub settings: Settings,
    /// The source of every key, in the order of [`KEYS`].
    sources: Vec<Source>,
}

/// One key of a configuration, with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingEntry<'a> {
    /// The key.
    pub key: &'static Key,
    /// Its value.
    pub value: Value,
    /// Where the value comes from.
    pub source: &'a Source,
}

impl Config {
    /// Reads the layers. Invalid settings are ignored and returned as problems: a new daemon then refuses to start, a
    /// daemon that replaces another goes on.
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

    /// Like [`Config::read`], but any problem is an error.
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

    /// The settings for one client of a face with its own defaults.
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

    /// Every key with its value and source.
    pub fn entries(&self) -> Vec<SettingEntry<'_>> {
        let mut settings = self.settings.clone();
        let entry = |(key, source): (&'static Key, _)| {
            let value = (key.slot)(&mut settings).value();
            SettingEntry { key, value, source }
        };
        KEYS.iter().zip(&self.sources).map(entry).collect()
    }

    /// [`Config::entries`] in wire form.
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

/// A value as TOML.
pub fn toml_text(value: &Value) -> String {
    value::toml_text(value)
}

#[cfg(test)]
mod tests;
