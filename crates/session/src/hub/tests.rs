use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cotty_protocol::ApiError;
use cotty_pty::wire::{self, Body, Channel, Fields, Frame};
use cotty_pty::{Event, Link};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use tokio::runtime::Runtime;

use super::front::Front;
use super::{Create, Gone, Hub, HubBlob, HubOptions, Purpose, TerminalOptions};
use crate::fixture::fixture;
use crate::{
    Actor, ActorKind, Input, Origin, Paste, RecordingLimits, Retention, Session, SessionError, Typist, View,
    Wait,
};

/// A keeper without processes: the test acts as every child, at the other end of its terminal.
#[derive(Clone, Default)]
struct Keeper {
    held: Arc<Mutex<BTreeMap<Vec<u8>, Held>>>,
    /// How many blobs it was sent.
    blobs: Arc<AtomicUsize>,
    /// Whether it refuses descriptors.
    is_full: Arc<AtomicBool>,
}

#[derive(Default)]
struct Held {
    slave: Option<OwnedFd>,
    slots: BTreeMap<u8, OwnedFd>,
    blob: Vec<u8>,
}

impl Keeper {
    fn link(&self) -> Link {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        let keeper = self.clone();
        std::thread::spawn(move || keeper.serve(Channel::new(theirs.into()).unwrap()));
        Link::connect(ours.into()).unwrap().0
    }

    fn serve(self, mut channel: Channel) {
        loop {
            let mut flags = PollFlags::IN;
            flags.set(PollFlags::OUT, channel.wants_write());
            poll(&mut [PollFd::new(&channel, flags)], None).unwrap();
            if !channel.fill().unwrap_or(false) {
                return;
            }
            while let Ok(Some(frame)) = channel.next_frame() {
                let (kind, id) = (frame.kind, frame.id);
                channel.queue(match self.answer(frame) {
                    Ok((body, fds)) => Frame::new(kind, id, body).with_fds(fds),
                    Err(e) => Frame::new(wire::ERROR, id, Body::new().i32(e.raw_os_error())),
                });
            }
            let _ = channel.flush();
        }
    }

    fn answer(&self, frame: Frame) -> Result<(Body, Vec<OwnedFd>), Errno> {
        let mut fields = Fields::new(&frame.body);
        let mut entries = self.held.lock().unwrap();
        match frame.kind {
            wire::HELLO => Ok((Body::new().u32(wire::VERSION).u64(7).u32(0), Vec::new())),
            wire::SPAWN => {
                let (key, blob, slots) = (fields.bytes()?, fields.bytes()?, fields.bytes()?);
                // Reads the spec and closes the socket, as a child does when exec succeeds.
                let mut fds = frame.fds.into_iter();
                let mut stdin = File::from(fds.next().ok_or(Errno::BADMSG)?);
                let mut len = [0; 4];
                stdin.read_exact(&mut len).unwrap();
                stdin.read_exact(&mut vec![0; u32::from_le_bytes(len) as usize]).unwrap();
                let held = Held {
                    slave: fds.next(),
                    slots: slots.iter().copied().zip(fds).collect(),
                    blob: blob.to_vec(),
                };
                entries.insert(key.to_vec(), held);
                Ok((Body::new().u32(std::process::id()), Vec::new()))
            }
            wire::LIST => {
                let body = entries.iter().fold(Body::new().u32(entries.len() as u32), |body, (key, held)| {
                    let slots: Vec<u8> = held.slots.keys().copied().collect();
                    body.bytes(key).u32(std::process::id()).u8(0).i32(0).bytes(&slots).bytes(&held.blob)
                });
                Ok((body, Vec::new()))
            }
            wire::TAKE => {
                let held = entries.get(fields.bytes()?).ok_or(Errno::NOENT)?;
                let slots: Vec<u8> = held.slots.keys().copied().collect();
                let fds = held.slots.values().map(|fd| fd.try_clone().unwrap()).collect();
                Ok((Body::new().bytes(&slots), fds))
            }
            wire::PUT if self.is_full.load(Ordering::SeqCst) => Err(Errno::MFILE),
            wire::PUT => {
                let (key, slot) = (fields.bytes()?.to_vec(), fields.u8()?);
                entries.entry(key).or_default().slots.extend(frame.fds.into_iter().map(|fd| (slot, fd)));
                Ok((Body::new(), Vec::new()))
            }
            wire::BLOB => {
                let (key, blob) = (fields.bytes()?.to_vec(), fields.bytes()?.to_vec());
                entries.entry(key).or_default().blob = blob;
                self.blobs.fetch_add(1, Ordering::SeqCst);
                Ok((Body::new(), Vec::new()))
            }
            wire::FORGET => Ok((Body::new(), Vec::new())),
            _ => Err(Errno::NOSYS),
        }
    }

