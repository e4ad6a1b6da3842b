//! The text of a session without the echo of typed input: what a person would call the program's answer.
//!
//! ```text
//! $ make            typed, and echoed by the shell: no answer
//! cc a.c            the answer
//! cc b.c
//! $ _
//! ```
//!
//! The shell's marks, or else the cursor's position, show where a line was typed. The answer begins where the shell marked
//! the command's start, or else after as many line ends as were typed. The part between them is a [`TypedRegion`]. Only this
//! file leaves such regions out.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use cotty_vt::{Line, LineId, Position, Vt};
use serde::{Deserialize, Serialize};

use super::returned::{Answered, is_within};
use crate::commands::{Commands, Moment, Phase};
use crate::input::typed::{Echo, EchoedBy, TypedLines};

/// A session's terminal, its commands and its typed lines.
#[derive(Clone, Copy)]
pub(crate) struct Screen<'a> {
    pub(crate) vt: &'a Vt,
    pub(crate) commands: &'a Commands,
    pub(crate) typed: &'a TypedLines,
}

/// A position, and a hash of the text before it in its line, which shows later whether that text was redrawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Spot {
    pub(crate) position: Position,
    pub(crate) before: u64,
    /// Whether it is on the alternate screen, whose lines disappear with the program.
    pub(crate) alt_screen: bool,
}

impl Spot {
    pub(crate) fn of(vt: &Vt, position: Position) -> Spot {
        let begin = Position { cell: 0, ..position };
        let before = cotty_vt::hash(vt.text_between(begin, position).text.as_bytes());
        Spot { position, before, alt_screen: vt.modes().alt_screen }
    }
}

/// Where a line was typed, and where the answer to it begins.
type TypedRegion = (Position, Answer);

/// Where the answer to a typed line begins.
#[derive(Debug, Clone, Copy)]
enum Answer {
    /// The answer has not begun.
    Open,
    /// At a shell's mark, with its seq: typed lines that change after it are part of the answer, too.
    At(Position, u64),
    /// This many lines below; `empty`: only Enter was typed, which has no echo.
    Below { lines: usize, empty: bool },
}

