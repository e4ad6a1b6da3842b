//! Hand-off requests in attach.

use cotty_protocol::op::keyboard::Holder;
use cotty_protocol::view::{FromViewer, HandoffNotice, Presence};
use cotty_vt::{Key, KeyCode};

use super::AttachEnd;
use super::app::{Act, App};
use super::status;

/// A message longer than this is also shown in full, in a box.
const SHORT: usize = 60;

impl App {
    /// The open hand-off request, if there is one.
    pub(super) fn handoff(&self) -> Option<&HandoffNotice> {
        self.presence.handoff.as_deref().filter(|request| request.is_open())
    }

    /// Whether the person attached with `--next` and a request is open. It may have been made after they attached.
    pub(super) fn came_for_handoff(&self) -> bool {
        self.options.needed && self.handoff().is_some()
    }

    /// The key that ends the request; empty if there is nothing to end.
    pub(super) fn ending(&self) -> String {
        match (self.options.needed, self.handoff().is_some()) {
            _ if self.over.is_some() => String::new(),
            (true, true) => "Ctrl-D when done".to_owned(),
            (true, false) => "Ctrl-D detaches".to_owned(),
            (false, true) => format!("{} y when done", self.options.prefix),
            (false, false) => String::new(),
        }
    }

    /// Shows a new request with the key that ends it, and takes the keyboard for a person who attached with `--next`.
    pub(super) fn new_handoff(&mut self) -> Act {
        match self.presence.yours && !self.options.needed {
            true => self.say(self.status_line()),
            false => self.hush(),
        }
        self.begin_handoff()
    }

    /// Takes the keyboard for the request, unless another person has it.
    fn begin_handoff(&mut self) -> Act {
        if !self.came_for_handoff() || self.refuses("you cannot take the keyboard") {
            return Act::Nothing;
        }
        let long =
            |asked: &HandoffNotice| asked.message.chars().count() > SHORT || asked.message.contains('\n');
        // Not while the person is typing: the box swallows the next key.
        self.help = !self.typed && self.handoff().is_some_and(long);
        if self.presence.holder == Some(Holder::Person) && !self.presence.yours {
            let by = self.presence.by.clone().unwrap_or_default();
            self.say(format!("{by} already has the keyboard; {} t takes it", self.options.prefix));
            return Act::Nothing;
        }
        self.typed = true;
        Act::Send(vec![FromViewer::Take])
    }

    /// Completes or declines the request.
    pub(super) fn answer(&mut self, decline: bool) -> Act {
        let Some(request_id) = self.handoff().map(|request| request.request_id.clone()) else {
            self.say("there is no open hand-off request");
            return Act::Nothing;
        };
        if self.refuses("you cannot answer") {
            return Act::Nothing;
        }
        self.answered = Some((request_id.clone(), decline));
        Act::Send(vec![FromViewer::Answer { request_id, decline, note: None }])
    }

    /// Whether a key ends a `--next` visit, with or without an open request. Otherwise Ctrl-D would end the agent's shell if
    /// the person came for a secret or the request timed out a moment ago.
    pub(super) fn ends_handoff(&self, key: Key) -> bool {
        self.options.needed && key == Key { ctrl: true, ..KeyCode::Char('d').into() }
    }

    /// Handles that key.
    pub(super) fn end_handoff(&mut self) -> Act {
        match self.came_for_handoff() {
            true => self.answer(false),
            false => Act::End(AttachEnd::Detached),
        }
    }

    /// With `--next`, attach ends when the answered request has ended.
    pub(super) fn leaves_answered(&self, presence: &Presence) -> Option<AttachEnd> {
        let ended = presence.handoff.as_ref().filter(|request| !request.is_open())?;
        let (answered, declined) = self.answered.as_ref().filter(|_| self.options.needed)?;
        (*answered == ended.request_id).then_some(AttachEnd::Answered { declined: *declined })
    }

    /// The whole request, in lines.
    pub(super) fn handoff_lines(&self, width: usize) -> Vec<String> {
        let Some(request) = self.handoff() else { return Vec::new() };
        let mut lines = vec![format!("{} asks:", request.from)];
        lines.extend(request.message.lines().flat_map(|line| wrapped(&status::plain(line), width)));
        lines.push(String::new());
        lines
    }
}

/// Wraps a line between words; a word that is too long is cut.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in line.split(' ') {
        let long: Vec<char> = word.chars().collect();
        for piece in long.chunks(width.max(1)) {
            if used > 0 && used + 1 + piece.len() > width {
                lines.push(String::new());
                used = 0;
            }
            let last = lines.last_mut().into_iter();
            for line in last {
                line.extend((used > 0).then_some(' '));
                line.extend(piece);
                used += piece.len() + usize::from(used > 0);
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_wraps_between_words() {
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("one two  three", 7), ["one two", "three"]);
        assert_eq!(wrapped("abcdefgh i", 3), ["abc", "def", "gh", "i"]);
    }
}
