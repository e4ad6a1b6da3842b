//! What is typed into a session: what of it is on its way, what was typed already and by which request, and what of it the
//! program may not have read. It reaches the program exactly once, whoever dies.

pub(crate) mod encode;
pub(crate) mod lease;
pub(crate) mod mouse;
pub(crate) mod notation;
pub(crate) mod reaction;
pub(crate) mod typed;
pub(crate) mod unread;

use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

use cotty_pty::{Watched, facts};
use serde::{Deserialize, Serialize};
use tokio::io::Interest;

use self::lease::{CurrentLease, LeaseRef};
use self::typed::{Echo, TypedLines};
use self::unread::Unread;
use crate::durable::journal::{InputQueue, Pushed, Signalled, Source};
use crate::handle::Typed;
use crate::output::screen::Spot;

/// Requests, and typed lines, that are remembered.
const REMEMBERED: usize = 256;
/// How long the kernel may take to hand over what was written: until then it looks as if all had been read.
const SHORTEST_HOLD: Duration = Duration::from_millis(30);
/// How long a program may take to read what it was given before it gets more.
const LONGEST_HOLD: Duration = Duration::from_secs(1);
/// What ends a paste; the Enter key after it is typed once the program has read so far, or it might take it for text.
const PASTE_END: &[u8] = b"\x1b[201~";

pub(crate) fn push_bounded<T>(queue: &mut VecDeque<T>, item: T) {
    if queue.len() == REMEMBERED {
        queue.pop_front();
    }
    queue.push_back(item);
}

/// A request that typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Remembered {
    #[serde(rename = "request")]
    retry_id: String,
    /// Output before it.
    seq: u64,
    bytes: u64,
    /// Where the cursor stood.
    spot: Spot,
}

/// What is saved of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TypedState {
    /// Requests that typed, so that a retry types nothing.
    requests: VecDeque<Remembered>,
    /// How many keys and the like of each viewer were typed; the one that typed last is the last.
    viewers: VecDeque<(String, u64)>,
    /// Signals that were sent, so that a retry sends none.
    signals: VecDeque<Signalled>,
    #[serde(flatten)]
    lines: TypedLines,
}

impl TypedState {
    /// What is still true with an engine that has not seen what this one's had: nothing that names a place in its text.
    pub(crate) fn forget_places(&mut self, spot: Spot) {
        self.requests.iter_mut().for_each(|request| request.spot = spot);
        self.lines.forget_places();
    }
}

/// What was typed, and what is on its way to the program.
#[derive(Debug)]
pub(crate) struct Typing {
    queue: InputQueue,
    state: TypedState,
    /// What of it the shell may not have read.
    unread: Unread,
    lease: CurrentLease,
    last_typed: Option<Instant>,
    /// Whether the terminal has no room for more.
    blocked: bool,
    /// Since when input waits for the program to read what it was given before.
    held_since: Option<Instant>,
}

impl Typing {
    pub(crate) fn new(queue: InputQueue) -> Typing {
        Typing {
            queue,
            state: TypedState::default(),
            unread: Unread::Nothing,
            lease: CurrentLease::default(),
            last_typed: None,
            blocked: false,
            held_since: None,
        }
    }

    /// What is saved of it, beside the queue.
    pub(crate) fn state(&self) -> &TypedState {
        &self.state
    }

    /// As a daemon before us saved it. What the shell has read of it since, nobody saw.
    pub(crate) fn restore(&mut self, state: TypedState) {
        self.state = state;
        self.unread = Unread::Lines;
    }

    /// The lines that were typed.
    pub(crate) fn lines(&self) -> &TypedLines {
        &self.state.lines
    }

    pub(crate) fn unread(&self) -> Unread {
        self.unread
    }

    pub(crate) fn last_typed(&self) -> Option<Instant> {
        self.last_typed
    }

    /// Forgets what the shell may not have read: it was seen to have.
    pub(crate) fn shell_has_read(&mut self) {
        self.unread = Unread::Nothing;
    }

    /// What a request typed, if it did.
    pub(crate) fn remembered(&self, retry_id: &str) -> Option<Typed> {
        let known = self.state.requests.iter().rev().find(|known| known.retry_id == retry_id)?;
        Some(Typed { seq: known.seq, bytes: known.bytes, returned: None })
    }

    /// Which of these calls typed last.
    pub(crate) fn last_of(&self, retry_ids: &[String]) -> Option<usize> {
        retry_ids.iter().rposition(|retry_id| self.remembered(retry_id).is_some())
    }

