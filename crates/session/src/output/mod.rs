//! What a reader is given: the screen, what is new to it, or what left the screen.

pub(crate) mod head_tail;
pub(crate) mod images;
pub(crate) mod told;

use std::collections::BTreeMap;

use cotty_vt::{Line, LineId, Position};
use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::commands::{Moment, Phase};
use crate::durable::checkpoint::Lost;
use crate::durable::journal::{Record, What};
use crate::handle::Info;
use crate::input::push_bounded;
use crate::output::images::Images;
use crate::output::told::{Answered, is_within};
use crate::task::Task;

/// Readers whose places are remembered; the one that is furthest behind is forgotten first.
const MOST_READERS: usize = 256;

/// Which part to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// What a person would see.
    Screen,
    /// What came since this reader's last read.
    New,
    /// The rows of the screen that changed since this reader's last read.
    Changes,
    /// What left the screen: `limit` lines, skipping `offset` from the newest.
    Scrollback {
        /// Lines to skip.
        offset: usize,
        /// Most lines to give.
        limit: usize,
    },
    /// These lines, both included: 0 is the screen's top row, -1 the newest line that left the screen.
    Lines {
        /// The first; the screen's top row where none is given.
        first: Option<i64>,
        /// The last; the screen's bottom row where none is given.
        last: Option<i64>,
        /// The same with colours, too, of the same moment.
        styled: bool,
    },
    /// What left the screen and what is on it, as one text that belongs together: the newest `limit` lines.
    Whole {
        /// Most lines to give.
        limit: usize,
    },
}

/// What was read.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The text.
    pub content: String,
    /// For [`View::Lines`], where it was asked for: the same with colours.
    pub styled: Option<String>,
    /// Lines that left the screen and can still be read.
    pub history: usize,
    /// For [`View::Changes`]: the row of each line of it, from 0.
    pub rows: Vec<u16>,
    /// Where the reading began: read from here again to page through it.
    pub from: u64,
    /// Lines that the limits had dropped before they were read.
    pub dropped: u64,
    /// Whether anything came since this reader's last read.
    pub has_new: bool,
    /// Images that came since then.
    pub images: Vec<Images>,
    /// What a daemon could not take over from the one before it, if this reader was not told yet.
    pub lost: Option<Lost>,
    /// The session at that moment.
    pub info: Info,
}

/// A place where a pattern was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The text that matched.
    pub text: String,
    /// The whole line.
    pub line: String,
    /// Where it is.
    pub place: FoundAt,
}

/// Where something was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundAt {
    /// On the screen, or in what left it: the line's id and the cell, from 0.
    Line {
        /// The line's id.
        id: u64,
        /// The first cell of the match.
        cell: u32,
    },
    /// In what a full-screen program once showed.
    Past,
}

/// Where a reader stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(crate) seq: u64,
    pub(crate) spot: Spot,
    /// What further on is not new to it: `run` has answered it. In order.
    pub(crate) answered: Vec<Answered>,
}

/// A reader, and by which request it came where it is: one that comes again reads from `before`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Reader {
    pub(crate) place: Place,
    pub(crate) before: Option<Place>,
    pub(crate) request: u64,
}

/// A position, and a hash of what stood before it in its line: whether that was drawn anew can be seen later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Spot {
    pub(crate) position: Position,
    pub(crate) before: u64,
    /// A full-screen program's line: it is gone with the program.
    pub(crate) alt_screen: bool,
}

impl Reader {
    /// Where it stood before this request, whether that comes for the first time or again.
    pub(crate) fn before_request(&self, request: u64) -> Option<Place> {
        if self.request == request { self.before.clone() } else { Some(self.place.clone()) }
    }
}

/// Where the answer to a typed line begins.
#[derive(Debug, Clone, Copy)]
enum Answer {
    /// It has not begun.
    Open,
    /// A shell's mark tells, and after how much output: what was typed and is changed later is an answer, too.
    At(Position, u64),
    /// So many lines below; `empty`: Enter alone was typed, and shows nothing.
    Below { lines: usize, empty: bool },
}

/// A typed line: where the cursor stood when it was typed, how many line ends it had, and who shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Echo {
    pub(crate) seq: u64,
    pub(crate) position: Position,
    pub(crate) lines: u32,
    pub(crate) shown: Shown,
}

