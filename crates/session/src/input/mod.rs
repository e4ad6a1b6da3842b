//! A session's input: the queue to the program, what was typed and by which request, and what the shell may not have read.
//! Input reaches the program exactly once, even if the daemon dies.

pub(crate) mod encode;
pub(crate) mod interrupt;
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
use cotty_vt::LineId;
use serde::{Deserialize, Serialize};
use tokio::io::Interest;

use self::interrupt::Dropped;
use self::lease::{CurrentLease, LeaseRef};
use self::typed::{Echo, TypedLines};
use self::unread::Unread;
use crate::durable::journal::{InputQueue, Pushed, Signalled, Source};
use crate::handle::Typed;
use crate::output::screen::Spot;

/// How many requests and typed lines are remembered.
const REMEMBERED: usize = 256;
/// How long the kernel may take to deliver input. Until then the program seems to have read everything.
const SHORTEST_HOLD: Duration = Duration::from_millis(30);
/// How long a program may take to read its input before it gets more.
const LONGEST_HOLD: Duration = Duration::from_secs(1);
/// The end of a paste. An Enter after it is sent once the program has read the paste; earlier it might be taken for text.
const PASTE_END: &[u8] = b"\x1b[201~";

pub(crate) fn push_bounded<T>(queue: &mut VecDeque<T>, item: T) {
    if queue.len() == REMEMBERED {
        queue.pop_front();
    }
    queue.push_back(item);
}

/// A request that has typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Remembered {
    #[serde(rename = "request")]
    retry_id: String,
    /// The seq when it typed.
    seq: u64,
    bytes: u64,
    /// How much input it removed before the program got it.
    #[serde(default)]
    dropped: u64,
    /// Where the cursor was.
    spot: Spot,
}

/// The part of [`Typing`] that a checkpoint saves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TypedState {
    /// Requests that typed, so that a retry types nothing.
    requests: VecDeque<Remembered>,
    /// How many inputs each viewer has typed; the viewer that typed last is the last.
    viewers: VecDeque<(String, u64)>,
    /// Signals that were sent, so that a retry sends none.
    signals: VecDeque<Signalled>,
    #[serde(flatten)]
    lines: TypedLines,
}

impl TypedState {
    /// Forgets all positions: a new engine does not have the lines that they refer to.
    pub(crate) fn forget_places(&mut self, spot: Spot) {
        self.requests.iter_mut().for_each(|request| request.spot = spot);
        self.lines.forget_places();
    }
}

/// The input that was typed, and the queue to the program.
#[derive(Debug)]
pub(crate) struct Typing {
    queue: InputQueue,
    state: TypedState,
    /// Input that the shell may not have read.
    unread: Unread,
    lease: CurrentLease,
    last_typed: Option<Instant>,
    /// Whether the terminal accepts no more input now.
    blocked: bool,
    /// Since when input is held back until the program has read the input before it.
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

    /// The state that a checkpoint saves, besides the queue.
    pub(crate) fn state(&self) -> &TypedState {
        &self.state
    }

    /// Restores the saved state. How much the shell has read since then is unknown.
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

    /// Notes that the shell has read all input.
    pub(crate) fn shell_has_read(&mut self) {
        self.unread = Unread::Nothing;
    }

    /// What a request has typed, if it has.
    pub(crate) fn remembered(&self, retry_id: &str) -> Option<Typed> {
        let known = self.state.requests.iter().rev().find(|known| known.retry_id == retry_id)?;
        Some(Typed { seq: known.seq, bytes: known.bytes, dropped: known.dropped, returned: None })
    }

    /// Which of these calls typed last.
    pub(crate) fn last_of(&self, retry_ids: &[String]) -> Option<usize> {
        retry_ids.iter().rposition(|retry_id| self.remembered(retry_id).is_some())
    }

    /// The signal that a request has sent, if it has.
    pub(crate) fn signalled(&self, retry_id: &str) -> Option<&Signalled> {
        self.state.signals.iter().find(|sent| sent.retry_id == retry_id)
    }

