//! The one task that owns a terminal: it reads, feeds, answers, and tells whoever waits.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cotty_pty::{Link, Watched, facts};
use cotty_vt::{EffectKind, Position, Vt};
use regex::Regex;
use rustix::io::Errno;
use rustix::process::Pid;
use tokio::io::Interest;
use tokio::sync::{mpsc, oneshot};

use crate::commands::{Moment, Phase};
use crate::durable::checkpoint::{Saved, ToldLost};
use crate::durable::journal::disk::{Catcher, Tape, Worker};
use crate::durable::journal::{Hot, InputQueue, Pushed, Record, Source, What};
use crate::handle::{Ended, Info, Waited};
use crate::handoff::Pleading;
use crate::hub::meta::now_ms;
use crate::input::lease::Taken;
use crate::input::reaction::Observer;
use crate::input::unread::Unread;
use crate::output::images::Gallery;
use crate::request::Request;
use crate::shell::{AskedLine, Hook, ShellMark, read_mark, was_replaced};
use crate::viewers::presence::Watchers;
use crate::viewers::{LONGEST_FRAME, Viewers};
use crate::wait::{Look, Prompt, Running};
use crate::{Meta, Policy, Verdict};

/// Output taken at a turn, so that one busy session starves nobody.
const TURN: usize = 64 * 1024;
/// How long a screen has to stand still for its rows to be worth keeping.
const SETTLED: Duration = Duration::from_millis(100);
/// How often a terminal is looked at that nobody has open, though its program lives: it may be opened again.
const REOPENED: Duration = Duration::from_secs(1);
/// How long the kernel may take to hand over what was written: until then it looks as if all had been read.
const SHORTEST_HOLD: Duration = Duration::from_millis(30);
/// How long a program may take to read what it was given before it gets more.
const LONGEST_HOLD: Duration = Duration::from_secs(1);

pub(crate) struct Task {
    pub(crate) meta: Arc<Meta>,
    pub(crate) pid: u32,
    pub(crate) link: Link,
    pub(crate) pty: Watched,
    pub(crate) hot: Hot,
    pub(crate) input: InputQueue,
    pub(crate) vt: Vt,
    /// What is saved with the engine at a checkpoint.
    pub(crate) saved: Saved,
    pub(crate) hook: Option<Hook>,
    pub(crate) policy: Arc<Policy>,
    pub(crate) prompt_pattern: Arc<Regex>,
    /// Where the very first output went.
    pub(crate) start: Position,
    /// Who types: alive as long as its call.
    pub(crate) lane: Taken,
    pub(crate) last_typed: Option<Instant>,
    /// What of it the shell may not have read.
    pub(crate) unread: Unread,
    pub(crate) ended: Option<Ended>,
    pub(crate) last_output: Option<Instant>,
    /// Since when the program is in the middle of drawing.
    pub(crate) half_drawn_since: Option<Instant>,
    pub(crate) waits: Vec<(Running, oneshot::Sender<Waited>)>,
    pub(crate) pleading: Vec<Pleading>,
    pub(crate) observers: Vec<Observer>,
    pub(crate) images: Gallery,
    pub(crate) viewers: Viewers,
    pub(crate) watchers: Watchers,
    /// The program's queries up to here were answered by the daemon before us.
    pub(crate) replied: u64,
    /// The shell's questions up to here, likewise.
    pub(crate) noted: u64,
    pub(crate) input_blocked: bool,
    /// Since when input waits for the program to read what it was given before.
    pub(crate) input_held: Option<Instant>,
    /// Whether agents may answer questions for secrets.
    pub(crate) agents_answer_secrets: bool,
    pub(crate) hung_up: bool,
    pub(crate) told_lost: ToldLost,
    /// What is on its way to the session's files.
    pub(crate) tape: Tape,
    pub(crate) catcher: Option<Catcher>,
    pub(crate) writer: Worker,
    /// Where the disk was waited for in vain.
    pub(crate) impatient: u64,
}

