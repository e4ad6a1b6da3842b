//! Damaged session state costs history, never the program.

use std::io::{BufRead, BufReader};
use std::os::fd::AsFd;

use super::*;
use crate::durable::checkpoint::slot;

/// A change to a session's state in the keeper while no daemon runs.
struct Damage {
    name: &'static str,
    does: fn(&mut Held),
    /// What is reported as lost.
    reported: &'static str,
    left: Left,
}

/// What is left of the output.
#[derive(Debug, PartialEq, Eq)]
enum Left {
    Everything,
    /// The output in the journal: 2 MiB minus the area ahead of the end.
    Newest,
    /// The output in the checkpoint, which was taken when the journal was first full: the oldest.
    Checkpoint,
    Nothing,
}

fn overwrite(held: &Held, slot: u8, at: u64, bytes: &[u8]) {
    rustix::io::pwrite(held.slots[&slot].as_fd(), bytes, at).unwrap();
}

fn garbage(held: &Held, slot: u8, from: u64) {
    let len = rustix::fs::fstat(&held.slots[&slot]).unwrap().st_size as u64;
    let bytes: Vec<u8> = (from..len.min(from + (1 << 20))).map(|at| (at % 251) as u8).collect();
    overwrite(held, slot, from, &bytes);
}

/// Changes one of the counts at the start of a checkpoint. The new number may be longer than the old one.
fn set_count(held: &mut Held, name: &str, count: u64) {
    let len = rustix::fs::fstat(&held.slots[&slot::STATE]).unwrap().st_size as usize;
    let mut bytes = vec![0; len];
    assert_eq!(rustix::io::pread(&held.slots[&slot::STATE], &mut bytes, 0).unwrap(), len);
    // In CBOR: the length of the name, the name, then the number, whose first byte says how long it is.
    let key: Vec<u8> = [&[0x60 + name.len() as u8], name.as_bytes()].concat();
    let at = bytes.windows(key.len()).position(|window| window == key).unwrap() + key.len();
    let old = match bytes[at] {
        0x18 => 2,
        0x19 => 3,
        0x1a => 5,
        0x1b => 9,
        _ => 1,
    };
    bytes.splice(at..at + old, [&[0x1b], count.to_be_bytes().as_slice()].concat());
    let changed = crate::durable::journal::memory("cotty-state", bytes.len() as u64).unwrap();
    assert_eq!(rustix::io::pwrite(&changed, &bytes, 0).unwrap(), bytes.len());
    held.slots.insert(slot::STATE, changed);
}

/// After the magic of a checkpoint.
const CHECKPOINT_VERSION: u64 = "cotty-checkpoint".len() as u64;

const DAMAGES: &[Damage] = &[
    Damage { name: "nothing", does: |_| {}, reported: "", left: Left::Everything },
    Damage {
        name: "a checkpoint of a newer version",
        does: |held| overwrite(held, slot::STATE, CHECKPOINT_VERSION, &[99]),
        reported: "the checkpoint: another version of cotty wrote it",
        left: Left::Newest,
    },
    Damage {
        name: "a checkpoint that is garbage",
        does: |held| garbage(held, slot::STATE, 0),
        reported: "the checkpoint: it is not a checkpoint",
        left: Left::Newest,
    },
    Damage {
        name: "an engine's state that is garbage",
        does: |held| garbage(held, slot::STATE, 4096),
        reported: "screen and history: ",
        left: Left::Newest,
    },
    Damage {
        name: "no checkpoint",
        does: |held| drop(held.slots.remove(&slot::STATE)),
        reported: "the checkpoint: the keeper does not have it",
        left: Left::Newest,
    },
    Damage {
        name: "a journal of another version",
        does: |held| overwrite(held, slot::JOURNAL, 0, b"cottyJ99"),
        reported: "the newest output: another version of cotty wrote it",
        left: Left::Checkpoint,
    },
    Damage {
        name: "a journal whose head is garbage",
        does: |held| garbage(held, slot::JOURNAL, 0),
        reported: "the newest output: it is damaged",
        left: Left::Checkpoint,
    },
    Damage {
        name: "a journal with impossible counts",
        does: |held| overwrite(held, slot::JOURNAL, 8, &(1_u64 << 60).to_le_bytes()),
        reported: "the newest output: it is damaged",
        left: Left::Checkpoint,
    },
    Damage {
        name: "a journal whose counts were set to nothing",
        does: |held| overwrite(held, slot::JOURNAL, 8, &[0; 48]),
        reported: "the newest output: it ends before the checkpoint",
        left: Left::Checkpoint,
    },
    Damage {
        name: "a checkpoint that covers an impossible number of records",
        does: |held| set_count(held, "index", u64::MAX),
        reported: "the checkpoint: it is damaged",
        left: Left::Newest,
    },
    Damage {
        name: "a checkpoint that covers an impossible amount of output",
        does: |held| set_count(held, "output", u64::MAX),
        reported: "the checkpoint: it is damaged",
        left: Left::Newest,
    },
    Damage {
        name: "a checkpoint with an impossible amount of input",
        does: |held| set_count(held, "input", (1 << 63) - 2),
        reported: "unread input: its count",
        left: Left::Everything,
    },
    Damage {
        name: "a journal whose records are garbage",
        does: |held| overwrite(held, slot::JOURNAL, 4096, &[0xFF; 256 * 1024]),
        reported: "records of input and reads",
        left: Left::Everything,
    },
    Damage {
        name: "neither journal nor checkpoint",
        does: |held| held.slots.retain(|&slot, _| slot == slot::MASTER || slot == slot::INPUT),
        reported: "the newest output: the keeper does not have it",
        left: Left::Nothing,
    },
    Damage {
        name: "no input queue",
        does: |held| drop(held.slots.remove(&slot::INPUT)),
        reported: "unread input: the keeper does not have it",
        left: Left::Everything,
    },
    Damage {
        name: "no metadata",
        does: |held| held.blob = b"{\"id\":".to_vec(),
        reported: "",
        left: Left::Everything,
    },
    Damage {
        name: "neither metadata nor journal",
        does: |held| {
            held.blob = b"{\"id\":".to_vec();
            held.slots.remove(&slot::JOURNAL);
        },
        reported: "session metadata: ",
        left: Left::Checkpoint,
    },
];