    /// The signal that a request sent, if it did.
    pub(crate) fn signalled(&self, retry_id: &str) -> Option<&Signalled> {
        self.state.signals.iter().find(|sent| sent.retry_id == retry_id)
    }

    /// Notes a signal, so that it is not sent again.
    pub(crate) fn signal(&mut self, signalled: Signalled) {
        push_bounded(&mut self.state.signals, signalled);
    }

    /// The next of what a viewer types.
    pub(crate) fn next_of(&self, viewer: &str) -> Source {
        let typed = self.state.viewers.iter().find(|(known, _)| known == viewer);
        Source::Viewer(typed.map_or(0, |(_, count)| *count) + 1)
    }

    /// Where the cursor stood after that much output, if anybody typed then.
    pub(crate) fn spot_at(&self, seq: u64) -> Option<Spot> {
        self.state.requests.iter().find(|request| request.seq == seq).map(|request| request.spot)
    }

    /// Notes that something was typed, so that it is not typed again.
    pub(crate) fn typed(
        &mut self,
        source: &Source,
        who: &str,
        bytes: u64,
        seq: u64,
        spot: impl FnOnce() -> Spot,
        person: bool,
    ) {
        self.state.lines.typed(seq, person);
        match source {
            Source::Request(retry_id) => {
                let (retry_id, spot) = (retry_id.clone(), spot());
                push_bounded(&mut self.state.requests, Remembered { retry_id, seq, bytes, spot });
            }
            Source::Viewer(count) => {
                self.state.viewers.retain(|(viewer, _)| viewer != who);
                push_bounded(&mut self.state.viewers, (who.to_owned(), *count));
            }
        }
    }

    /// Notes a line that was typed.
    pub(crate) fn entered(&mut self, echo: Echo) {
        self.state.lines.entered(echo);
    }

    /// Something with so many line ends was typed that is no `run`: of that the shell's marks tell when it was read.
    pub(crate) fn typed_ahead(&mut self, lines: u32) {
        self.unread = self.unread.and_typed(lines);
    }

    /// Who types: one call of an agent at a time.
    pub(crate) fn lease(&self) -> &CurrentLease {
        &self.lease
    }

    /// Has nobody else type as long as this call lives.
    pub(crate) fn take_lease(&mut self, call: Option<&LeaseRef>) {
        self.lease.take(call);
    }
}

/// The queue.
impl Typing {
    /// Whether input waits that the program has not been given.
    pub(crate) fn is_queued(&self) -> bool {
        self.queue.waiting() > 0
    }

    /// Whether more is to be given once the terminal has room.
    pub(crate) fn wants_room(&self) -> bool {
        self.blocked
    }

    /// Where what was accepted ends.
    pub(crate) fn end(&self) -> u64 {
        self.queue.end()
    }

    /// Lays bytes behind what was accepted; answers where they end.
    pub(crate) fn stage(&mut self, bytes: &[u8]) -> io::Result<u64> {
        self.queue.stage(bytes)
    }

    /// Makes what was staged up to here part of the queue.
    pub(crate) fn accept(&mut self, to: u64) {
        self.queue.accept(to);
    }

    /// The same for what a daemon before us accepted; false if that cannot be true.
    pub(crate) fn accept_again(&mut self, to: u64) -> bool {
        self.queue.accept_again(to)
    }

    /// Makes journal and queue agree where one of them lost its newest part.
    pub(crate) fn reconcile(&mut self) {
        self.queue.reconcile();
    }

    /// What was accepted there, as long as it is known.
    pub(crate) fn bytes(&self, from: u64, to: u64) -> Option<Vec<u8>> {
        self.queue.bytes(from, to)
    }

    /// Bytes up to `to` were just accepted: gives them to the program.
    pub(crate) fn accepted(&mut self, bytes: &[u8], to: u64, run: bool, pty: &Watched, now: Instant) {
        // Whatever is typed next, an interrupt perhaps, does not wait for what is held back.
        self.queue.go_on();
        if !run && bytes.ends_with(b"\r") && bytes[..bytes.len() - 1].ends_with(PASTE_END) {
            self.queue.hold_at(to - 1);
        }
        self.last_typed = Some(now);
        self.push(pty, now);
    }