impl Task {
    /// Serves until the session is closed or nobody can ask for it any more.
    pub(crate) async fn serve(mut self, first: Option<Request>, inbox: &mut mpsc::Receiver<Request>) {
        if let Some(request) = first {
            self.handle(request).await;
            self.after_turn();
        }
        loop {
            let wake = self.wakeup(Instant::now());
            tokio::select! {
                request = inbox.recv() => match request {
                    None | Some(Request::Close) => break,
                    Some(request) => self.handle(request).await,
                },
                // Readiness is kept: `drain` clears it when the kernel says that there is no more.
                closed = self.pty.readable(), if !self.hung_up => {
                    let more = self.drain().await;
                    self.forget_hang_up(closed);
                    self.watch_unless(more);
                }
                closed = self.pty.writable(), if self.input_blocked => {
                    self.push_input();
                    self.forget_hang_up(closed);
                }
                landing = self.tape.landing() => self.tape_landed(landing),
                () = caught(&mut self.catcher) => {}
                () = sleep_until(wake) => {
                    if self.hung_up && self.ended.is_none() {
                        self.drain().await;
                    }
                }
            }
            self.after_turn();
        }
        if let Some(hook) = self.hook.take() {
            // On a thread that may wait for a disk.
            let _ = tokio::task::spawn_blocking(move || hook.remove()).await;
        }
        self.close_files();
    }

    async fn handle(&mut self, request: Request) {
        self.end_late_frame(Instant::now());
        // Whoever asked may have gone; then the answer is for nobody, and that is fine.
        match request {
            Request::Type { input, request, by, lane, reply } => {
                let typed = self.type_input(&input, Source::Request(request), &by, lane.as_ref()).await;
                self.note_refusal(&by, &typed);
                let _ = reply.send(typed);
            }
            Request::Press { input, by, reply } => {
                let _ = reply.send(self.press(&input, &by).await);
            }
            Request::Run { command, request, by, lane, reply } => {
                let started = self.start_run(&command, &request, &by, &lane).await;
                self.note_refusal(&by, &started);
                let _ = reply.send(started);
            }
            Request::RunResult { request, reader, reply } => self.answer_run(&request, &reader, reply).await,
            Request::LastTyped { requests, reply } => {
                let _ = reply.send(requests.iter().rposition(|request| self.remembered(request).is_some()));
            }
            Request::Commands { limit, reply } => {
                let _ = reply.send(self.commands(limit));
            }
            Request::CommandOutput { number, reply } => {
                let _ = reply.send(self.command_output(number));
            }
            Request::Wait { wait, reply } => self.waits.push((Running::new(wait, Instant::now()), reply)),
            Request::Read { view, raw, reader, request, since, most, reply } => {
                self.drain_before_read().await;
                let _ = reply.send(self.read(view, raw, &reader, &request, since, most));
            }
            Request::Observe { seq, text, reply } => self.observers.push(Observer::new(seq, text, reply)),
            Request::Hold { hold, by, reply } => {
                let _ = reply.send(self.hold(hold, &by).await);
            }
            Request::Plead(request) => self.plead(request).await,
            Request::ViewerCame { watcher } => self.viewer_came(watcher),
            Request::ViewerWent { who } => self.viewer_went(&who),
            Request::Signal { signal, request, by, reply } => {
                let _ = reply.send(self.signal(signal, request, &by).await);
            }
            Request::Resize { size, reply } => {
                let _ = reply.send(self.resize(size).await);
            }
            Request::Fit { size, by, reply } => {
                let _ = reply.send(self.fit(size, &by).await);
            }
            Request::History { lines, reply } => {
                let _ = reply.send(self.set_history(lines).await);
            }
            Request::Search { pattern, limit, reply } => {
                let _ = reply.send(self.search(&pattern, limit));
            }
            Request::Info { reply } => {
                let _ = reply.send(self.info());
            }
            Request::View { reply } => self.viewers.join(reply, Instant::now()),
            Request::Subscribe { reply } => self.viewers.updates.join(reply, Instant::now()),
            Request::Exited { status } => {
                // All that was said before the end is read before the end is told.
                while self.drain().await {}
                self.program_ended(status);
            }
            Request::Flush { reply } => self.tape.flush(reply),
            Request::FlushCapture { reply } => self.flush_capture(reply),
            Request::Capturing { reply } => {
                let _ = reply.send(self.capturing());
            }
            Request::StartCapture { capturing, reply } => {
                let _ = reply.send(self.start_capture(capturing).await);
            }
            Request::StopCapture { request, reply } => {
                let _ = reply.send(self.stop_capture(&request).await);
            }
            Request::Close => {}
            #[cfg(any(test, debug_assertions))]
            Request::Panic { reply: _reply } => panic!("as asked"),
        }
    }