/// How many lines the program writes: more than the journal holds, so that there is a checkpoint.
const LINES: usize = 22_000;
/// The bytes of one line, with its end.
const LINE: usize = 109;
const JOURNAL: usize = 2 << 20;

/// A hub whose sessions keep all lines.
async fn start(dir: &Path, keeper: &Keeper) -> Hub {
    let mut options = options(dir);
    options.terminal.history_lines = 2 * LINES;
    Hub::start(options, keeper.link()).await.unwrap()
}

fn output_line(line: usize) -> String {
    format!("{line:06} {}", "-".repeat(100))
}

/// Leaves a session with a lot of output whose daemon is gone; returns its id.
fn leave_a_session(dir: &Path, keeper: &Keeper) -> String {
    let runtime = Runtime::new().unwrap();
    let id = runtime.block_on(async {
        let hub = start(dir, keeper).await;
        let session = create(&hub, "a", "1").await.unwrap();
        let mut terminal = keeper.terminal(&session);
        let text: String = (0..LINES).map(|line| output_line(line) + "\n").collect();
        let write = move || terminal.write_all(text.as_bytes()).unwrap();
        tokio::task::spawn_blocking(write).await.unwrap();
        shows(&session, &output_line(LINES - 1)).await;
        types(&session, "typed\n", "once").await;
        assert_eq!(line(&mut keeper.terminal(&session)), "typed\n");
        assert!(session.info().await.unwrap().checkpointed);
        session.meta().id.clone()
    });
    runtime.shutdown_timeout(Duration::from_secs(10));
    id
}

async fn history(session: &Session) -> Vec<String> {
    let whole = View::Whole { limit: usize::MAX };
    let read = session.read(whole, false, "r", "h", None, usize::MAX).await.unwrap();
    read.content.lines().map(str::to_owned).collect()
}