    /// Notes a signal, so that it is not sent again.
    pub(crate) fn signal(&mut self, signalled: Signalled) {
        push_bounded(&mut self.state.signals, signalled);
    }

    /// The source of a viewer's next input.
    pub(crate) fn next_source(&self, viewer: &str) -> Source {
        let typed = self.state.viewers.iter().find(|(known, _)| known == viewer);
        Source::Viewer(typed.map_or(0, |(_, count)| *count) + 1)
    }

    /// Where the cursor was at `seq`, if a request typed then.
    pub(crate) fn spot_at(&self, seq: u64) -> Option<Spot> {
        self.state.requests.iter().find(|request| request.seq == seq).map(|request| request.spot)
    }

    /// Notes an input, so that a retry does not type it again.
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
                let remembered = Remembered { retry_id, seq, bytes, dropped: 0, spot };
                push_bounded(&mut self.state.requests, remembered);
            }
            Source::Viewer(count) => {
                self.state.viewers.retain(|(viewer, _)| viewer != who);
                push_bounded(&mut self.state.viewers, (who.to_owned(), *count));
            }
        }
    }

    /// Notes the line into which visible input is typed.
    pub(crate) fn typed_into(&mut self, line: Option<LineId>) {
        self.state.lines.typed_into(line);
    }

    /// Notes a line that was typed.
    pub(crate) fn entered(&mut self, echo: Echo) {
        self.state.lines.entered(echo);
    }

    /// Notes unread input with this many line ends. Not for a `run`: the shell's marks show when its command was read.
    pub(crate) fn typed_ahead(&mut self, lines: u32) {
        self.unread = self.unread.and_typed(lines);
    }

    /// The input lease.
    pub(crate) fn lease(&self) -> &CurrentLease {
        &self.lease
    }

    /// Gives the input lease to a call, unless another holds it.
    pub(crate) fn take_lease(&mut self, call: Option<&LeaseRef>) {
        self.lease.take(call);
    }
}

/// The input queue.
impl Typing {
    /// Whether input waits in the queue.
    pub(crate) fn is_queued(&self) -> bool {
        self.queue.waiting() > 0
    }

    /// Whether input waits for room in the terminal.
    pub(crate) fn wants_room(&self) -> bool {
        self.blocked
    }

    /// The end of the accepted input.
    pub(crate) fn end(&self) -> u64 {
        self.queue.end()
    }

    /// How much input waits in the queue, in bytes and lines.
    pub(crate) fn waiting(&self) -> Dropped {
        Dropped { bytes: self.queue.waiting(), lines: self.queue.waiting_lines() }
    }

    /// Stages bytes after the accepted input; returns where they end.
    pub(crate) fn stage(&mut self, bytes: &[u8]) -> io::Result<u64> {
        self.queue.stage(bytes)
    }

    /// The same for bytes that overtake all waiting input, which will be dropped.
    pub(crate) fn stage_first(&mut self, bytes: &[u8]) -> io::Result<u64> {
        self.queue.stage_first(bytes)
    }

    /// Drops the waiting input before `place`, because input from `source` interrupts the program.
    pub(crate) fn drop_before(&mut self, place: u64, dropped: Dropped, source: &Source) {
        self.queue.skip_to(place);
        self.state.lines.drop_newest(dropped.lines);
        if let Some(last) = self.state.requests.back_mut()
            && let Source::Request(retry_id) = source
            && last.retry_id == *retry_id
        {
            last.dropped = dropped.bytes;
        }
    }

    /// Erases staged bytes that were not accepted.
    pub(crate) fn unstage(&mut self) {
        self.queue.unstage();
    }

    /// Keeps a range when it is sent, because a recording may contain it.
    pub(crate) fn keep(&mut self, from: u64, to: u64) {
        self.queue.keep(from, to);
    }

    /// Accepts staged bytes into the queue, up to `to`.
    pub(crate) fn accept(&mut self, to: u64) {
        self.queue.accept(to);
    }

    /// The same for bytes that an earlier daemon accepted; false if `to` is impossible.
    pub(crate) fn accept_again(&mut self, to: u64) -> bool {
        self.queue.accept_again(to)
    }

