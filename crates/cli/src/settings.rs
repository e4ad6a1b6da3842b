//! The configuration as this process finds it: the file of the home, the environment, flags.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use cotty_client::Home;
use cotty_server::config::{Broken, Config, Flag, KEYS, Problem, Settings};

/// Whose environment this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// The daemon's own: somebody started it on purpose.
    Daemons,
    /// That of a client which found no daemon. What it wants for its own sessions comes with its calls, and is no rule
    /// for others.
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

/// For whoever starts something new: all of it, or what is wrong.
pub(crate) fn load(home: &Home, whose: Whose, flags: &[Flag]) -> Result<Config, Broken> {
    let text = read(home.config()).map_err(|problem| Broken(vec![problem]))?;
    Config::read_strictly(text.as_deref().map(|text| (home.config(), text)), &whose.environment(), flags)
}

/// For a daemon, which may be taking over: whatever the file says now, it goes on. Where the file is broken, with the one
/// that was right last.
pub(crate) fn load_for_daemon(home: &Home, whose: Whose, flags: &[Flag]) -> (Config, Vec<Problem>) {
    let (env, path, good) = (whose.environment(), home.config(), home.good_config());
    let (now, mut problems) = match read(path) {
        Ok(text) => (text, Vec::new()),
        Err(problem) => (None, vec![problem]),
    };
    if problems.is_empty() {
        // The file's own problems, apart from those of the environment, which no other file would solve.
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

/// For a client that only wants to know how its person likes things. A broken file is told where something starts, not
/// here.
pub(crate) fn of_person(home: &Home) -> Settings {
    let text = read(home.config()).ok().flatten();
    Config::read(text.as_deref().map(|text| (home.config(), text)), &environment(), &[]).0.settings
}

/// What a file says; nothing where there is none.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Problem> {
    match std::fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(Problem::new(path.display(), "this is no text in UTF-8")),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Problem::new(path.display(), format!("cannot be read: {error}"))),
    }
}

/// The variables of this process.
pub(crate) fn environment() -> BTreeMap<String, String> {
    std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?))).collect()
}

/// Keeps what was right, as a whole or not at all.
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
    // Without it a broken file means what is built in; that is no reason not to serve.
    let _: io::Result<()> = write();
}
