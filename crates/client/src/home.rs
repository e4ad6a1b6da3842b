use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::ClientError;

/// Longest path that a Unix socket can have, with its closing NUL.
const SOCKET_PATH: usize = 107;

/// Where everything of one user lies. `COTTY_HOME` moves all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    runtime: PathBuf,
    state: PathBuf,
    config: PathBuf,
}

impl Home {
    /// Finds the directories, makes them if they are not there, and checks that nobody else has a hand in them.
    pub fn open() -> Result<Home, ClientError> {
        let home = Home::locate(|name| std::env::var(name).ok().filter(|v| !v.is_empty()))?;
        let socket = home.socket();
        if socket.as_os_str().len() > SOCKET_PATH {
            let message = format!(
                "the path of the socket is too long ({} bytes, {SOCKET_PATH} are possible): {}. Set COTTY_HOME to a shorter one",
                socket.as_os_str().len(),
                socket.display()
            );
            return Err(ClientError::Home(message));
        }
        private_directory(&home.state)?;
        private_directory(&home.runtime)?;
        Ok(home)
    }

    /// A new one that nobody else knows of, with the settings of the usual one.
    pub fn private() -> Result<Home, ClientError> {
        let name = format!("cotty-{}", &crate::call::instance()?[..10]);
        let is_short =
            |top: &PathBuf| top.as_os_str().len() + name.len() + "/run/cotty.sock".len() < SOCKET_PATH;
        let top = Some(std::env::temp_dir()).filter(is_short).unwrap_or_else(|| PathBuf::from("/tmp"));
        let state = std::path::absolute(top)?.join(name);
        // One that is there already is not ours.
        std::fs::DirBuilder::new().mode(0o700).create(&state)?;
        let home = Home { runtime: state.join("run"), config: state.join("config.toml"), state };
        private_directory(&home.runtime)?;
        let usual = Home::locate(|name| std::env::var(name).ok().filter(|v| !v.is_empty()))?;
        if usual.config.exists() {
            std::os::unix::fs::symlink(std::path::absolute(usual.config)?, &home.config)?;
        }
        Ok(home)
    }

    fn locate(var: impl Fn(&str) -> Option<String>) -> Result<Home, ClientError> {
        if let Some(home) = var("COTTY_HOME") {
            let state = std::path::absolute(home)?;
            return Ok(Home { runtime: state.join("run"), config: state.join("config.toml"), state });
        }
        let state = match (var("XDG_STATE_HOME"), var("HOME")) {
            (Some(dir), _) if dir.starts_with('/') => PathBuf::from(dir).join("cotty"),
            (_, Some(home)) => PathBuf::from(home).join(".local/state/cotty"),
            (_, None) => return Err(ClientError::Home("neither COTTY_HOME nor HOME is set".into())),
        };
        let config = match (var("XDG_CONFIG_HOME"), var("HOME")) {
            (Some(dir), _) if dir.starts_with('/') => PathBuf::from(dir),
            (_, home) => PathBuf::from(home.unwrap_or_else(|| "/".into())).join(".config"),
        };
        let config = config.join("cotty/config.toml");
        let uid = rustix::process::getuid().as_raw();
        // An agent's host may not pass the variable on; the directory is there all the same.
        let usual = || Some(format!("/run/user/{uid}"));
        let runtime = var("XDG_RUNTIME_DIR").or_else(usual).filter(|dir| Path::new(dir).is_dir());
        let runtime = runtime
            .map_or_else(|| PathBuf::from(format!("/tmp/cotty-{uid}")), |dir| Path::new(&dir).join("cotty"));
        Ok(Home { runtime, state, config })
    }

    /// For what dies with the machine.
    pub fn runtime(&self) -> &Path {
        &self.runtime
    }

    /// For what stays.
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// The configuration, which need not be there.
    pub fn config(&self) -> &Path {
        &self.config
    }

    /// The configuration that was right last: what a daemon goes on with when the file is broken.
    pub fn good_config(&self) -> PathBuf {
        self.runtime.join("config.good.toml")
    }

    /// The socket that the daemon listens on.
    pub fn socket(&self) -> PathBuf {
        self.runtime.join("cotty.sock")
    }

    /// Held by the keeper for its whole life; has its process id.
    pub fn keeper_lock(&self) -> PathBuf {
        self.runtime.join("keeper.lock")
    }

    /// Held while one client starts the keeper and others wait for it.
    pub fn start_lock(&self) -> PathBuf {
        self.runtime.join("start.lock")
    }

    /// What a background daemon has to say.
    pub fn log(&self) -> PathBuf {
        self.state.join("cotty.log")
    }
}

/// A directory that only we can enter. One that is a link, another's or open to others could be a trap.
fn private_directory(path: &Path) -> Result<(), ClientError> {
    let refused = |why: &str| Err(ClientError::Home(format!("{} {why}", path.display())));
    match std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path) {
        Err(e) if e.kind() != io::ErrorKind::AlreadyExists => {
            return refused(&format!("cannot be made: {e}"));
        }
        _ => {}
    }
    let metadata = std::fs::symlink_metadata(path)?;
    if !metadata.is_dir() {
        return refused("is not a directory");
    }
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return refused("belongs to another user");
    }
    if metadata.mode() & 0o077 != 0 {
        return refused("can be entered by others: `chmod 700` it");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn locate(vars: &[(&str, &str)]) -> Home {
        let vars: HashMap<_, _> = vars.iter().copied().collect();
        Home::locate(|name| vars.get(name).map(|v| (*v).to_owned())).unwrap()
    }

    #[test]
    fn cotty_home_moves_everything() {
        let home = locate(&[("COTTY_HOME", "/x"), ("HOME", "/home/a"), ("XDG_STATE_HOME", "/y")]);
        assert_eq!((home.state(), home.runtime()), (Path::new("/x"), Path::new("/x/run")));
        assert_eq!(home.config(), Path::new("/x/config.toml"));
    }

    #[test]
    fn without_it_the_usual_directories_are_used() {
        let home = locate(&[("HOME", "/home/a"), ("XDG_RUNTIME_DIR", "/")]);
        assert_eq!(home.state(), Path::new("/home/a/.local/state/cotty"));
        assert_eq!(home.runtime(), Path::new("/cotty"));
        assert_eq!(home.config(), Path::new("/home/a/.config/cotty/config.toml"));
        let vars = [("HOME", "/home/a"), ("XDG_STATE_HOME", "/state"), ("XDG_CONFIG_HOME", "/config")];
        let home = locate(&vars);
        assert_eq!(home.state(), Path::new("/state/cotty"));
        assert_eq!(home.config(), Path::new("/config/cotty/config.toml"));
        assert!(home.runtime().starts_with("/tmp") || home.runtime().starts_with("/run/user"));
    }
}