    /// Makes journal and queue agree if one of them lost its newest part.
    pub(crate) fn reconcile(&mut self) {
        self.queue.reconcile();
    }

    /// The accepted bytes of a range, as long as the queue has them.
    pub(crate) fn bytes(&self, from: u64, to: u64) -> Option<Vec<u8>> {
        self.queue.bytes(from, to)
    }

    /// Notes that bytes were accepted, up to `to`.
    pub(crate) fn accepted(&mut self, bytes: &[u8], to: u64, run: bool, now: Instant) {
        // New input, perhaps an interrupt, ends a hold.
        self.queue.go_on();
        if !run && bytes.ends_with(b"\r") && bytes[..bytes.len() - 1].ends_with(PASTE_END) {
            self.queue.hold_at(to - 1);
        }
        self.last_typed = Some(now);
    }

    /// Writes queued input, as much as the terminal accepts now.
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

    /// Ends a hold once the program has read its input, or has had the time to.
    pub(crate) fn push_held(&mut self, pty: &Watched, now: Instant) {
        let Some(since) = self.held_since else { return };
        let has_read = || facts::unread_input(pty.get_ref()) == Some(0);
        if (now >= since + SHORTEST_HOLD && has_read()) || now >= since + LONGEST_HOLD {
            self.queue.go_on();
            self.push(pty, now);
        }
    }

    /// When to check whether the program has read: ever less often, because no event reports it.
    pub(crate) fn wakeup(&self, now: Instant) -> Option<Instant> {
        self.held_since.map(|since| (since + SHORTEST_HOLD).max(now + (now - since) / 4))
    }

    /// Stops sending input, because the program has ended.
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
            requests: [Remembered { retry_id: "r".into(), seq: 3, bytes: 2, dropped: 0, spot }].into(),
            viewers: [("view:1".to_owned(), 17)].into(),
            signals: [Signalled { retry_id: "s".into(), signal: 2, group: 9, program }].into(),
            lines: TypedLines::filled(),
        }
    }
}

#[cfg(test)]
mod tests {
    use cotty_vt::Position;

    use super::*;

    fn typing() -> Typing {
        Typing::new(InputQueue::create().unwrap().0)
    }

    fn spot(line: u64) -> Spot {
        Spot { position: Position { line: LineId(line), cell: 0 }, before: 0, alt_screen: false }
    }

    #[test]
    fn a_retry_is_recognized_by_its_id() {
        let mut typing = typing();
        typing.typed(&Source::Request("one".into()), "agent", 5, 70, || spot(3), false);
        assert_eq!(typing.remembered("one"), Some(Typed { seq: 70, bytes: 5, dropped: 0, returned: None }));
        assert_eq!((typing.remembered("two"), typing.spot_at(70)), (None, Some(spot(3))));
        for number in 0..REMEMBERED {
            let retry_id = Source::Request(number.to_string());
            typing.typed(&retry_id, "agent", 1, 80, || spot(3), false);
        }
        assert_eq!(typing.remembered("one"), None, "only the newest requests are remembered");
    }

    #[test]
    fn viewer_keys_are_counted_and_do_not_evict_requests() {
        let mut typing = typing();
        typing.typed(&Source::Request("one".into()), "agent", 5, 70, || spot(3), false);
        for _ in 0..1000 {
            let next = typing.next_source("view:1");
            typing.typed(&next, "view:1", 1, 80, || spot(3), true);
        }
        assert_eq!(typing.next_source("view:1"), Source::Viewer(1001));
        assert_eq!(typing.next_source("view:2"), Source::Viewer(1));
        assert!(typing.remembered("one").is_some());
    }

    #[test]
    fn a_sent_signal_is_found_by_its_retry_id() {
        let mut typing = typing();
        let sent = Signalled { retry_id: "s".into(), signal: 2, group: 7, program: None };
        typing.signal(sent.clone());
        assert_eq!((typing.signalled("s"), typing.signalled("t")), (Some(&sent), None));
    }

    #[test]
    fn unread_lines_outweigh_unread_keys() {
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
