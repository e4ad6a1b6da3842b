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
use cotty_pty::tree::{self, Root};
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
        Some("never-ready") => eprintln!("the reason"),
        Some("takes-its-program-away") => take_program_away(),
        Some("hands-over-a-broken-program") => hand_over_a_broken_program(),
        Some("has-background-processes") => leave_background_processes(),
        Some("kills-its-subreaper") => kill_its_subreaper(),
        Some("loses-its-keeper") => lose_its_keeper(),
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
    let (ok, _) = run("obeys", |keeper| kill(keeper, Signal::USR1));
    assert!(ok);

    eprintln!("a daemon is started again even if its program was deleted");
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("program");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    assert!(run_program(&program, "takes-its-program-away", |_| {}).0);

    eprintln!("a program that does not become ready is given up");
    assert!(run("hands-over-a-broken-program", |_| {}).0);

    eprintln!("what a program leaves behind belongs to its session");
    assert!(run("has-background-processes", |_| {}).0);

    eprintln!("a program that kills its subreaper ends with everything it started");
    assert!(run("kills-its-subreaper", |_| {}).0);

    eprintln!("nothing of a session outlives a killed keeper");
    let members = std::cell::RefCell::new(Vec::new());
    let (ok, _) = run("loses-its-keeper", |keeper| {
        let subreaper = tree::subreaper(keeper, "sess_1", None);
        let root = Root::Subreaper { key: "sess_1".into(), pid: subreaper };
        members.replace(tree::members(keeper, &[root]).remove(0));
        kill(keeper, Signal::KILL);
    });
    assert!(!ok);
    let members = members.into_inner();
    assert!(members.len() >= 2, "a shell and what it started: {members:?}");
    members.iter().for_each(|member| wait_until_gone(member.pid.unsigned_abs()));

    eprintln!("a daemon that ends before it was ready is not started again");
    let (ok, written) = run("never-ready", |_| {});
    assert!(!ok);
    assert_eq!(written, "-the reason");
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
        foreground: false,
        locks: vec![null.into()],
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

/// In its first life deletes its program and dies; in its second ends.
fn take_program_away() {
    let mut channel = connect();
    let first = is_first_life(&mut channel);
    if first {
        std::fs::remove_file(std::env::current_exe().unwrap()).unwrap();
    }
    ask(&mut channel, wire::READY, Body::new(), Vec::new());
    end(&mut channel, first);
}

/// In its first life hands over a program that does nothing but fail, and dies; in its second finds the reason.
fn hand_over_a_broken_program() {
    let mut channel = connect();
    let first = is_first_life(&mut channel);
    ask(&mut channel, wire::READY, Body::new(), Vec::new());
    let hand_over = |channel: &mut Channel, path| {
        let program = cotty_pty::open_program(Path::new(path)).unwrap();
        ask(channel, wire::PROGRAM, Body::new(), vec![program]).kind
    };
    if first {
        assert_eq!(hand_over(&mut channel, "/etc/passwd"), wire::ERROR, "it is no program");
        assert_eq!(hand_over(&mut channel, "/bin/false"), wire::PROGRAM);
    } else {
        let listed = ask(&mut channel, wire::LIST, Body::new(), Vec::new());
        let text = String::from_utf8_lossy(&listed.body).into_owned();
        assert!(text.contains("last-words") && text.contains("exit code 1"), "{text}");
    }
    end(&mut channel, first);
}

/// The exit of a program is reported while a process that it left behind still runs, below the subreaper.
fn leave_background_processes() {
    let mut channel = connect();
    ask(&mut channel, wire::READY, Body::new(), Vec::new());
    let (program, mut out) =
        spawn(&mut channel, "setsid sh -c 'echo $$; exec sleep 1000' & wait -n 2>/dev/null; exit 3");
    let left = first_number(&mut out);
    kill(program, Signal::KILL);
    let exited = next(&mut channel);
    let mut fields = Fields::new(&exited.body);
    assert_eq!(
        (exited.kind, fields.bytes().unwrap(), fields.i32().unwrap()),
        (wire::EXITED, &b"sess_1"[..], 9)
    );
    let keeper = parent(std::process::id());
    let subreaper = parent(left);
    assert_eq!((name(subreaper).as_str(), parent(subreaper)), ("sess_1", keeper));
    assert_eq!(tree::subreaper(keeper, "sess_1", None), Some(subreaper));
    let root = Root::Subreaper { key: "sess_1".into(), pid: Some(subreaper) };
    let members = tree::members(keeper, std::slice::from_ref(&root));
    assert_eq!(members[0].iter().map(|member| member.pid.unsigned_abs()).collect::<Vec<_>>(), [left]);
    kill(left, Signal::KILL);
    wait_until_gone(subreaper);
    ask(&mut channel, wire::STOP, Body::new(), Vec::new());
}

