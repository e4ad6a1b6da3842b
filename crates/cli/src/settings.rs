//! Loads the configuration of this process: the file in the home, the environment, flags.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use cotty_client::Home;
use cotty_server::config::{Broken, Config, Flag, KEYS, Problem, Settings};

/// Whose environment this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// That of a daemon in the foreground, started on purpose.
    Daemons,
    /// That of a client that started the daemon. Settings for its own sessions come with its calls and must not apply to
    /// others.
    Clients,
}

impl Whose {
    fn environment(self) -> BTreeMap<String, String> {
        let mut env = environment();
        if self == Whose::Clients {
            env.retain(|name, _| !KEYS.iter().any(|key| key.per_client && key.variable() == *name));
        }
        env
    }
}

/// Loads the configuration strictly: any problem is an error.
pub(crate) fn load(home: &Home, whose: Whose, flags: &[Flag]) -> Result<Config, Broken> {
    let text = read(home.config()).map_err(|problem| Broken(vec![problem]))?;
    Config::read_strictly(text.as_deref().map(|text| (home.config(), text)), &whose.environment(), flags)
}

/// Loads the configuration for a daemon, which must start in any case: it may be adopting sessions. If the file is invalid,
/// it uses the last valid one.
pub(crate) fn load_for_daemon(home: &Home, whose: Whose, flags: &[Flag]) -> (Config, Vec<Problem>) {
    let (env, path, good) = (whose.environment(), home.config(), home.good_config());
    let (now, mut problems) = match read(path) {
        Ok(text) => (text, Vec::new()),
        Err(problem) => (None, vec![problem]),
    };
    if problems.is_empty() {
        // Only the problems of the file: another file would not solve those of the environment.
        let given = now.as_deref().map(|text| (path, text));
        problems = Config::read(given, &BTreeMap::new(), &[]).1;
        if problems.is_empty() {
            let (config, problems) = Config::read(given, &env, flags);
            remember(&good, now.as_deref().unwrap_or_default());
            return (config, problems);
        }
    }
    let last = read(&good).ok().flatten();
    let (config, more) = Config::read(last.as_deref().map(|text| (good.as_path(), text)), &env, flags);
    problems.extend(more);
    (config, problems)
}

/// Loads the settings that a client uses for its person. Problems are ignored here; they are reported when a daemon
/// starts.
pub(crate) fn of_person(home: &Home) -> Settings {
    let text = read(home.config()).ok().flatten();
    Config::read(text.as_deref().map(|text| (home.config(), text)), &environment(), &[]).0.settings
}

/// Reads a file; `None` if it does not exist.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Problem> {
    match std::fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(Problem::new(path.display(), "not UTF-8 text")),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Problem::new(path.display(), format!("cannot be read: {error}"))),
    }
}

/// The environment of this process.
pub(crate) fn environment() -> BTreeMap<String, String> {
    std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?))).collect()
}

/// Saves the last valid configuration atomically.
fn remember(good: &Path, text: &str) {
    if read(good).ok().flatten().as_deref() == Some(text) {
        return;
    }
    let new = good.with_extension("new");
    let _ = std::fs::remove_file(&new);
    let write = || {
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        file.write_all(text.as_bytes())?;
        std::fs::rename(&new, good)
    };
    // On failure, an invalid file later means the built-in values; the daemon starts anyway.
    let _: io::Result<()> = write();
}