    /// Notes how the program ended. All that it said has been read.
    pub(crate) fn program_ended(&mut self, status: i32) {
        if self.ended.is_some() {
            return;
        }
        let ended = Ended::from_status(status, now_ms());
        self.ended = Some(ended);
        self.note_exit(ended);
        self.end_plea_with_program();
        self.end_keyboard_with_program();
        // What the program did not read, nobody will.
        self.input_blocked = false;
        self.input_held = None;
        // A frame that it did not end will have no end.
        self.half_drawn_since = None;
        self.vt.show_unfinished();
        self.viewers.ended(ended, Instant::now());
    }

    /// Whoever reads sees what the program said before.
    async fn drain_before_read(&mut self) {
        self.drain().await;
        if self.hot.wants_checkpoint() {
            let _ = self.checkpoint().await;
        }
    }

    /// Reads what is there, at most a turn's worth. `true`: there may be more.
    pub(crate) async fn drain(&mut self) -> bool {
        let mut taken = 0;
        while taken < TURN {
            if self.hot.wants_checkpoint() && self.checkpoint().await.is_err() {
                // Without a keeper nothing is kept, but the session goes on as long as it can.
                self.hot.checkpointed(self.vt.seq(), self.hot.index_len());
            }
            if self.tape.is_behind(&self.hot) {
                self.let_tape_catch_up().await;
            }
            match self.read_once() {
                Ok(0) | Err(_) => break,
                Ok(count) => taken += count,
            }
            // At once, piece by piece: the kernel fetches the next few kilobytes meanwhile. To gather a turn's worth first and
            // feed it whole costs a third of the speed.
            self.process_read();
        }
        if taken > 0 && self.hung_up && self.pty.renew().is_ok() {
            self.hung_up = false;
        }
        taken >= TURN
    }

    /// Takes what the terminal says as far as there is room in the journal, for an engine that is still to be rebuilt.
    pub(crate) async fn read_ahead(&mut self) -> Infallible {
        while !self.hot.wants_checkpoint() {
            self.pty.readable().await;
            let hot = &mut self.hot;
            match self.pty.try_io(Interest::READABLE, |pty| Ok(hot.read_from(pty)?)) {
                Ok(count) if count > 0 => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                _ => break,
            }
        }
        std::future::pending().await
    }

    fn read_once(&mut self) -> io::Result<usize> {
        let hot = &mut self.hot;
        let read = if self.hung_up {
            hot.read_from(self.pty.get_ref()).map_err(io::Error::from)
        } else {
            self.pty.try_io(Interest::READABLE, |pty| Ok(hot.read_from(pty)?))
        };
        if let Err(error) = &read {
            // Nobody has the terminal open. Not the end: /dev/tty can be opened again while the program lives.
            self.hung_up |= error.raw_os_error() == Some(Errno::IO.raw_os_error());
        }
        read
    }