fn kill_its_subreaper() {
    let mut channel = connect();
    ask(&mut channel, wire::READY, Body::new(), Vec::new());
    let (_, mut out) =
        spawn(&mut channel, "setsid sh -c 'echo $$; exec sleep 1000' & read line; kill -9 $PPID; sleep 1000");
    let left = first_number(&mut out);
    out.write_all(b"\n").unwrap();
    assert_eq!(next(&mut channel).kind, wire::EXITED);
    wait_until_gone(left);
    ask(&mut channel, wire::STOP, Body::new(), Vec::new());
}

/// Has a session whose processes ignore a hang-up, and waits until the test has killed the keeper.
fn lose_its_keeper() {
    let mut channel = connect();
    let (_, mut out) =
        spawn(&mut channel, "trap '' HUP; setsid sh -c 'echo $$; exec sleep 1000' & sleep 1000; :");
    first_number(&mut out);
    ask(&mut channel, wire::READY, Body::new(), Vec::new());
    poll(&mut [PollFd::new(&channel, PollFlags::IN)], None).unwrap();
}

/// Starts a shell as a session of its own; returns its process id and its terminal.
fn spawn(channel: &mut Channel, script: &str) -> (u32, File) {
    let (pty, slave) = Pty::open(WindowSize { cols: 80, rows: 24 }).unwrap();
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let spec = child::Spec {
        program: b"/bin/bash".into(),
        args: vec![b"-c".to_vec().into(), script.as_bytes().to_vec().into()],
        env: vec![(b"PATH".to_vec().into(), b"/usr/bin:/bin".to_vec().into())],
        cwd: b"/".into(),
        open_files: None,
    };
    ours.write_all(&child::encode(&spec).unwrap()).unwrap();
    let body = Body::new().bytes(b"sess_1").bytes(b"").bytes(b"\0");
    let master = pty.duplicate().unwrap();
    rustix::io::ioctl_fionbio(&master, false).unwrap();
    let kept = master.try_clone().unwrap();
    let spawned = ask(channel, wire::SPAWN, body, vec![theirs.into(), slave, kept]);
    (Fields::new(&spawned.body).u32().unwrap(), File::from(master))
}

/// The number on the first line of a terminal.
fn first_number(terminal: &mut File) -> u32 {
    let mut line = String::new();
    while !line.ends_with('\n') {
        let mut byte = [0];
        terminal.read_exact(&mut byte).unwrap();
        line.push(char::from(byte[0]));
    }
    line.trim().parse().unwrap()
}

/// Whether no daemon was there before.
fn is_first_life(channel: &mut Channel) -> bool {
    let listed = ask(channel, wire::LIST, Body::new(), Vec::new());
    let first = Fields::new(&listed.body).u32().unwrap() == 0;
    ask(channel, wire::BLOB, Body::new().bytes(b"lived").bytes(b""), Vec::new());
    first
}

/// Dies, or ends in order.
fn end(channel: &mut Channel, dies: bool) {
    if dies {
        kill(std::process::id(), Signal::KILL);
    }
    ask(channel, wire::STOP, Body::new(), Vec::new());
}

fn kill(pid: u32, signal: Signal) {
    rustix::process::kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), signal).unwrap();
}

fn stat(pid: u32) -> Option<(String, u32)> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (head, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    (!"ZX".contains(state)).then(|| (head.split_once('(').unwrap().1.to_owned(), parent))
}

fn name(pid: u32) -> String {
    stat(pid).unwrap().0
}

fn parent(pid: u32) -> u32 {
    stat(pid).unwrap().1
}

fn wait_until_gone(pid: u32) {
    while stat(pid).is_some() {
        std::thread::yield_now();
    }
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
    kill(keeper, Signal::TERM);
    assert_eq!(next(&mut channel).kind, wire::SHUTDOWN);
}