impl Screen<'_> {
    /// The [`Spot`] at a position.
    pub(crate) fn spot(&self, position: Position) -> Spot {
        Spot::of(self.vt, position)
    }

    /// Where a new reader begins. A first prompt at which a line was typed is skipped.
    pub(crate) fn first(&self, start: Position) -> Position {
        let typed = self.typed_regions(0).first().map(|(typed, _)| *typed);
        typed.filter(|typed| typed.line == start.line).unwrap_or(start)
    }

    /// Whether there is anything but blanks between two positions.
    pub(super) fn has_text(&self, from: Position, to: Position) -> bool {
        !self.vt.text_between(from, to).text.trim().is_empty()
    }

    /// The text after a spot, without typed lines and `answered` output, and how many of its lines had been dropped. A line
    /// that was redrawn, such as a progress bar, is included as a whole, even further up.
    pub(crate) fn text_after(&self, spot: Spot, seq: u64, answered: &[Answered]) -> (String, u64) {
        if spot.alt_screen {
            return (join(&self.lines_since(seq)), 0);
        }
        let mut begin = spot.position;
        let mut text = String::new();
        let lines = self.vt.lines_since(seq);
        let stamps: BTreeMap<LineId, u64> = lines.iter().map(|line| (line.id, line.stamp)).collect();
        let above = self.without_typed(self.vt.lines_above(begin.line, lines), seq);
        for line in above.iter().filter(|line| !answered.iter().any(|known| known.includes(line.stamp))) {
            append(&mut text, &line.text);
        }
        if self.spot(begin) != spot {
            begin.cell = 0;
        }
        let known: Vec<(u64, u64)> = answered.iter().map(Answered::seqs).collect();
        let since = |from: Position, to: Option<Position>| self.vt.text_since_except(from, to, seq, &known);
        let (mut dropped, mut from) = (0, Some((begin, 0)));
        let regions = self.skipped_regions(answered, seq, &stamps);
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

    /// The regions to leave out: typed lines, and output that `run` has returned already.
    fn skipped_regions(
        &self,
        answered: &[Answered],
        seq: u64,
        stamps: &BTreeMap<LineId, u64>,
    ) -> Vec<TypedRegion> {
        let mut regions = self.typed_regions(seq);
        for answered in answered {
            let (mut from, to) = answered.span();
            // If the line itself was redrawn, the answer included all of it.
            if stamps.get(&from.line).is_some_and(|stamp| answered.includes(*stamp)) {
                from.cell = 0;
            }
            regions.retain(|(typed, _)| !is_within((from, to), *typed));
            regions.push((from, Answer::At(to, answered.seqs().1)));
        }
        regions.sort_by_key(|(from, _)| (from.line, from.cell));
        regions
    }

    /// The text that was later drawn over typed lines, and whether over the first of them.
    fn drawn_over(
        &self,
        (typed, answer): TypedRegion,
        seq: u64,
        stamps: &BTreeMap<LineId, u64>,
        regions: &[TypedRegion],
    ) -> Option<(bool, String)> {
        let Answer::At(to, after) = answer else { return None };
        let lines = typed.line..to.line.max(typed.line);
        if !stamps.range(lines.clone()).any(|(_, stamp)| *stamp > after) {
            return None;
        }
        // Another line that was typed there is not part of the answer either.
        if regions.iter().filter(|(from, _)| lines.contains(&from.line)).count() > 1 {
            return None;
        }
        let (begin, end) = (Position { cell: 0, ..typed }, Position { cell: 0, ..to });
        let text = self.vt.text_since(begin, Some(end), after.max(seq)).text;
        Some((stamps.get(&typed.line).is_some_and(|stamp| *stamp > after), text))
    }

    /// Where lines were typed since `seq`, and where the answer to each begins. Marks show both; without marks the answer
    /// begins after as many line ends as were typed.
    fn typed_regions(&self, seq: u64) -> Vec<TypedRegion> {
        let ran: Vec<(Position, Moment)> = self.commands.typed_after(seq).collect();
        let mut regions: Vec<TypedRegion> = Vec::new();
        // A line typed while a command runs may be where its output begins, but it did not start the command.
        let covers = |(from, to): &(Position, Moment), echo: &Echo| {
            let lines = from.line..=to.position.line;
            echo.seq < to.seq && lines.contains(&echo.position.line)
        };
        regions.extend(ran.iter().map(|&(from, to)| (from, Answer::At(to.position, to.seq))));
        for echo in self.typed.lines_since(seq) {
            if !ran.iter().any(|region| covers(region, echo)) && self.is_shown(echo) {
                let empty = matches!(echo.shown, EchoedBy::Perhaps { chars: 0, .. });
                regions.push((echo.position, Answer::Below { lines: echo.lines as usize, empty }));
            }
        }
        regions.extend(self.commands.typed_now().map(|prompt| (prompt, Answer::Open)));
        // Lines that were typed ahead of the prompt: the shell echoes them at its prompt, and then runs them.
        if let Phase::Prompt(prompt) = self.commands.phase() {
            let ahead = |echo: &Echo| {
                echo.seq < prompt.seq && self.commands.started_after(echo.seq) < echo.lines as usize
            };
            if self.typed.lines_since(seq).any(ahead) {
                regions.push((prompt.position, Answer::Open));
            }
        }
        regions.sort_by_key(|(from, _)| (from.line, from.cell));
        regions
    }

    /// Whether a typed line is on the screen, or may still appear.
    fn is_shown(&self, echo: &Echo) -> bool {
        let EchoedBy::Perhaps { chars, hash } = echo.shown else { return true };
        let from = self.vt.text_from(echo.position).text;
        let line = from.split('\n').next().unwrap_or_default();
        match line.chars().count().cmp(&(chars as usize)) {
            Ordering::Less => !from.contains('\n'),
            Ordering::Equal => cotty_vt::hash(line.as_bytes()) == hash,
            Ordering::Greater => false,
        }
    }

    /// Lines that changed since `seq`, without those that only echo input.
    pub(crate) fn lines_since(&self, seq: u64) -> Vec<Line> {
        self.without_typed(self.vt.lines_since(seq), seq)
    }

    fn without_typed(&self, mut lines: Vec<Line>, seq: u64) -> Vec<Line> {
        if self.vt.modes().alt_screen {
            return lines;
        }
        for (typed, answer) in self.typed_regions(seq) {
            let Some(first) = lines.iter().position(|line| line.id == typed.line) else { continue };
            let end = match answer {
                Answer::Open => None,
                Answer::At(answer, _) => lines.iter().position(|line| line.id == answer.line),
                // Enter alone has no echo, so the program changed the line.
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

    /// The seq from which a wait searches: `since`, or by default that of the last typed line. `None`: it searches the
    /// screen.
    pub(crate) fn searched_since(&self, since: Option<u64>) -> Option<u64> {
        let alt_screen = self.vt.modes().alt_screen;
        since.or(self.typed.last_line().map(|line| line.seq).filter(|_| !alt_screen))
    }

    /// The text that a wait searches; `spot_at`: where the cursor was at a seq, if known. With `after`, only lines that
    /// changed after that seq.
    pub(crate) fn searched(
        &self,
        since: Option<u64>,
        after: Option<u64>,
        spot_at: impl Fn(u64) -> Option<Spot>,
    ) -> String {
        let alt_screen = self.vt.modes().alt_screen;
        let mut text = match since {
            None => self.vt.screen_text(),
            Some(seq) if after.is_some_and(|after| after > seq) => {
                // A typed line that limits have dropped is before all remaining lines.
                let oldest = self.vt.history().next().map_or(LineId(0), |line| line.id);
                let mut typed = self.typed_regions(seq);
                typed.retain(|(from, _)| from.line >= oldest);
                let mut lines = self.vt.lines_since(after.unwrap_or(seq));
                lines.retain(|line| !typed.iter().any(|region| is_typed(region, line.id)));
                join(&lines)
            }
            Some(seq) => {
                // Both added text and lines that changed further up.
                let changed = join(&self.lines_since(seq));
                match spot_at(seq).filter(|_| !alt_screen) {
                    // Separated, so that no match begins in one and ends in the other.
                    Some(spot) => format!("{changed}\n\n{}", self.text_after(spot, seq, &[]).0),
                    None => changed,
                }
            }
        };
        // Text has no blanks at the ends of its lines, but a question often ends with one.
        let cursor = self.vt.cursor();
        let row = self.vt.row_text(cursor.row);
        let blanks = usize::from(cursor.col).saturating_sub(row.chars().count());
        add_blanks(&mut text, &row, blanks);
        text
    }

    /// Whether the screen has changed since `seq`, beyond the echo of `typed`.
    pub(crate) fn changed_beyond(
        &self,
        seq: u64,
        typed: Option<&str>,
        spot_at: impl Fn(u64) -> Option<Spot>,
    ) -> bool {
        if self.vt.modes().alt_screen {
            return !self.vt.lines_since(seq).is_empty();
        }
        let text = self.searched(Some(seq), None, spot_at);
        let text = text.trim();
        match typed {
            Some(typed) if !typed.contains('\n') => !text.is_empty() && !text.ends_with(typed.trim()),
            _ => !text.is_empty(),
        }
    }
}

/// Whether a line is in a typed region.
fn is_typed((from, answer): &TypedRegion, line: LineId) -> bool {
    from.line <= line
        && match answer {
            Answer::Open => true,
            Answer::At(answer, _) => line < answer.line,
            Answer::Below { empty: true, .. } => false,
            // Line ids are consecutive.
            Answer::Below { lines, .. } => line.0 < from.line.0 + *lines as u64,
        }
}

/// Adds blanks to the last line that ends like the cursor's row; other lines, or empty rows, may follow it.
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

/// The text after this many line ends; empty if it has fewer.
pub(super) fn skip_lines(text: &str, lines: usize) -> &str {
    (0..lines).try_fold(text, |rest, _| rest.split_once('\n').map(|(_, rest)| rest)).unwrap_or_default()
}

/// Appends text, on a new line.
fn append(text: &mut String, more: &str) {
    if !text.is_empty() && !text.ends_with('\n') && !more.is_empty() {
        text.push('\n');
    }
    text.push_str(more);
}

pub(super) fn join(lines: &[Line]) -> String {
    let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    texts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

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