/// Who shows a typed line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Shown {
    /// The kernel, or a shell that marks: surely.
    #[default]
    Surely,
    /// The program, if at all: then the line on the screen is this one. Its hash, because it may be a secret.
    Perhaps { chars: u32, hash: u64 },
}

impl Shown {
    /// By the program, if at all.
    pub(crate) fn perhaps(typed: &[u8]) -> Shown {
        let typed = String::from_utf8_lossy(typed);
        let line = typed.strip_prefix("\u{1b}[200~").unwrap_or(&typed);
        let line = line.split(['\r', '\n']).next().unwrap_or_default();
        Shown::Perhaps { chars: u32::try_from(line.chars().count()).unwrap_or(u32::MAX), hash: hash(line) }
    }
}

/// The same in every daemon.
pub(crate) fn hash(text: &str) -> u64 {
    cotty_vt::hash(text.as_bytes())
}

impl Task {
    pub(crate) fn read(
        &mut self,
        view: View,
        raw: bool,
        reader: &str,
        request: &str,
        since: Option<u64>,
        most: usize,
    ) -> Reading {
        let request = hash(request);
        let known = self.saved.readers.get(reader);
        let place = known.and_then(|known| known.before_request(request));
        let seen = since.or(place.as_ref().map(|p| p.seq)).unwrap_or(0);
        let raw_new = raw && view == View::New;
        // Bytes are read as far as they came, the screen as far as it is to be seen.
        let seq = if raw_new { self.vt.seq() } else { self.vt.shown_seq() };
        let has_new = seq > seen;
        let rows: Vec<u16> = match view {
            View::Changes => self.vt.rows_since(seen).collect(),
            _ => Vec::new(),
        };
        let (content, dropped) = match view {
            View::Changes => (self.rows_text(&rows, raw), 0),
            View::Screen if raw => (self.rows_raw(), 0),
            View::Screen => (self.vt.screen_text().trim_end_matches('\n').to_owned(), 0),
            View::New if raw => (
                String::from_utf8_lossy(self.hot.output(seen.max(self.hot.oldest()).min(seq), seq))
                    .into_owned(),
                0,
            ),
            View::New => self.new_text(since, place.as_ref(), most),
            View::Scrollback { offset, limit } => self.scrollback(offset, limit, raw),
            View::Lines { first, last, .. } => (self.lines(first, last, raw), self.vt.history_dropped()),
            View::Whole { limit } => self.whole(limit, raw),
        };
        if since.is_none() {
            let what = What::Read { reader: reader.to_owned(), shown: seq, request };
            if has_new || place.is_none() {
                // Where it cannot be written down, the next daemon gives this reader more than it needs.
                let _ = self.hot.record(&Record { seq: self.vt.seq(), what: what.clone() });
            }
            self.apply(&what, 0);
        }
        let styled = match view {
            View::Lines { first, last, styled: true } => Some(self.lines(first, last, true)),
            _ => None,
        };
        let history = match view {
            View::Lines { .. } => self.vt.history().count(),
            _ => 0,
        };
        let images = self.images.between(seen, seq);
        let lost = self.told_lost.news(self.saved.lost.as_ref(), reader);
        let info = self.info();
        Reading { content, styled, history, rows, from: seen, dropped, has_new, images, lost, info }
    }

    /// A reader has read so far.
    pub(crate) fn apply_read(&mut self, reader: &str, seq: u64, request: u64) {
        let place = Place { seq, spot: self.spot(self.vt.shown_position()), answered: Vec::new() };
        let before = self.put_reader(reader, place, request);
        let before = before.map(|before| Place { answered: Vec::new(), ..before });
        if let Some(before) = before.filter(|before| !self.saved.passed.contains(before)) {
            // What was read from there may be paged through.
            push_bounded(&mut self.saved.passed, before);
        }
    }

    /// Puts a reader where a request brought it; answers where it stood before.
    pub(crate) fn put_reader(&mut self, reader: &str, place: Place, request: u64) -> Option<Place> {
        let readers = &mut self.saved.readers;
        let before = readers.get(reader).and_then(|known| known.before_request(request));
        let oldest = || readers.iter().min_by_key(|(_, known)| known.place.seq).map(|(name, _)| name.clone());
        if readers.len() >= MOST_READERS
            && !readers.contains_key(reader)
            && let Some(oldest) = oldest()
        {
            readers.remove(&oldest);
        }
        readers.insert(reader.to_owned(), Reader { place, before: before.clone(), request });
        before
    }

