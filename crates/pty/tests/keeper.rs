//! Tests of the keeper as a separate process: its protocol byte for byte, dying daemons, signals.
//!
//! This program has all roles: without arguments it is the test, with one it is a keeper, a daemon or a child.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};

use cotty_pty::keeper::Keeper;
use cotty_pty::wire::{self, Body, Channel, Fields, Frame};
use cotty_pty::{Pty, WindowSize, child};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, setrlimit};

const TRANSCRIPT: &str = include_str!("keeper_v1.transcript");

fn main() {
    let args: Vec<String> = std::env::args().collect();
    match args.get(1).map(String::as_str) {
        Some("__keeper") => keep(args.get(2).expect("the daemon's role")),
        Some("transcript") => play_transcript(),
        Some("dies") => die_three_times(),
        Some("obeys") => obey(),
        Some("never-ready") => {}
        Some("takes-its-program-away") => take_program_away(),
        Some("__child") => {
            child::run();
            std::process::exit(127);
        }
        // Other arguments come from the test harness: filters, --nocapture.
        _ => test(),
    }
}

fn test() {
    eprintln!("frames arrive even if the limit of open files drops their descriptors");
    frames_arrive_without_their_descriptors();

    eprintln!("the recorded version 1 transcript");
    assert!(run("transcript", |_| {}).0);

    eprintln!("a daemon that dies is started again, and finds what the previous one left");
    let (ok, written) = run("dies", |_| {});
    assert!(ok);
    assert_eq!(written, "+", "readiness is reported once");

    eprintln!("USR1 replaces the daemon, TERM asks it to end");
    let (ok, _) = run("obeys", |keeper| signal(keeper, Signal::USR1));
    assert!(ok);

    eprintln!("a keeper that cannot start its daemon again ends on TERM");
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("program");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let (ok, _) = run_program(&program, "takes-its-program-away", |keeper| {
        let children = format!("/proc/{keeper}/task/{keeper}/children");
        while !std::fs::read_to_string(&children).unwrap().is_empty() {
            std::thread::yield_now();
        }
        signal(keeper, Signal::TERM);
    });
    assert!(ok);

    eprintln!("a daemon that ends before it was ready is not started again");
    let (ok, written) = run("never-ready", |_| {});
    assert!(!ok);
    assert_eq!(written, "");
    eprintln!("ok");
}

fn frames_arrive_without_their_descriptors() {
    let (one, other) = UnixStream::pair().unwrap();
    let (mut here, mut there) = (Channel::new(one.into()).unwrap(), Channel::new(other.into()).unwrap());
    let null = || OwnedFd::from(File::open("/dev/null").unwrap());
    for kind in 1..=3 {
        here.queue(Frame::new(kind, 1, Body::new()).with_fds(vec![null(), null()]));
    }
    here.queue(Frame::new(4, 1, Body::new()));
    here.flush().unwrap();
    // Room for three descriptors: both of the first frame and one of the second.
    let limit = getrlimit(Resource::Nofile);
    let first_free = null().as_raw_fd().unsigned_abs();
    setrlimit(Resource::Nofile, Rlimit { current: Some(u64::from(first_free) + 3), ..limit }).unwrap();
    let filled = there.fill();
    setrlimit(Resource::Nofile, limit).unwrap();
    assert!(filled.unwrap());
    let mut got = Vec::new();
    while let Some(frame) = there.next_frame().unwrap() {
        got.push((frame.kind, frame.fds.len(), frame.cut));
    }
    assert_eq!(got, [(1, 2, false), (2, 1, true), (3, 0, true), (4, 0, false)]);
}

fn signal(pid: u32, signal: Signal) {
    rustix::process::kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), signal).unwrap();
}

/// Runs a keeper whose daemon has the role `part`; returns whether it succeeded, and what it wrote to its readiness pipe.
fn run(part: &str, once_ready: impl Fn(u32)) -> (bool, String) {
    run_program(&std::env::current_exe().unwrap(), part, once_ready)
}