    /// Feeds the engine what was read, and does what it asks for.
    fn process_read(&mut self) {
        if self.hot.output_len() > self.vt.seq() {
            let ms = now_ms();
            self.process_until(self.hot.output_len(), ms);
            self.note_output(ms);
        }
    }

    /// A terminal that was closed and opened again before we looked: the runtime saw a hang-up and will call the
    /// descriptor ready for ever, though there is nothing to read.
    fn forget_hang_up(&mut self, closed: bool) {
        if closed && !self.hung_up && self.pty.renew().is_err() {
            self.hung_up = true;
        }
    }

    /// A program that prints without end needs no watching; one that has paused does.
    fn watch_unless(&mut self, more: bool) {
        if more {
            if self.pty.is_kept() {
                let _ = self.pty.let_go();
            }
            // Nobody tells of room for input now.
            if self.input_blocked {
                self.push_input();
            }
        } else if !self.pty.is_kept() && self.pty.renew().is_err() {
            self.hung_up = true;
        }
    }

    pub(crate) fn process_until(&mut self, to: u64, ms: u64) {
        let from = self.vt.seq();
        let now = Instant::now();
        if self.last_output.is_some_and(|last| now - last >= SETTLED) {
            self.vt.settle();
        }
        self.vt.feed(self.hot.output(from, to));
        self.last_output = Some(now);
        self.half_drawn_since = match self.vt.modes().synchronized {
            true => self.half_drawn_since.or(Some(now)),
            false => None,
        };
        self.viewers.changed(now);
        let effects = self.vt.take_effects();
        if effects.is_empty() {
            return;
        }
        let (mut owed, mut marked) = (Vec::new(), false);
        for effect in effects {
            match effect.kind {
                EffectKind::Reply(bytes) if effect.seq > self.replied => owed.extend(bytes),
                EffectKind::Bell => self.viewers.updates.bell(now),
                EffectKind::Mark(mark) => {
                    let Some(nonce) = &self.meta.nonce else { continue };
                    let stamp = mark.stamp;
                    let Some((mark, position)) = read_mark(&mark, nonce) else { continue };
                    marked = true;
                    self.shell_said(mark, Moment { position, seq: effect.seq, stamp, ms });
                }
                EffectKind::Image { kind, size, .. } => self.images.came(effect.seq, kind, size),
                EffectKind::Directory(directory) => self.saved.commands.moved(directory),
                EffectKind::Resize(size) => {
                    // What the program chose; the kernel tells its other programs.
                    let size = cotty_pty::WindowSize { cols: size.cols, rows: size.rows };
                    let _ = self.pty.get_ref().resize(size);
                }
                _ => {}
            }
        }
        let seq = self.vt.seq();
        if marked && seq > self.noted {
            let _ = self.hot.record(&Record { seq, what: What::Marked { at: ms } });
        }
        if !owed.is_empty() {
            self.reply(&owed, seq);
        }
    }

    /// Notes a mark, and answers the shell's question. An answer that came from the daemon before us is given again:
    /// it carries the question's id, so a second one does no harm, and none at all would hold the shell up.
    fn shell_said(&mut self, mark: ShellMark, at: Moment) {
        let ShellMark::Ask(ask) = mark else {
            self.saved.asked = None;
            self.saved.commands.marked(&mark, at);
            return self.note_command(at);
        };
        let open = at.seq > self.noted;
        let line = match &ask.line {
            AskedLine::Here(line) => Some(line.clone()),
            // In a replay of an old question the file holds a newer line.
            AskedLine::InFile => self.hook.as_ref().filter(|_| open).and_then(Hook::line),
            AskedLine::Unreadable | AskedLine::Unknown => None,
        };
        let verdict = match (&line, &ask.line) {
            (Some(line), _) => self.policy.judge(line),
            // The next daemon cannot know what the file held for a question that was answered.
            (None, AskedLine::InFile) if !open => Verdict::Allow,
            // Nobody can judge it; so far lines of a shell that keeps no history are let through.
            (None, AskedLine::Unknown) => Verdict::Allow,
            (None, _) => Verdict::Deny { reason: "the line could not be read".to_owned() },
        };
        self.saved.commands.asked(line);
        if let Verdict::Deny { reason } = &verdict {
            self.saved.commands.denied(reason);
        }
        let answer = match &verdict {
            Verdict::Allow => "allow",
            Verdict::Deny { reason } => reason,
        };
        // What lies in the file is judged again when it has to be answered again.
        let again = (ask.line != AskedLine::InFile).then(|| answer.to_owned());
        self.saved.asked = Some((ask.id.clone(), again));
        if let Some(hook) = self.hook.as_ref().filter(|_| open) {
            hook.answer(&ask.id, answer);
        }
    }