    fn rows_text(&self, rows: &[u16], raw: bool) -> String {
        let text = |&row: &u16| if raw { self.vt.row_ansi(row) } else { self.vt.row_text(row) };
        rows.iter().map(text).collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn search(&self, pattern: &Regex, limit: usize) -> Vec<Found> {
        let found = |hit: cotty_vt::Match| {
            let place = match hit.place {
                cotty_vt::Place::Text { from, .. } => FoundAt::Line { id: from.line.0, cell: from.cell },
                cotty_vt::Place::Kept { .. } => FoundAt::Past,
            };
            Found { text: hit.text, line: hit.line, place }
        };
        self.vt.search(pattern, limit).into_iter().map(found).collect()
    }

    fn rows_raw(&self) -> String {
        let rows: Vec<String> = (0..self.vt.size().rows).map(|row| self.vt.row_ansi(row)).collect();
        rows.join("\n").trim_end_matches('\n').to_owned()
    }

    fn scrollback(&self, offset: usize, limit: usize, raw: bool) -> (String, u64) {
        let mut lines: Vec<String> = match raw {
            true => self.vt.history_ansi().rev().skip(offset).take(limit).collect(),
            false => self.vt.history().rev().skip(offset).take(limit).map(|l| l.text.to_owned()).collect(),
        };
        lines.reverse();
        (lines.join("\n"), self.vt.history_dropped())
    }

    /// Lines by their numbers; those that are not there are left out.
    fn lines(&self, first: Option<i64>, last: Option<i64>, raw: bool) -> String {
        let bottom = i64::from(self.vt.size().rows) - 1;
        let (first, last) = (first.unwrap_or(0), last.unwrap_or(bottom).min(bottom));
        let mut lines = Vec::new();
        if first < 0 && first <= last {
            // Counted from the newest, as they are kept.
            let count = |from: i64| usize::try_from(from.saturating_neg()).unwrap_or(0);
            let (skip, upto) = (count(last).saturating_sub(1), count(first));
            let text = self.scrollback(skip, upto.saturating_sub(skip), raw).0;
            let there = self.vt.history().count() > skip;
            lines.extend(there.then_some(text));
        }
        if last >= 0 && first <= last {
            let row = |line: i64| u16::try_from(line).unwrap_or(0);
            let rows: Vec<u16> = (row(first.max(0))..=row(last)).collect();
            lines.push(self.rows_text(&rows, raw));
        }
        lines.join("\n")
    }

    /// Each logical line in one piece, also one that is half on the screen. A full-screen program's rows follow those of
    /// the screen that it covers.
    fn whole(&self, limit: usize, raw: bool) -> (String, u64) {
        let oldest = Position { line: LineId(0), cell: 0 };
        let excerpt = if raw { self.vt.ansi_from(oldest) } else { self.vt.text_from(oldest) };
        let mut text = excerpt.text;
        if self.vt.modes().alt_screen {
            let rows: Vec<u16> = (0..self.vt.size().rows).collect();
            text.push('\n');
            text.push_str(&self.rows_text(&rows, raw));
        }
        let left_out = text.split('\n').count().saturating_sub(limit);
        if left_out > 0 {
            text = skip_lines(&text, left_out).to_owned();
        }
        (text, self.vt.history_dropped() + left_out as u64)
    }

    fn new_text(&self, since: Option<u64>, place: Option<&Place>, most: usize) -> (String, u64) {
        let seq = since.or(place.map(|p| p.seq));
        if self.vt.modes().alt_screen {
            return (join(&self.vt.lines_since(seq.unwrap_or(0))), 0);
        }
        match (since, place) {
            (None, None) => self.text_after(self.spot(self.first()), 0, &[]),
            (None, Some(place)) => {
                let new = self.text_after(place.spot, place.seq, &place.answered);
                // What is cut is paged through from a seq on, which knows of no reader: then all is in it.
                let is_cut = !place.answered.is_empty() && new.0.len() > most;
                if is_cut { self.text_after(place.spot, place.seq, &[]) } else { new }
            }
            (Some(since), _) => match self.spot_at(since) {
                Some(spot) => self.text_after(spot, since, &[]),
                None => (join(&self.lines_without_echo(since)), 0),
            },
        }
    }

    /// Where a reader begins that has read nothing yet. A prompt that a line was typed at is no answer to it.
    pub(crate) fn first(&self) -> Position {
        let typed = self.typed_regions(0).first().map(|(typed, _)| *typed);
        typed.filter(|typed| typed.line == self.start.line).unwrap_or(self.start)
    }

    /// Where the cursor stood after that much output, if anybody typed or read then.
    fn spot_at(&self, seq: u64) -> Option<Spot> {
        let typed = self.saved.requests.iter().find(|r| r.seq == seq).map(|r| r.spot);
        let mut places = self.saved.readers.values().map(|known| &known.place).chain(&self.saved.passed);
        typed.or_else(|| places.find(|p| p.seq == seq).map(|p| p.spot))
    }

    pub(crate) fn spot(&self, position: Position) -> Spot {
        let begin = Position { cell: 0, ..position };
        let before = hash(&self.vt.text_between(begin, position).text);
        Spot { position, before, alt_screen: self.vt.modes().alt_screen }
    }

    /// What came after a spot, without what was typed since: what a person would call the answer. A line that was drawn
    /// anew, as progress bars are, is there as a whole, also one further up. Without what was answered already.
    fn text_after(&self, spot: Spot, seq: u64, answered: &[Answered]) -> (String, u64) {
        if spot.alt_screen {
            return (join(&self.lines_without_echo(seq)), 0);
        }
        let mut begin = spot.position;
        let mut text = String::new();
        let lines = self.vt.lines_since(seq);
        let stamps: BTreeMap<LineId, u64> = lines.iter().map(|line| (line.id, line.stamp)).collect();
        let above = self.without_echo(self.vt.lines_above(begin.line, lines), seq);
        for line in above.iter().filter(|line| !answered.iter().any(|told| told.has_told(line.stamp))) {
            append(&mut text, &line.text);
        }
        if self.spot(begin) != spot {
            begin.cell = 0;
        }
        let told: Vec<(u64, u64)> = answered.iter().map(Answered::told).collect();
        let since = |from: Position, to: Option<Position>| self.vt.text_since_but(from, to, seq, &told);
        let (mut dropped, mut from) = (0, Some((begin, 0)));
        let mut regions = self.typed_regions(seq);
        for answered in answered {
            let (mut from, to) = answered.stretch();
            // Where the line itself was drawn over, all of it was told.
            if stamps.get(&from.line).is_some_and(|stamp| answered.has_told(*stamp)) {
                from.cell = 0;
            }
            regions.retain(|(typed, _)| !is_within((from, to), *typed));
            regions.push((from, Answer::At(to, answered.told().1)));
        }
        regions.sort_by_key(|(from, _)| (from.line, from.cell));
        for &(typed, answer) in &regions {
            let Some((start, skip)) = from else { break };
            let drawn = self.drawn_over((typed, answer), seq, &stamps, &regions);
            let is_first = drawn.as_ref().is_some_and(|(first, _)| *first);
            let cell = if is_first { 0 } else { typed.cell };
            let before = since(start, Some(Position { cell, ..typed }));
            dropped += before.dropped;
            append(&mut text, skip_lines(&before.text, skip));
            if let Some((_, drawn)) = drawn {
                append(&mut text, &drawn);
            }
            from = match answer {
                Answer::Open => None,
                Answer::At(position, _) => Some((position, 0)),
                Answer::Below { lines, .. } => Some((typed, lines)),
            };
        }
        if let Some((start, skip)) = from {
            let rest = since(start, None);
            dropped += rest.dropped;
            append(&mut text, skip_lines(&rest.text, skip));
        }
        (text, dropped)
    }

    /// What was drawn over a typed line later, and whether over its first.
    fn drawn_over(
        &self,
        (typed, answer): (Position, Answer),
        seq: u64,
        stamps: &BTreeMap<LineId, u64>,
        regions: &[(Position, Answer)],
    ) -> Option<(bool, String)> {
        let Answer::At(to, after) = answer else { return None };
        let lines = typed.line..to.line.max(typed.line);
        if !stamps.range(lines.clone()).any(|(_, stamp)| *stamp > after) {
            return None;
        }
        // Another line that was typed there is no answer either.
        if regions.iter().filter(|(from, _)| lines.contains(&from.line)).count() > 1 {
            return None;
        }
        let (begin, end) = (Position { cell: 0, ..typed }, Position { cell: 0, ..to });
        let text = self.vt.text_since(begin, Some(end), after.max(seq)).text;
        Some((stamps.get(&typed.line).is_some_and(|stamp| *stamp > after), text))
    }

    /// Where lines were typed since `seq`, and where the answer to each begins. A shell with marks tells both; elsewhere
    /// the answer begins behind as many line ends as were typed.
    fn typed_regions(&self, seq: u64) -> Vec<(Position, Answer)> {
        let ran: Vec<(Position, Moment)> = self.saved.commands.typed_after(seq).collect();
        let mut regions: Vec<(Position, Answer)> = Vec::new();
        let covers = |(from, to): &(Position, Moment), at: Position| {
            from.line <= at.line && at.line <= to.position.line
        };
        regions.extend(ran.iter().map(|&(from, to)| (from, Answer::At(to.position, to.seq))));
        for echo in self.saved.echoes.iter().filter(|echo| echo.seq >= seq) {
            if !ran.iter().any(|region| covers(region, echo.position)) && self.is_shown(echo) {
                let empty = matches!(echo.shown, Shown::Perhaps { chars: 0, .. });
                regions.push((echo.position, Answer::Below { lines: echo.lines as usize, empty }));
            }
        }
        regions.extend(self.saved.commands.typed_now().map(|prompt| (prompt, Answer::Open)));
        // Lines that were typed before the shell asked for them: it shows them at its prompt, and then runs them.
        if let Phase::Prompt(prompt) = self.saved.commands.phase() {
            let ahead = |echo: &&Echo| {
                let typed = echo.lines as usize;
                echo.seq >= seq
                    && echo.seq < prompt.seq
                    && self.saved.commands.started_after(echo.seq) < typed
            };
            if self.saved.echoes.iter().any(|echo| ahead(&echo)) {
                regions.push((prompt.position, Answer::Open));
            }
        }
        regions.sort_by_key(|(from, _)| (from.line, from.cell));
        regions
    }

    /// Whether a typed line stands on the screen, or may be about to.
    fn is_shown(&self, echo: &Echo) -> bool {
        let Shown::Perhaps { chars, hash: typed } = echo.shown else { return true };
        let from = self.vt.text_from(echo.position).text;
        let line = from.split('\n').next().unwrap_or_default();
        match line.chars().count().cmp(&(chars as usize)) {
            std::cmp::Ordering::Less => !from.contains('\n'),
            std::cmp::Ordering::Equal => hash(line) == typed,
            std::cmp::Ordering::Greater => false,
        }
    }

    /// Lines that changed since `seq`, without those that only show what was typed.
    pub(crate) fn lines_without_echo(&self, seq: u64) -> Vec<Line> {
        self.without_echo(self.vt.lines_since(seq), seq)
    }

    fn without_echo(&self, mut lines: Vec<Line>, seq: u64) -> Vec<Line> {
        if self.vt.modes().alt_screen {
            return lines;
        }
        for (typed, answer) in self.typed_regions(seq) {
            let Some(first) = lines.iter().position(|line| line.id == typed.line) else { continue };
            let end = match answer {
                Answer::Open => None,
                Answer::At(answer, _) => lines.iter().position(|line| line.id == answer.line),
                // Then the line was changed by the program.
                Answer::Below { empty: true, .. } => continue,
                Answer::Below { lines, .. } => Some(first + lines),
            };
            let rest = lines.split_off(end.unwrap_or(lines.len()).clamp(first, lines.len()));
            let typed = lines.split_off(first);
            if let Answer::At(_, after) = answer {
                lines.extend(typed.into_iter().filter(|line| line.stamp > after));
            }
            lines.extend(rest);
        }
        lines
    }

    /// What a wait searches: what came since `since`; by default since the last line was typed, or the whole screen.
    /// With `after`, only lines that changed after that much output.
    pub(crate) fn text_since(&self, since: Option<u64>, after: Option<u64>) -> String {
        let alt_screen = self.vt.modes().alt_screen;
        let mut text = match since.or(self.saved.echoes.back().map(|echo| echo.seq).filter(|_| !alt_screen)) {
            None => self.vt.screen_text(),
            Some(seq) if after.is_some_and(|after| after > seq) => {
                // What was typed so long ago that its line is gone stands before all that is left.
                let oldest = self.vt.history().next().map_or(LineId(0), |line| line.id);
                let mut typed = self.typed_regions(seq);
                typed.retain(|(from, _)| from.line >= oldest);
                let mut lines = self.vt.lines_since(after.unwrap_or(seq));
                lines.retain(|line| !typed.iter().any(|region| is_typed(region, line.id)));
                join(&lines)
            }
            Some(seq) => {
                // Both what was added and what was changed further up.
                let changed = join(&self.lines_without_echo(seq));
                let added =
                    self.spot_at(seq).filter(|_| !alt_screen).map(|at| self.text_after(at, seq, &[]).0);
                match added {
                    // Apart, so that nothing is found that begins in one and ends in the other.
                    Some(added) => format!("{changed}\n\n{added}"),
                    None => changed,
                }
            }
        };
        // Text is read without the blanks at its lines' ends, but a question often ends with one.
        let cursor = self.vt.cursor();
        let row = self.vt.row_text(cursor.row);
        let blanks = usize::from(cursor.col).saturating_sub(row.chars().count());
        add_blanks(&mut text, &row, blanks);
        text
    }
}

/// Whether a line shows what was typed.
fn is_typed((from, answer): &(Position, Answer), line: LineId) -> bool {
    from.line <= line
        && match answer {
            Answer::Open => true,
            Answer::At(answer, _) => line < answer.line,
            Answer::Below { empty: true, .. } => false,
            // Lines are numbered as they come.
            Answer::Below { lines, .. } => line.0 < from.line.0 + *lines as u64,
        }
}

/// Puts blanks behind the last line that ends as the cursor's row does; below it there may be more, or empty rows.
fn add_blanks(text: &mut String, row: &str, blanks: usize) {
    if row.is_empty() || blanks == 0 {
        return;
    }
    let mut end = text.len();
    while !text[..end].ends_with(row) {
        match text[..end].rfind('\n') {
            Some(above) => end = above,
            None => return,
        }
    }
    text.insert_str(end, &" ".repeat(blanks));
}

/// The text behind so many line ends; none if it has not as many.
fn skip_lines(text: &str, lines: usize) -> &str {
    (0..lines).try_fold(text, |rest, _| rest.split_once('\n').map(|(_, rest)| rest)).unwrap_or_default()
}

/// Puts text behind text, on a line of its own.
fn append(text: &mut String, more: &str) {
    if !text.is_empty() && !text.ends_with('\n') && !more.is_empty() {
        text.push('\n');
    }
    text.push_str(more);
}

fn join(lines: &[Line]) -> String {
    let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    texts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_begins_behind_the_lines_that_were_typed() {
        assert_eq!(skip_lines("typed\nanswer\nmore", 1), "answer\nmore");
        assert_eq!(skip_lines("\nanswer", 1), "answer");
        assert_eq!(skip_lines("half typ", 1), "");
        assert_eq!(skip_lines("nothing typed", 0), "nothing typed");
    }

    #[test]
    fn a_question_keeps_the_blank_it_ends_with() {
        let with = |text: &str, row: &str, blanks| {
            let mut text = text.to_owned();
            add_blanks(&mut text, row, blanks);
            text
        };
        assert_eq!(with("name?", "name?", 1), "name? ");
        assert_eq!(with("a\n>>>\n\n\n", ">>>", 1), "a\n>>> \n\n\n");
        assert_eq!(
            with("wrapped line of a question:\nstatus", "question:", 2),
            "wrapped line of a question:  \nstatus"
        );
        assert_eq!(with(">>> 1\n1\n>>>", ">>>", 1), ">>> 1\n1\n>>> ");
        assert_eq!(with("nothing\nof it", "$", 1), "nothing\nof it");
        assert_eq!(with("é\n", "", 1), "é\n");
    }
}