    /// The child's end of a session's terminal.
    fn terminal(&self, session: &Session) -> File {
        let entries = self.held.lock().unwrap();
        let slave = entries[session.meta().id.as_bytes()].slave.as_ref().unwrap();
        File::from(slave.try_clone().unwrap())
    }
}

fn options(dir: &Path) -> HubOptions {
    HubOptions {
        runtime_dir: dir.to_owned(),
        history_file: dir.join("history"),
        max_per_owner: 2,
        max_total: 5,
        recordings_dir: dir.join("recordings"),
        live_dir: dir.join("live"),
        captures_dir: dir.join("captures"),
        recording: RecordingLimits::default(),
        retention: Retention::default(),
        agents_answer_secrets: false,
        terminal: TerminalOptions {
            history_lines: 1000,
            prompt_pattern: r"\$ $".to_owned(),
            ..TerminalOptions::default()
        },
        record: true,
        open_files: None,
    }
}

async fn create(hub: &Hub, owner: &str, retry_id: &str) -> Result<Session, SessionError> {
    let create = Create { program: Some("/bin/cat".into()), cwd: Some("/".into()), ..Create::default() };
    let actor = Actor { kind: ActorKind::Agent, owner: owner.into(), client: "test".into() };
    hub.create(create, actor, &Origin::default(), retry_id).await
}

async fn shows(session: &Session, text: &str) {
    let wait = Wait { text: Some(text.into()), since: Some(0), timeout_ms: Some(30_000), ..Wait::default() };
    assert_eq!(session.wait(wait).await.unwrap().met, crate::Met::Text, "{text}");
}

async fn types(session: &Session, text: &str, retry_id: &str) {
    let input = Input::Text { text: text.into(), paste: Paste::Never };
    let agent = Typist { kind: ActorKind::Agent, who: "test".into(), name: "test".into() };
    session.send(input, &agent, Some(retry_id), None).await.unwrap();
}

fn line(terminal: &mut File) -> String {
    let mut bytes = [0; 100];
    let count = terminal.read(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes[..count]).into_owned()
}

#[tokio::test]
async fn a_task_that_panics_is_rebuilt_with_its_whole_state() {
    let (dir, keeper) = (tempfile::tempdir().unwrap(), Keeper::default());
    let hub = Hub::start(options(dir.path()), keeper.link()).await.unwrap();
    let session = create(&hub, "a", "1").await.unwrap();
    let other = create(&hub, "a", "2").await.unwrap();
    let mut terminal = keeper.terminal(&session);
    terminal.write_all(b"before\r\n").unwrap();
    shows(&session, "before").await;
    types(&session, "typed\n", "once").await;
    assert_eq!(line(&mut terminal), "typed\n");

    for turn in 0..3 {
        let failed = session.panic().await.unwrap_err();
        assert!(matches!(failed, SessionError::Refused(ApiError::Broken { .. })), "{failed}");
        // The same handle still works, and the repeated input is not typed again.
        let screen = session.read(View::Screen, false, "r", "1", None, usize::MAX).await.unwrap().content;
        assert_eq!(screen.lines().next(), Some("before"));
        types(&session, "typed\n", "once").await;
        types(&session, &format!("line {turn}\n"), &format!("line {turn}")).await;
        assert_eq!(line(&mut terminal), format!("line {turn}\n"));
        terminal.write_all(format!("after {turn}\r\n").as_bytes()).unwrap();
        shows(&session, &format!("after {turn}")).await;
    }
    assert_eq!(hub.find(&session.meta().id).unwrap().meta().number, session.meta().number);
    assert!(other.info().await.unwrap().ended.is_none());
}

