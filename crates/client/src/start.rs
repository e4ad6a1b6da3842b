//! Starts the keeper in the background: once, even if several clients need it at the same moment.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::FlockOperation;

use crate::guard::Lifeline;
use crate::{ClientError, Home, environment};

/// How long a running daemon may take to make its socket again.
const RESTORED: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(20);
/// The longest reason that a keeper gives.
const LONGEST_REASON: u64 = 4096;

/// Connects. If nothing listens, starts the keeper first. The start lock lets one client do this while others wait; they
/// connect again under the lock and find the started keeper.
/// `on_lost` gets the names of sessions that ended with a killed keeper.
pub(crate) fn connect_or_start(
    home: &Home,
    lifeline: Option<&Lifeline>,
    on_lost: fn(&[String]),
) -> Result<UnixStream, ClientError> {
    if let Ok(stream) = connect(home) {
        return Ok(stream);
    }
    let lock = open_lock(&home.start_lock())?;
    rustix::fs::flock(&lock, FlockOperation::LockExclusive).map_err(std::io::Error::from)?;
    let until = Instant::now() + RESTORED;
    loop {
        if let Ok(stream) = connect(home) {
            return Ok(stream);
        }
        // Its daemon makes a socket that vanished again.
        match keeper_pid(home) {
            None => break,
            Some(_) if Instant::now() > until => return Err(ClientError::Hangs),
            Some(_) => std::thread::sleep(POLL),
        }
    }
    let lost = home.take_lost();
    if !lost.is_empty() {
        on_lost(&lost);
    }
    start(home, lifeline)?;
    connect(home).map_err(|e| ClientError::NotStarted(e.to_string()))
}

/// Connects to the first socket that answers.
fn connect(home: &Home) -> std::io::Result<UnixStream> {
    let mut failed = std::io::ErrorKind::NotFound.into();
    for socket in home.sockets() {
        match UnixStream::connect(socket) {
            Ok(stream) => return Ok(stream),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

fn start(home: &Home, lifeline: Option<&Lifeline>) -> Result<(), ClientError> {
    let before = std::fs::metadata(home.log()).map_or(0, |m| m.len());
    let mut launcher = Command::new(std::env::current_exe()?);
    launcher.arg("__launch").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    if let Some(lifeline) = lifeline {
        lifeline.hold(&mut launcher, home)?;
    }
    let mut launcher = launcher.spawn()?;
    let mut said = Vec::new();
    if let Some(pipe) = launcher.stdout.take() {
        let mut first = [0];
        let mut pipe = pipe.take(LONGEST_REASON);
        // A keeper whose daemon is ready keeps no end of the pipe, but one that fails writes why.
        if pipe.read(&mut first)? == 1 && first != *b"+" {
            pipe.read_to_end(&mut said)?;
        } else {
            said.extend(first);
        }
    }
    let _ = launcher.wait();
    match said.as_slice() {
        b"+" => Ok(()),
        b"" | b"\0" => Err(ClientError::NotStarted(reason(home, before))),
        why => Err(ClientError::NotStarted(String::from_utf8_lossy(why).trim().to_owned())),
    }
}

/// The log lines that the daemon wrote before it ended.
fn reason(home: &Home, before: u64) -> String {
    let mut lines = String::new();
    if let Ok(mut log) = File::open(home.log()) {
        // A log that was rotated is shorter than before.
        let len = log.metadata().map_or(0, |m| m.len());
        let _ = log.seek(SeekFrom::Start(if len < before { 0 } else { before }));
        let _ = log.take(4096).read_to_string(&mut lines);
    }
    match lines.trim() {
        "" => format!("its log ({}) has no reason", home.log().display()),
        lines => lines.to_owned(),
    }
}

/// `cotty __launch`: starts the keeper and exits, so that the keeper is not in the process tree of the caller. Hosts of
/// agents kill whole process trees.
pub fn launch(home: &Home, guarded: bool) -> Result<(), ClientError> {
    let _ = rustix::process::setsid();
    // A full or read-only disk must not keep cotty from starting.
    let log = OpenOptions::new().create(true).append(true).mode(0o600).open(home.log());
    let log = log.or_else(|_| OpenOptions::new().write(true).open("/dev/null"))?;
    let mut keeper = Command::new(std::env::current_exe()?);
    match guarded {
        true => keeper.arg("__guard"),
        false => keeper.arg("__keeper").stdin(Stdio::null()),
    };
    keeper.env_clear().envs(environment::needed()).stderr(log).spawn()?;
    Ok(())
}

/// Takes the locks that allow one keeper per home, and writes this process id into them.
pub fn lock_keeper(home: &Home) -> Result<Vec<OwnedFd>, ClientError> {
    let [first, second] = home.keeper_locks();
    let second = take_lock(home, &second)?;
    match take_lock(home, &first) {
        // On a read-only disk the second one alone must do.
        Err(ClientError::Io(_)) => Ok(vec![second]),
        first => Ok(vec![first?, second]),
    }
}

fn take_lock(home: &Home, path: &Path) -> Result<OwnedFd, ClientError> {
    let mut lock = open_lock(path)?;
    let taken = || rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok();
    // `keeper_pid` in another process holds the lock for a moment.
    if !(0..20).any(|_| {
        taken() || {
            std::thread::sleep(Duration::from_millis(5));
            false
        }
    }) {
        let pid = keeper_pid(home).map_or_else(|| "starting".to_owned(), |pid| format!("process {pid}"));
        return Err(ClientError::AlreadyRunning(pid));
    }
    // On a full disk the lock alone must do.
    let _ = lock.set_len(0).and_then(|()| write!(lock, "{}", std::process::id()));
    Ok(lock.into())
}

/// The process id of the running keeper.
pub fn keeper_pid(home: &Home) -> Option<u32> {
    home.keeper_locks().iter().find_map(|path| {
        let mut lock = File::open(path).ok()?;
        // If we get the lock, no keeper holds it.
        if rustix::fs::flock(&lock, FlockOperation::NonBlockingLockShared).is_ok() {
            return None;
        }
        let mut text = String::new();
        lock.read_to_string(&mut text).ok()?;
        text.trim().parse().ok()
    })
}

fn open_lock(path: &Path) -> Result<File, ClientError> {
    Ok(OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)?)
}