    /// Answers a question once more that the shell has not been heard to go on from: an answer in the fifo is gone with the
    /// daemon that wrote it, unless the shell had it open already. A second one does no harm.
    pub(crate) fn answer_again(&self) {
        let (Some((id, answer)), Some(hook)) = (&self.saved.asked, &self.hook) else { return };
        let judged = || match hook.line().map(|line| self.policy.judge(&line)) {
            Some(Verdict::Allow) => "allow".to_owned(),
            Some(Verdict::Deny { reason }) => reason,
            None => "the line could not be read".to_owned(),
        };
        hook.answer(id, &answer.clone().unwrap_or_else(judged));
    }

    /// Queues bytes that the program is owed: written down first, so that they come once.
    fn reply(&mut self, bytes: &[u8], seq: u64) {
        let Ok(to) = self.input.stage(bytes) else { return };
        if self.hot.record(&Record { seq, what: What::Replied { to } }).is_ok() {
            self.input.accept(to);
            self.push_input();
        }
    }

    pub(crate) fn push_input(&mut self) {
        let input = &mut self.input;
        let pushed = self.pty.try_io(Interest::WRITABLE, |pty| match input.push(pty)? {
            Pushed::Blocked => Err(io::ErrorKind::WouldBlock.into()),
            pushed => Ok(pushed),
        });
        self.input_held = match pushed {
            Ok(Pushed::Held) => self.input_held.or_else(|| Some(Instant::now())),
            _ => None,
        };
        self.input_blocked = match pushed {
            Ok(Pushed::All | Pushed::Held) => false,
            Ok(_) => true,
            Err(e) => e.kind() == io::ErrorKind::WouldBlock,
        };
    }

    /// Goes on typing once the program has read what it was given, or had the time to.
    fn push_held_input(&mut self, now: Instant) {
        let Some(since) = self.input_held else { return };
        let read = now >= since + SHORTEST_HOLD && facts::unread_input(self.pty.get_ref()) == Some(0);
        if read || now >= since + LONGEST_HOLD {
            self.input.go_on();
            self.push_input();
        }
    }

    fn after_turn(&mut self) {
        let now = Instant::now();
        self.end_late_frame(now);
        self.expire_keyboard();
        self.follow_no_other();
        self.push_held_input(now);
        self.tell_observers(now);
        self.tell_pleading(now);
        self.turn_files(now);
        self.waits.retain(|(_, reply)| !reply.is_closed());
        if !self.waits.is_empty() {
            self.settle_unread();
            let mut waits = std::mem::take(&mut self.waits);
            let met: Vec<_> = self
                .with_look(now, |look| waits.iter_mut().map(|(running, _)| running.check(look)).collect());
            for ((running, reply), met) in waits.into_iter().zip(met) {
                let Some(met) = met else {
                    self.waits.push((running, reply));
                    continue;
                };
                let why = (met == crate::Met::Timeout).then(|| self.why_not(&running.wait));
                let matched = running.found(met);
                let screen = self.vt.screen_text().trim_end_matches('\n').to_owned();
                let elapsed = now - running.started;
                let command = self.ran_before();
                let _ = reply.send(Waited { met, elapsed, info: self.info(), screen, matched, why, command });
            }
        }
        self.viewers.note(&self.vt, self.ended.is_some(), Instant::now);
        if self.viewers.wakeup().is_some_and(|due| due <= now) {
            let activity = self.activity();
            self.viewers.tell(self.company(&activity));
            self.viewers.draw(&self.vt, now, activity);
        }
    }