async fn check(damage: &Damage, dir: &Path, keeper: &Keeper, id: &str, retry_id: &str) {
    let name = damage.name;
    let hub = start(dir, keeper).await;
    let session = hub.find(id).unwrap_or_else(|e| panic!("{name}: {e}"));
    let lost = session.info().await.unwrap().lost;
    let reported = lost.as_ref().map_or(String::new(), |lost| lost.what.join("; "));
    let as_expected = reported.contains(damage.reported) && reported.is_empty() == damage.reported.is_empty();
    assert!(as_expected, "{name}: {reported}");
    // The program can write and read.
    let mut terminal = keeper.terminal(&session);
    terminal.write_all(b"still here\n").unwrap();
    shows(&session, "still here").await;
    types(&session, "and read\n", retry_id).await;
    assert_eq!(line(&mut terminal), "and read\n", "{name}");
    let lines = history(&session).await;
    assert!(lines.iter().any(|line| line == "still here"), "{name}");
    // The checkpoint was taken in the middle of its last line.
    let is_whole = |line: &&String| line.len() + 2 == LINE && line.ends_with("---");
    let held: Vec<&String> = lines.iter().filter(is_whole).collect();
    let expected = match damage.left {
        Left::Everything => LINES..=LINES,
        Left::Newest | Left::Checkpoint => (JOURNAL - JOURNAL / 32) / LINE..=JOURNAL / LINE,
        Left::Nothing => 0..=0,
    };
    let (count, first) = (held.len(), if damage.left == Left::Newest { LINES - held.len() } else { 0 });
    assert!(expected.contains(&count), "{name}: {count} lines are left");
    assert!(held.into_iter().eq(&(first..first + count).map(output_line).collect::<Vec<_>>()), "{name}");
}

#[test]
fn damaged_state_costs_history_and_never_the_program() {
    for damage in DAMAGES {
        let (dir, keeper) = (tempfile::tempdir().unwrap(), Keeper::default());
        let id = leave_a_session(dir.path(), &keeper);
        (damage.does)(keeper.held.lock().unwrap().get_mut(id.as_bytes()).unwrap());
        // The next daemon repairs the state; the one after it finds the repaired state.
        for retry_id in ["second", "third"] {
            let runtime = Runtime::new().unwrap();
            runtime.block_on(check(damage, dir.path(), &keeper, &id, retry_id));
            runtime.shutdown_timeout(Duration::from_secs(10));
        }
    }
}

/// Asks as a shell does whether a line may run; returns the answer.
fn ask(dir: &Path, keeper: &Keeper, session: &Session, nonce: &str, id: u32) -> String {
    let hook = dir.join("hooks").join(&session.meta().id);
    let answers = BufReader::new(File::open(hook).unwrap());
    write!(keeper.terminal(session), "\x1b]633;E;echo hi;{nonce};{id}\x07").unwrap();
    // A daemon that adopts the session repeats the last answer.
    let is_ours = |line: &String| line.starts_with(&format!("{id} "));
    answers.lines().map(Result::unwrap).find(is_ours).unwrap()
}

#[test]
fn a_shell_whose_metadata_is_damaged_gets_answers_and_keeps_its_owner() {
    type Does = fn(&mut Held);
    let damages: [(&str, Does); 3] = [
        ("nothing", |_| {}),
        ("no metadata", |held| held.blob.clear()),
        ("no metadata, and a journal of another version", |held| {
            held.blob = b"not ours".to_vec();
            overwrite(held, slot::JOURNAL, 0, b"cottyJ99");
        }),
    ];
    let (dir, keeper) = (tempfile::tempdir().unwrap(), Keeper::default());
    let runtime = Runtime::new().unwrap();
    let made = runtime.block_on(async {
        let hub = Hub::start(options(dir.path()), keeper.link()).await.unwrap();
        create(&hub, "a", "another").await.unwrap();
        let program = Some("/bin/bash".into());
        let bash = Create { program, name: Some("build".into()), cwd: Some("/".into()), ..Create::default() };
        let session = hub.create(bash, agent(), &Origin::default(), "bash").await.unwrap();
        session.meta().clone()
    });
    runtime.shutdown_timeout(Duration::from_secs(10));
    let nonce = made.nonce.clone().unwrap();
    // Each damage is followed by a daemon without new damage, which must find the repaired state.
    for (turn, (name, does)) in (0..).zip(damages.iter().flat_map(|damage| [damage, &damages[0]])) {
        does(keeper.held.lock().unwrap().get_mut(made.id.as_bytes()).unwrap());
        let runtime = Runtime::new().unwrap();
        runtime.block_on(async {
            let hub = Hub::start(options(dir.path()), keeper.link()).await.unwrap();
            let retry_id = format!("look {turn}");
            let session = hub.find_for("build", &agent(), &retry_id, Purpose::Read).await;
            let session = session.unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(*session.meta(), made, "{name}");
            session.info().await.unwrap();
            let (dir, keeper, nonce) = (dir.path().to_owned(), keeper.clone(), nonce.clone());
            let answer = move || ask(&dir, &keeper, &session, &nonce, turn);
            let answer = tokio::task::spawn_blocking(answer).await.unwrap();
            assert_eq!(answer, format!("{turn} allow"), "{name}");
        });
        runtime.shutdown_timeout(Duration::from_secs(10));
    }
}