#[tokio::test]
async fn a_thousand_keys_of_a_person_neither_evict_a_retry_id_nor_need_a_checkpoint() {
    let (dir, keeper) = (tempfile::tempdir().unwrap(), Keeper::default());
    let hub = Hub::start(options(dir.path()), keeper.link()).await.unwrap();
    let session = create(&hub, "a", "1").await.unwrap();
    let mut terminal = keeper.terminal(&session);
    types(&session, "typed\n", "once").await;
    assert_eq!(line(&mut terminal), "typed\n");
    let person = Typist { kind: ActorKind::Person, who: "view:1".into(), name: "attach".into() };
    for _ in 0..1000 {
        let key = Input::Text { text: "x\n".into(), paste: Paste::Never };
        session.send(key, &person, None, None).await.unwrap();
        assert_eq!(line(&mut terminal), "x\n");
    }
    assert!(!session.info().await.unwrap().checkpointed);
    session.panic().await.unwrap_err();
    // The retry id is still known, and the next key continues the count after the thousand.
    types(&session, "typed\n", "once").await;
    let key = Input::Text { text: "last\n".into(), paste: Paste::Never };
    session.send(key, &person, None, None).await.unwrap();
    assert_eq!(line(&mut terminal), "last\n");
}

/// Everything that the keeper holds for a session.
fn memory_of(held: &Held) -> Vec<u8> {
    let read = |fd: &OwnedFd| {
        let mut bytes = vec![0; usize::try_from(rustix::fs::fstat(fd).unwrap().st_size).unwrap()];
        let got = rustix::io::pread(fd, &mut bytes, 0).unwrap_or(0);
        bytes.truncate(got);
        bytes
    };
    held.slots.values().flat_map(read).chain(held.blob.iter().copied()).collect()
}

#[tokio::test]
async fn a_typed_secret_is_neither_in_the_keepers_memory_nor_can_its_keys_be_computed() {
    let (dir, keeper) = (tempfile::tempdir().unwrap(), Keeper::default());
    let hub = Hub::start(options(dir.path()), keeper.link()).await.unwrap();
    let session = create(&hub, "a", "1").await.unwrap();
    let mut terminal = keeper.terminal(&session);
    let mut modes = rustix::termios::tcgetattr(&terminal).unwrap();
    modes.local_modes.remove(rustix::termios::LocalModes::ECHO);
    rustix::termios::tcsetattr(&terminal, rustix::termios::OptionalActions::Now, &modes).unwrap();
    let person = Typist { kind: ActorKind::Person, who: "view:1".into(), name: "attach".into() };
    for key in ["Q", "w", "7", "%", "whole-Line~3\n"] {
        let input = Input::Text { text: key.into(), paste: Paste::Never };
        session.send(input, &person, None, None).await.unwrap();
    }
    assert_eq!(line(&mut terminal), "Qw7%whole-Line~3\n");
    let memory = memory_of(&keeper.held.lock().unwrap()[session.meta().id.as_bytes()]);
    let has = |part: &[u8]| memory.windows(part.len()).any(|window| window == part);
    assert!(has(b"view:1"), "the record of the input is there");
    assert!(!has(b"Qw7%") && !has(b"whole-Line~3"));
    for key in ["Q", "w", "7", "%", "whole-Line~3"] {
        // In CBOR numbers are big-endian.
        assert!(!has(&cotty_vt::hash(key.as_bytes()).to_be_bytes()), "{key}");
    }
}

#[tokio::test]
async fn a_checkpoint_that_failed_does_not_count_and_costs_only_the_oldest_output() {
    let (dir, keeper) = (tempfile::tempdir().unwrap(), Keeper::default());
    let hub = Hub::start(options(dir.path()), keeper.link()).await.unwrap();
    let session = create(&hub, "a", "1").await.unwrap();
    keeper.is_full.store(true, Ordering::SeqCst);
    let mut terminal = keeper.terminal(&session);
    types(&session, "typed\n", "once").await;
    assert_eq!(line(&mut terminal), "typed\n");
    let text: String = (0..300_000).map(|n| format!("line {n}\n")).collect();
    let mut writes = keeper.terminal(&session);
    tokio::task::spawn_blocking(move || writes.write_all(text.as_bytes()).unwrap()).await.unwrap();
    shows(&session, "line 299999").await;
    assert!(!session.info().await.unwrap().checkpointed);
    session.panic().await.unwrap_err();
    let info = session.info().await.unwrap();
    assert!(info.lost.is_some_and(|lost| lost.what[0].starts_with("some output")));
    shows(&session, "line 299999").await;
    // The retry id is in a record that was not overwritten.
    types(&session, "typed\n", "once").await;
    types(&session, "more\n", "twice").await;
    assert_eq!(line(&mut terminal), "more\n");
    keeper.is_full.store(false, Ordering::SeqCst);
    let text: String = (0..200_000).map(|n| format!("later {n}\n")).collect();
    tokio::task::spawn_blocking(move || terminal.write_all(text.as_bytes()).unwrap()).await.unwrap();
    shows(&session, "later 199999").await;
    assert!(session.info().await.unwrap().checkpointed);
}