    fn wakeup(&self, now: Instant) -> Option<Instant> {
        let waits = match self.waits.is_empty() {
            true => None,
            false => self.with_look(now, |look| self.waits.iter().map(|(w, _)| w.wakeup(look)).min()),
        };
        let watched = !self.waits.is_empty() || self.viewers.any();
        let frame = self.frame_ends().filter(|_| watched);
        let reopened = (self.hung_up && self.ended.is_none()).then(|| now + REOPENED);
        let observers = self.observers.iter().map(|observer| observer.wakeup(now, self.last_output)).min();
        // Looked at less and less often: nothing announces that a program has read.
        let held = self.input_held.map(|since| (since + SHORTEST_HOLD).max(now + (now - since) / 4));
        // A person's time is told by the clock on the wall: it goes on while there is no daemon.
        let in_ms = |end: u64| now + Duration::from_millis(end.saturating_sub(now_ms()));
        let keyboard = self.keyboard_ends_ms().map(in_ms);
        let plea = self.saved.pleas.ends_ms().map(in_ms);
        let pleading = self.pleading.iter().map(|waiting| waiting.until).min();
        let files = [self.tape.wakeup(), self.catcher.as_ref().and_then(Catcher::wakeup)];
        let due = [waits, self.viewers.wakeup(), frame, reopened, observers, held, keyboard, plea, pleading];
        due.into_iter().chain(files).flatten().min()
    }

    /// Shows a frame that its program takes too long to end. Nobody is woken up for it where nobody watches, so it may
    /// be long overdue when somebody asks.
    fn end_late_frame(&mut self, now: Instant) {
        if self.frame_ends().is_some_and(|end| end <= now) {
            self.half_drawn_since = None;
            self.vt.show_unfinished();
            self.viewers.changed(now);
        }
    }

    /// When a frame that its program does not end is shown as it is.
    fn frame_ends(&self) -> Option<Instant> {
        self.half_drawn_since.map(|since| since + LONGEST_FRAME)
    }

