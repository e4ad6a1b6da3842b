use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::ClientError;

/// Longest path of a Unix socket.
const SOCKET_PATH: usize = 107;

/// The directories of one user. `COTTY_HOME` moves all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    runtime: PathBuf,
    state: PathBuf,
    config: PathBuf,
}

impl Home {
    /// Finds or creates the directories, and checks that no other user can access them.
    pub fn open() -> Result<Home, ClientError> {
        let home = Home::locate(|name| std::env::var(name).ok().filter(|v| !v.is_empty()))?;
        let socket = home.socket();
        if socket.as_os_str().len() > SOCKET_PATH {
            let message = format!(
                "the socket's path is too long ({} bytes, at most {SOCKET_PATH}): {}. Set COTTY_HOME to a shorter path",
                socket.as_os_str().len(),
                socket.display()
            );
            return Err(ClientError::Home(message));
        }
        private_directory(&home.state)?;
        private_directory(&home.runtime)?;
        Ok(home)
    }

    /// A new, temporary home with the configuration of the usual one.
    pub fn private() -> Result<Home, ClientError> {
        let name = format!("cotty-{}", &crate::call::instance()?[..10]);
        let is_short =
            |top: &PathBuf| top.as_os_str().len() + name.len() + "/run/cotty.sock".len() < SOCKET_PATH;
        let top = Some(std::env::temp_dir()).filter(is_short).unwrap_or_else(|| PathBuf::from("/tmp"));
        let state = std::path::absolute(top)?.join(name);
        // Fails if the directory exists: it would not be ours.
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
        // The host of an agent might not pass XDG_RUNTIME_DIR on, but the directory exists.
        let usual = || Some(format!("/run/user/{uid}"));
        let runtime = var("XDG_RUNTIME_DIR").or_else(usual).filter(|dir| Path::new(dir).is_dir());
        let runtime = runtime
            .map_or_else(|| PathBuf::from(format!("/tmp/cotty-{uid}")), |dir| Path::new(&dir).join("cotty"));
        Ok(Home { runtime, state, config })
    }

    /// The directory for files that do not outlive a reboot.
    pub fn runtime(&self) -> &Path {
        &self.runtime
    }

    /// The directory for files that persist.
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// The configuration file, which might not exist.
    pub fn config(&self) -> &Path {
        &self.config
    }

    /// The last valid configuration. A daemon uses it if the file is invalid.
    pub fn good_config(&self) -> PathBuf {
        self.runtime.join("config.good.toml")
    }

    /// The socket that the daemon listens on.
    pub fn socket(&self) -> PathBuf {
        self.runtime.join("cotty.sock")
    }

    /// The same in the state directory, if that is possible: the runtime directory may vanish, or be another one for the next
    /// client.
    pub fn second_socket(&self) -> Option<PathBuf> {
        let path = self.state.join(format!("cotty-{}.sock", place()));
        Some(path).filter(|path| path.as_os_str().len() <= SOCKET_PATH)
    }

    /// The sockets, in the order in which a client tries them.
    pub(crate) fn sockets(&self) -> impl Iterator<Item = PathBuf> {
        [Some(self.socket()), self.second_socket()].into_iter().flatten()
    }

    /// The locks that the keeper holds for its whole life; they contain the keeper's process id. The first one cannot vanish
    /// with the runtime directory. Clients of earlier versions know only the second.
    pub(crate) fn keeper_locks(&self) -> [PathBuf; 2] {
        [self.state.join(format!("keeper-{}.lock", place())), self.runtime.join("keeper.lock")]
    }

    /// The lock that a client holds while it starts the keeper; other clients wait for it.
    pub fn start_lock(&self) -> PathBuf {
        self.runtime.join("start.lock")
    }

    /// The directory with a file for each live session, which contains the session's name.
    pub fn live(&self) -> PathBuf {
        self.state.join(format!("live-{}", place()))
    }

    /// The names of the sessions that ended with a keeper that was killed, or with the machine. They are told once. Only while no
    /// keeper runs.
    pub(crate) fn take_lost(&self) -> Vec<String> {
        let files = std::fs::read_dir(self.live()).into_iter().flatten().flatten();
        let mut lost: Vec<String> = files
            .filter_map(|file| {
                let id = file.file_name().into_string().ok()?;
                let name = std::fs::read_to_string(file.path()).ok().filter(|name| !name.is_empty());
                let _ = std::fs::remove_file(file.path());
                Some(name.map_or_else(|| id.clone(), |name| format!("{name} ({id})")))
            })
            .collect();
        lost.sort();
        lost
    }

    /// The log of a background daemon.
    pub fn log(&self) -> PathBuf {
        self.state.join("cotty.log")
    }
}

/// This machine and its space of process ids, as part of a file's name: several machines and containers may share a state
/// directory, and each has its own keeper.
fn place() -> String {
    let machine = std::fs::read_to_string("/etc/machine-id").unwrap_or_default();
    let machine: String = machine.chars().take(8).filter(char::is_ascii_alphanumeric).collect();
    let space = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let space: String = space.to_string_lossy().chars().filter(char::is_ascii_digit).collect();
    format!("{machine}{}{space}", if machine.is_empty() { "" } else { "-" })
}

/// Creates a directory that only this user can enter. Refuses a link, a directory of another user, or one open to others.
fn private_directory(path: &Path) -> Result<(), ClientError> {
    let refused = |why: &str| Err(ClientError::Home(format!("{} {why}", path.display())));
    match std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path) {
        Err(e) if e.kind() != io::ErrorKind::AlreadyExists => {
            return refused(&format!("cannot be created: {e}"));
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
        return refused("can be entered by other users: run `chmod 700` on it");
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
    fn without_cotty_home_the_xdg_directories_are_used() {
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