fn run_program(program: &Path, part: &str, once_ready: impl Fn(u32)) -> (bool, String) {
    let mut keeper = Command::new(program).args(["__keeper", part]).stdout(Stdio::piped()).spawn().unwrap();
    let mut ready = keeper.stdout.take().unwrap();
    let mut first = [0];
    let mut written = String::new();
    if ready.read(&mut first).unwrap() == 1 {
        written.push(char::from(first[0]));
        once_ready(keeper.id());
    }
    ready.read_to_string(&mut written).unwrap();
    (keeper.wait().unwrap().success(), written)
}

fn keep(part: &str) {
    let ready = rustix::stdio::stdout().as_fd().try_clone_to_owned().unwrap();
    let null = File::options().write(true).open("/dev/null").unwrap();
    rustix::stdio::dup2_stdout(&null).unwrap();
    let keeper = Keeper {
        exe: std::env::current_exe().unwrap(),
        daemon_args: vec![OsString::from(part)],
        ready: Some(ready),
        lock: null.into(),
    };
    let was_ready = keeper.run().unwrap();
    std::process::exit(i32::from(!was_ready));
}

fn play_transcript() {
    let keeper = UnixStream::from(rustix::stdio::stdin().as_fd().try_clone_to_owned().unwrap());
    let mut kept = Vec::new();
    for line in TRANSCRIPT.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (direction, rest) = line.split_once(' ').unwrap();
        let (fds, hex) = rest.split_once(' ').unwrap();
        let (fds, hex): (usize, String) = (fds.parse().unwrap(), hex.split(' ').collect());
        match direction {
            ">" => send(&keeper, &bytes(&hex), descriptors(fds, &mut kept)),
            _ => expect(&keeper, &hex, fds, line),
        }
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

/// The descriptors of the transcript's frames: one for a slot, or a child's stdin and terminal and two for slots.
fn descriptors(count: usize, kept: &mut Vec<OwnedFd>) -> Vec<OwnedFd> {
    let null = || OwnedFd::from(File::open("/dev/null").unwrap());
    match count {
        4 => {
            let (pty, slave) = Pty::open(WindowSize { cols: 80, rows: 24 }).unwrap();
            let (mut ours, theirs) = UnixStream::pair().unwrap();
            let spec = child::Spec {
                program: b"/bin/sh".into(),
                args: vec![b"-c".to_vec().into(), b"exit 7".to_vec().into()],
                env: vec![(b"PATH".to_vec().into(), b"/usr/bin:/bin".to_vec().into())],
                cwd: b"/".into(),
                open_files: None,
            };
            ours.write_all(&child::encode(&spec).unwrap()).unwrap();
            kept.extend([pty.duplicate().unwrap(), ours.into()]);
            vec![theirs.into(), slave, null(), null()]
        }
        count => (0..count).map(|_| null()).collect(),
    }
}

/// Does not use `Channel`: the test pins the bytes, and a change of `Channel` would affect both sides.
fn send(keeper: &UnixStream, bytes: &[u8], fds: Vec<OwnedFd>) {
    use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let borrowed: Vec<_> = fds.iter().map(AsFd::as_fd).collect();
    if !borrowed.is_empty() {
        assert!(ancillary.push(SendAncillaryMessage::ScmRights(&borrowed)));
    }
    let sent = sendmsg(keeper, &[std::io::IoSlice::new(bytes)], &mut ancillary, SendFlags::empty()).unwrap();
    assert_eq!(sent, bytes.len());
}

fn expect(keeper: &UnixStream, hex: &str, fds: usize, line: &str) {
    use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
    let mut got = vec![0; hex.len() / 2];
    let (mut read, mut received) = (0, 0);
    while read < got.len() {
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut slice = [std::io::IoSliceMut::new(&mut got[read..])];
        let message = recvmsg(keeper, &mut slice, &mut ancillary, RecvFlags::empty()).unwrap();
        assert_ne!(message.bytes, 0, "the keeper went away at {line}");
        read += message.bytes;
        for control in ancillary.drain() {
            if let RecvAncillaryMessage::ScmRights(fds) = control {
                received += fds.count();
            }
        }
    }
    let got: String = got.iter().map(|b| format!("{b:02x}")).collect();
    let same = hex.chars().zip(got.chars()).all(|(want, got)| want == '.' || want == got);
    assert!(same && received == fds, "expected {line}\n     got {received} {got}");
}

/// One request and its answer.
fn ask(channel: &mut Channel, kind: u8, body: Body, fds: Vec<OwnedFd>) -> Frame {
    channel.queue(Frame::new(kind, 1, body).with_fds(fds));
    channel.flush().unwrap();
    next(channel)
}

fn next(channel: &mut Channel) -> Frame {
    loop {
        if let Some(frame) = channel.next_frame().unwrap() {
            return frame;
        }
        poll(&mut [PollFd::new(channel, PollFlags::IN)], None).unwrap();
        assert!(channel.fill().unwrap(), "the keeper went away");
    }
}

fn connect() -> Channel {
    Channel::new(rustix::stdio::stdin().as_fd().try_clone_to_owned().unwrap()).unwrap()
}

/// Counts its lives in a blob, and reads one byte per life from a pipe that the keeper holds.
fn die_three_times() {
    let mut channel = connect();
    let listed = ask(&mut channel, wire::LIST, Body::new(), Vec::new());
    let lives = match Fields::new(&listed.body).u32().unwrap() {
        0 => 0,
        _ => listed.body[listed.body.len() - 1],
    };
    ask(&mut channel, wire::BLOB, Body::new().bytes(b"lives").bytes(&[lives + 1]), Vec::new());
    if lives == 0 {
        let (read, write) = std::io::pipe().unwrap();
        ask(&mut channel, wire::PUT, Body::new().bytes(b"lives").u8(0), vec![read.into()]);
        (&write).write_all(b"abc").unwrap();
    }
    ask(&mut channel, wire::READY, Body::new(), Vec::new());
    let taken = ask(&mut channel, wire::TAKE, Body::new().bytes(b"lives"), Vec::new());
    let mut byte = [0];
    File::from(taken.fds.into_iter().next().unwrap()).read_exact(&mut byte).unwrap();
    assert_eq!(byte[0], b'a' + lives, "a daemon does not read again what an earlier one read");
    if lives < 2 {
        let me = rustix::process::getpid();
        rustix::process::kill_process(me, Signal::KILL).unwrap();
    }
    ask(&mut channel, wire::STOP, Body::new(), Vec::new());
}

/// Deletes its program, becomes ready, and dies.
fn take_program_away() {
    let mut channel = connect();
    std::fs::remove_file(std::env::current_exe().unwrap()).unwrap();
    ask(&mut channel, wire::READY, Body::new(), Vec::new());
    rustix::process::kill_process(rustix::process::getpid(), Signal::KILL).unwrap();
}

/// In its first life the keeper kills it; in its second the keeper asks it to end.
fn obey() {
    let mut channel = connect();
    let listed = ask(&mut channel, wire::LIST, Body::new(), Vec::new());
    let first = Fields::new(&listed.body).u32().unwrap() == 0;
    ask(&mut channel, wire::BLOB, Body::new().bytes(b"second").bytes(b""), Vec::new());
    let hello = ask(&mut channel, wire::HELLO, Body::new().u32(1), Vec::new());
    let mut fields = Fields::new(&hello.body);
    let (_, _, keeper) = (fields.u32().unwrap(), fields.u64().unwrap(), fields.u32().unwrap());
    ask(&mut channel, wire::READY, Body::new(), Vec::new());
    if first {
        // It hangs until the keeper, on USR1, kills it.
        next(&mut channel);
        unreachable!("the keeper must not send anything");
    }
    signal(keeper, Signal::TERM);
    assert_eq!(next(&mut channel).kind, wire::SHUTDOWN);
}
