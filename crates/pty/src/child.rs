//! `cotty __child`: becomes the program of a session.
//!
//! The keeper starts it with a socket as stdin and the PTY's slave as stdout and stderr. The daemon writes a [`Spec`]
//! into the other end of that socket before it asks for the child, so the child starts even if the daemon dies. It
//! makes the slave its controlling terminal and execs. The socket closes by itself when exec succeeds; otherwise the
//! child writes the reason into it.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Arc;

use rustix::process::{Resource, Rlimit};
use serde::{Deserialize, Serialize};
pub use serde_bytes::ByteBuf;
use signal_hook::consts::{
    SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2, SIGWINCH,
};

/// What the child must become. Bytes, not text: file names need not be UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    /// The program, as an absolute path.
    #[serde(with = "serde_bytes")]
    pub program: Vec<u8>,
    /// Its arguments, without the program's name.
    pub args: Vec<ByteBuf>,
    /// Its whole environment.
    pub env: Vec<(ByteBuf, ByteBuf)>,
    /// Its working directory.
    #[serde(with = "serde_bytes")]
    pub cwd: Vec<u8>,
    /// The soft limit of open files for the program; cotty's own is higher.
    pub open_files: Option<u64>,
}

/// The step at which a child failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// Setting the controlling terminal.
    Terminal,
    /// Entering the working directory.
    Directory,
    /// Executing the program.
    Program,
}

/// Why a child did not become its program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The step that failed.
    pub stage: Stage,
    /// The kernel's error number.
    pub errno: i32,
}

/// The frame that carries a [`Spec`] to the child.
pub fn encode(spec: &Spec) -> io::Result<Vec<u8>> {
    let body = minicbor_serde::to_vec(spec).map_err(io::Error::other)?;
    let mut bytes = u32::try_from(body.len()).map_err(io::Error::other)?.to_le_bytes().to_vec();
    bytes.extend(body);
    Ok(bytes)
}

/// Parses what a child wrote into its socket. `None`: the child became its program.
pub fn decode_failure(bytes: &[u8]) -> Option<Failure> {
    minicbor_serde::from_slice(bytes).ok()
}

/// Runs `cotty __child`; returns only if it failed.
pub fn run() -> io::Error {
    let stdin = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 10);
    let mut socket = match stdin {
        Ok(fd) => UnixStream::from(fd),
        Err(e) => return e.into(),
    };
    let Failed { stage, error } = match become_program(&mut socket) {
        Ok(never) => match never {},
        Err(failed) => failed,
    };
    let failure = Failure { stage, errno: error.raw_os_error().unwrap_or(5) };
    if let Ok(bytes) = minicbor_serde::to_vec(&failure) {
        let _ = socket.write_all(&bytes);
    }
    error
}

struct Failed {
    stage: Stage,
    error: io::Error,
}

fn at(stage: Stage) -> impl Fn(io::Error) -> Failed {
    move |error| Failed { stage, error }
}

fn become_program(socket: &mut UnixStream) -> Result<std::convert::Infallible, Failed> {
    let spec = read_spec(socket).map_err(at(Stage::Program))?;
    take_terminal().map_err(at(Stage::Terminal))?;
    let cwd = OsString::from_vec(spec.cwd);
    std::env::set_current_dir(&cwd).map_err(at(Stage::Directory))?;
    if let Some(soft) = spec.open_files {
        let now = rustix::process::getrlimit(Resource::Nofile);
        let _ = rustix::process::setrlimit(
            Resource::Nofile,
            Rlimit { current: Some(soft), maximum: now.maximum },
        );
    }
    reset_ignored_signals();
    let text = |bytes: ByteBuf| OsString::from_vec(bytes.into_vec());
    let error = Command::new(OsString::from_vec(spec.program))
        .args(spec.args.into_iter().map(text))
        .env_clear()
        .envs(spec.env.into_iter().map(|(name, value)| (text(name), text(value))))
        .exec();
    Err(Failed { stage: Stage::Program, error })
}

/// Restores the default action of signals. If cotty was started in the background or by `nohup`, signals are ignored, and
/// exec keeps ignored signals ignored. A program must end by Ctrl-C, Ctrl-\\ and a hang-up, however cotty was started.
fn reset_ignored_signals() {
    for signal in
        [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGTSTP, SIGTTIN, SIGTTOU, SIGWINCH]
    {
        // Any handler will do, because exec resets a caught signal to its default action. The flag is not used.
        let _ = signal_hook::flag::register(signal, Arc::default());
    }
}

fn read_spec(socket: &mut UnixStream) -> io::Result<Spec> {
    let mut len = [0; 4];
    socket.read_exact(&mut len)?;
    let mut body = vec![0; u32::from_le_bytes(len) as usize];
    socket.read_exact(&mut body)?;
    minicbor_serde::from_slice(&body).map_err(io::Error::other)
}

/// Makes stdout, which is the slave, the controlling terminal and stdin of a new session.
fn take_terminal() -> io::Result<()> {
    rustix::process::setsid()?;
    let slave: OwnedFd = rustix::stdio::stdout().as_fd().try_clone_to_owned()?;
    rustix::process::ioctl_tiocsctty(&slave)?;
    rustix::stdio::dup2_stdin(&slave)?;
    Ok(())
}