    /// Gives the program what its terminal takes now.
    pub(crate) fn push(&mut self, pty: &Watched, now: Instant) {
        let queue = &mut self.queue;
        let pushed = pty.try_io(Interest::WRITABLE, |pty| match queue.push(pty)? {
            Pushed::Blocked => Err(io::ErrorKind::WouldBlock.into()),
            pushed => Ok(pushed),
        });
        self.held_since = match pushed {
            Ok(Pushed::Held) => self.held_since.or(Some(now)),
            _ => None,
        };
        self.blocked = match pushed {
            Ok(Pushed::All | Pushed::Held) => false,
            Ok(_) => true,
            Err(e) => e.kind() == io::ErrorKind::WouldBlock,
        };
    }

    /// Goes on typing once the program has read what it was given, or had the time to.
    pub(crate) fn push_held(&mut self, pty: &Watched, now: Instant) {
        let Some(since) = self.held_since else { return };
        let has_read = || facts::unread_input(pty.get_ref()) == Some(0);
        if (now >= since + SHORTEST_HOLD && has_read()) || now >= since + LONGEST_HOLD {
            self.queue.go_on();
            self.push(pty, now);
        }
    }

    /// When to look whether the program has read: less and less often, because nothing announces it.
    pub(crate) fn wakeup(&self, now: Instant) -> Option<Instant> {
        self.held_since.map(|since| (since + SHORTEST_HOLD).max(now + (now - since) / 4))
    }

    /// What the program did not read, nobody will.
    pub(crate) fn program_ended(&mut self) {
        self.blocked = false;
        self.held_since = None;
    }
}

#[cfg(test)]
impl TypedState {
    pub(crate) fn of(lines: TypedLines) -> TypedState {
        TypedState { lines, ..TypedState::default() }
    }

    /// Something in every field.
    pub(crate) fn filled(spot: Spot) -> TypedState {
        let program = Some("vi".to_owned());
        TypedState {
            requests: [Remembered { retry_id: "r".into(), seq: 3, bytes: 2, spot }].into(),
            viewers: [("view:1".to_owned(), 17)].into(),
            signals: [Signalled { retry_id: "s".into(), signal: 2, group: 9, program }].into(),
            lines: TypedLines::filled(),
        }
    }
}

#[cfg(test)]
mod tests {
    use cotty_vt::{LineId, Position};

    use super::*;

    fn typing() -> Typing {
        Typing::new(InputQueue::create().unwrap().0)
    }

    fn spot(line: u64) -> Spot {
        Spot { position: Position { line: LineId(line), cell: 0 }, before: 0, alt_screen: false }
    }

    #[test]
    fn a_request_that_comes_again_is_known() {
        let mut typing = typing();
        typing.typed(&Source::Request("one".into()), "agent", 5, 70, || spot(3), false);
        assert_eq!(typing.remembered("one"), Some(Typed { seq: 70, bytes: 5, returned: None }));
        assert_eq!((typing.remembered("two"), typing.spot_at(70)), (None, Some(spot(3))));
        for number in 0..REMEMBERED {
            let retry_id = Source::Request(number.to_string());
            typing.typed(&retry_id, "agent", 1, 80, || spot(3), false);
        }
        assert_eq!(typing.remembered("one"), None, "what is remembered is bounded");
    }

    #[test]
    fn viewers_keys_are_counted_and_crowd_out_no_request() {
        let mut typing = typing();
        typing.typed(&Source::Request("one".into()), "agent", 5, 70, || spot(3), false);
        for _ in 0..1000 {
            let next = typing.next_of("view:1");
            typing.typed(&next, "view:1", 1, 80, || spot(3), true);
        }
        assert_eq!(typing.next_of("view:1"), Source::Viewer(1001));
        assert_eq!(typing.next_of("view:2"), Source::Viewer(1));
        assert!(typing.remembered("one").is_some());
    }

    #[test]
    fn a_signal_is_remembered_by_its_request() {
        let mut typing = typing();
        let sent = Signalled { retry_id: "s".into(), signal: 2, group: 7, program: None };
        typing.signal(sent.clone());
        assert_eq!((typing.signalled("s"), typing.signalled("t")), (Some(&sent), None));
    }

    #[test]
    fn lines_count_for_more_than_keys() {
        let mut typing = typing();
        typing.typed_ahead(0);
        assert_eq!(typing.unread(), Unread::Keys);
        typing.typed_ahead(2);
        typing.typed_ahead(0);
        assert_eq!(typing.unread(), Unread::Lines);
        typing.shell_has_read();
        assert_eq!(typing.unread(), Unread::Nothing);
    }
}