#[tokio::test]
async fn limits_count_live_sessions_only() {
    let (dir, keeper) = (tempfile::tempdir().unwrap(), Keeper::default());
    let hub = Hub::start(options(dir.path()), keeper.link()).await.unwrap();
    let exits = async |session: &Session| {
        let key = session.meta().id.clone().into_bytes();
        hub.handle_keeper_event(&Event::Exited { key, status: 0 }).await;
    };
    let first = create(&hub, "a", "1").await.unwrap();
    create(&hub, "a", "2").await.unwrap();
    let refused = create(&hub, "a", "3").await.unwrap_err();
    let SessionError::Refused(ApiError::MaxSessions { limit: 2, idle }) = refused else {
        panic!("{refused}")
    };
    assert_eq!(idle.len(), 2);
    exits(&first).await;
    create(&hub, "a", "3").await.unwrap();
    assert_eq!(hub.count(), (2, 1));
    for retry_id in ["4", "5", "6"] {
        create(&hub, retry_id, retry_id).await.unwrap();
    }
    let refused = create(&hub, "b", "7").await.unwrap_err();
    assert!(matches!(refused, SessionError::Refused(ApiError::MaxSessions { limit: 5, .. })), "{refused}");
    // A repeated request creates no session.
    assert_eq!(create(&hub, "a", "1").await.unwrap().meta().id, first.meta().id);
    assert_eq!(hub.list().await.len(), 6);
}

#[test]
fn adopted_terminals_are_read_at_once_and_rebuilt_on_the_first_request() {
    let (dir, keeper) = (tempfile::tempdir().unwrap(), Keeper::default());
    let first = Runtime::new().unwrap();
    let sessions = first.block_on(async {
        let hub = Hub::start(options(dir.path()), keeper.link()).await.unwrap();
        [create(&hub, "a", "1").await.unwrap(), create(&hub, "b", "2").await.unwrap()]
    });
    // As if the daemon were killed: none of its tasks runs any more.
    first.shutdown_timeout(Duration::from_secs(10));

    Runtime::new().unwrap().block_on(async {
        let hub = Hub::start(options(dir.path()), keeper.link()).await.unwrap();
        let _turn = hub.inner.turn.acquire().await.unwrap();
        assert_eq!(hub.count(), (2, 0));
        for (at, session) in sessions.iter().enumerate() {
            let mut terminal = keeper.terminal(session);
            // Far more than a terminal buffers: the write ends only if the daemon reads.
            let text: String = (0..20_000).map(|n| format!("{at}: {n}\n")).collect();
            let write = move || terminal.write_all(text.as_bytes()).unwrap();
            tokio::task::spawn_blocking(write).await.unwrap();
        }
        for (at, session) in sessions.iter().enumerate() {
            let session = hub.find(&session.meta().id).unwrap();
            shows(&session, &format!("{at}: 19999")).await;
            let history = session
                .read(View::Scrollback { offset: 0, limit: 500 }, false, "r", "2", None, usize::MAX)
                .await;
            let history = history.unwrap().content;
            let expected: Vec<String> = (19_477..19_977).map(|n| format!("{at}: {n}")).collect();
            assert_eq!(history.lines().collect::<Vec<_>>(), expected);
        }
    });
}

fn agent() -> Actor {
    Actor { kind: ActorKind::Agent, owner: "a".into(), client: "test".into() }
}

async fn found(hub: &Hub, reference: &str, retry_id: &str, purpose: Purpose) -> u32 {
    hub.find_for(reference, &agent(), retry_id, purpose).await.unwrap().meta().number
}