    /// Shows the session to something that decides.
    fn with_look<T>(&self, now: Instant, decide: impl FnOnce(&Look<'_>) -> T) -> T {
        let prompt = self.prompt();
        decide(&Look {
            now,
            last_output: self.last_output,
            seq: self.vt.shown_seq(),
            prompt,
            perhaps_prompt: prompt.is_none() && (self.guessed_prompt().is_some() || self.is_marked_prompt()),
            exited: self.ended.is_some(),
            half_drawn_until: self.frame_ends(),
            last_change: self.last_output.max(self.last_typed),
            keyboard_free: self.saved.keyboard.held().is_none(),
            asks_secret: &|| self.asked_secret().is_some(),
            reads: &|| self.reads(),
            shell_waits: &|| self.shell_waits(),
            asks: &|| self.asks(),
            text_since: &|since, after| self.text_since(since, after),
            is_over: &|request| self.saved.commands.is_over(request),
        })
    }

    /// Since when the shell, or a program that asks as one does, waits for a line. One that was typed after the prompt
    /// makes it an old one, even before the program has had the time to say so.
    pub(crate) fn prompt(&self) -> Option<Prompt> {
        let prompt = match self.saved.commands.phase() {
            _ if self.meta.prompt_pattern.is_some() => self.guessed_prompt()?,
            Phase::Prompt(_) if self.meta.nonce.is_some() && self.lines_unread() => return None,
            Phase::Prompt(at) if self.meta.nonce.is_some() => Prompt { seq: at.seq, guessed: false },
            // A shell that marks is believed, unless it edits a line and has not said so: somebody took its marks away.
            // What runs inside it, or marks nothing, is judged by its look, if it reads: what works may look like anything.
            _ if self.meta.nonce.is_some() && !self.line_is_edited() && self.shell_has_the_terminal() => {
                return None;
            }
            _ => self.guessed_prompt().filter(|_| self.may_read())?,
        };
        self.saved.echoes.back().is_none_or(|echo| prompt.seq > echo.seq).then_some(prompt)
    }

    fn is_marked_prompt(&self) -> bool {
        self.meta.nonce.is_some() && matches!(self.saved.commands.phase(), Phase::Prompt(_))
    }

    pub(crate) fn shell_has_the_terminal(&self) -> bool {
        let foreground =
            facts::foreground(self.pty.get_ref()).map(|pid| pid.as_raw_nonzero().get().unsigned_abs());
        foreground.is_none_or(|pid| pid == self.pid) && !self.shell_was_replaced()
    }

    /// Whether the shell that marked became a program that does not.
    pub(crate) fn shell_was_replaced(&self) -> bool {
        let pid = i32::try_from(self.pid).ok().and_then(Pid::from_raw);
        let replaced = pid
            .zip(self.meta.nonce.as_ref())
            .map(|(pid, nonce)| was_replaced(&self.meta.program, pid, nonce));
        replaced.unwrap_or(false)
    }

    /// Whether the program takes keys one by one and shows them itself.
    pub(crate) fn line_is_edited(&self) -> bool {
        facts::line_mode(self.pty.get_ref()).is_some_and(|mode| !mode.canonical && !mode.echo)
    }

    fn guessed_prompt(&self) -> Option<Prompt> {
        let cursor = self.vt.cursor();
        let line = self.vt.row_text(cursor.row);
        // A row is read without the blanks at its end, and a prompt often ends with one.
        let blanks = std::iter::repeat(' ');
        let upto: String = line.chars().chain(blanks).take(usize::from(cursor.col)).collect();
        let matches = !upto.trim().is_empty() && self.prompt_pattern.is_match(&upto);
        matches.then(|| Prompt { seq: self.vt.seq(), guessed: true })
    }

    pub(crate) fn info(&self) -> Info {
        let (size, cursor) = (self.vt.size(), self.vt.cursor());
        let leader = i32::try_from(self.pid).ok().and_then(Pid::from_raw);
        let process = facts::foreground(self.pty.get_ref()).or(leader).filter(|_| self.ended.is_none());
        let cwd = process.and_then(facts::directory).map(|dir| dir.to_string_lossy().into_owned());
        let touched = self.last_output.max(self.last_typed);
        Info {
            meta: (*self.meta).clone(),
            pid: self.pid,
            title: self.vt.title().to_owned(),
            size: (size.cols, size.rows),
            cursor: (cursor.row, cursor.col),
            ended: self.ended,
            activity: self.activity(),
            prompt: self.prompt().is_some(),
            cwd: cwd.or_else(|| self.vt.directory().map(str::to_owned)),
            seq: self.vt.shown_seq(),
            recording: self.tape.state(&self.hot),
            idle_ms: touched.map_or(0, |at| u64::try_from(at.elapsed().as_millis()).unwrap_or(u64::MAX)),
            keyboard: self.keyboard(),
            history_lines: self.vt.history_limit(),
            stopped: process.is_some_and(facts::is_stopped),
            plea: self.saved.pleas.newest().cloned(),
            lost: self.saved.lost.clone(),
            checkpointed: self.hot.covered() != (0, 0),
        }
    }
}

/// A capture's job has come back.
async fn caught(catcher: &mut Option<Catcher>) {
    match catcher {
        Some(catcher) => catcher.landing().await,
        None => std::future::pending().await,
    }
}

pub(crate) async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        // Nothing to wake up for: an idle session costs nothing.
        None => std::future::pending().await,
    }
}