#[tokio::test]
async fn reading_sessions_writes_nothing_to_the_keeper_or_to_disk() {
    let (dir, keeper) = (tempfile::tempdir().unwrap(), Keeper::default());
    // A recording would be written at an unknown time.
    let options = HubOptions { record: false, ..options(dir.path()) };
    let hub = Hub::start(options, keeper.link()).await.unwrap();
    let files =
        || std::fs::read_dir(dir.path()).unwrap().flatten().map(|e| e.file_name()).collect::<BTreeSet<_>>();
    for retry_id in ["1", "2"] {
        create(&hub, "a", retry_id).await.unwrap();
    }
    let (blobs, there) = (keeper.blobs.load(Ordering::SeqCst), files());
    for (at, number) in [1, 2, 1, 2].into_iter().enumerate() {
        assert_eq!(found(&hub, &number.to_string(), &format!("look {at}"), Purpose::Read).await, number);
        assert_eq!(hub.show_to("active", &agent()).unwrap().meta().number, number);
    }
    // A read of the active session is stored once.
    found(&hub, "1", "one", Purpose::Read).await;
    assert_eq!((keeper.blobs.load(Ordering::SeqCst), files()), (blobs, there.clone()));
    for retry_id in ["first", "again"] {
        assert_eq!(found(&hub, "active", retry_id, Purpose::Read).await, 1);
        assert_eq!((keeper.blobs.load(Ordering::SeqCst), files()), (blobs + 1, there.clone()));
    }
    // Acting on the same session stores nothing either.
    for retry_id in ["send", "send again"] {
        assert_eq!(found(&hub, "1", retry_id, Purpose::Act).await, 1);
    }
    assert_eq!(keeper.blobs.load(Ordering::SeqCst), blobs + 1);
}

#[test]
fn a_repeated_call_means_the_same_active_session_in_the_next_daemon() {
    let (dir, keeper) = (tempfile::tempdir().unwrap(), Keeper::default());
    let first = Runtime::new().unwrap();
    first.block_on(async {
        let hub = Hub::start(options(dir.path()), keeper.link()).await.unwrap();
        for retry_id in ["1", "2"] {
            create(&hub, "a", retry_id).await.unwrap();
        }
        assert_eq!(found(&hub, "1", "send", Purpose::Act).await, 1);
        assert_eq!(found(&hub, "active", "types", Purpose::Act).await, 1);
        // A long call reads session 2 while another call types into session 1.
        assert_eq!(found(&hub, "2", "look", Purpose::Read).await, 2);
        assert_eq!(found(&hub, "active", "waits", Purpose::Read).await, 2);
        assert_eq!(found(&hub, "1", "send more", Purpose::Act).await, 1);
        assert_eq!(found(&hub, "active", "waits#1", Purpose::Act).await, 2);
        // A read that names its session by number is not stored.
        assert_eq!(found(&hub, "1", "look again", Purpose::Read).await, 1);
    });
    first.shutdown_timeout(Duration::from_secs(10));
    Runtime::new().unwrap().block_on(async {
        let hub = Hub::start(options(dir.path()), keeper.link()).await.unwrap();
        let mut meant = Vec::new();
        for retry_id in ["types", "waits", "waits#2", "new"] {
            meant.push(found(&hub, "active", retry_id, Purpose::Act).await);
        }
        assert_eq!(meant, [1, 2, 2, 2]);
    });
}

#[test]
fn hub_state_of_the_first_version_is_read() {
    let gone = |number, name| {
        let (id, retry_id) = (format!("sess_{number}"), format!("r{number}"));
        Gone { id, number, name, retry_id, exit_code: Some(4) }
    };
    let mut front = Front::default();
    for number in [5, 6] {
        front.used("claude", number);
    }
    front.means("claude", "call#2", 5);
    let gone = [gone(3, Some("build".to_owned())), gone(4, None)].into();
    let blob = HubBlob { next_number: 9, gone, daemons: 2, front };
    let bytes = fixture("hub", 1, Some(&|| serde_json::to_vec(&blob).unwrap()));
    // A renamed field would not be read.
    assert_eq!(serde_json::from_slice::<HubBlob>(&bytes).unwrap(), blob);
}

mod damage;
