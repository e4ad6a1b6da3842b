//! What an agent asks of the person who is attached.

use cotty_protocol::op::keyboard::Holder;
use cotty_protocol::view::{FromViewer, HandoffNotice, Presence};
use cotty_vt::{Key, KeyCode};

use super::AttachEnd;
use super::app::{Act, App};
use super::status;

/// A message that takes more than this of the status line is shown as a whole, too.
const SHORT: usize = 60;

impl App {
    /// What an agent asks here, while it does.
    pub(super) fn handoff(&self) -> Option<&HandoffNotice> {
        self.presence.handoff.as_deref().filter(|request| request.is_open())
    }

    /// Whether the person came for that. It may be asked only after they came, for a secret.
    pub(super) fn came_for_handoff(&self) -> bool {
        self.options.needed && self.handoff().is_some()
    }

    /// How the person ends it; empty where there is nothing to end.
    pub(super) fn ending(&self) -> String {
        match (self.options.needed, self.handoff().is_some()) {
            _ if self.over.is_some() => String::new(),
            (true, true) => "Ctrl-D when done".to_owned(),
            (true, false) => "Ctrl-D leaves".to_owned(),
            (false, true) => format!("{} y when done", self.options.prefix),
            (false, false) => String::new(),
        }
    }

    /// What an agent asks is new here: it is shown with the key that ends it, and whoever came for it gets the keyboard.
    pub(super) fn hear_handoff(&mut self) -> Act {
        match self.presence.yours && !self.options.needed {
            true => self.say(self.status_line()),
            false => self.hush(),
        }
        self.begin_handoff()
    }

    /// Takes the keyboard for what one came for, unless somebody else is at it.
    fn begin_handoff(&mut self) -> Act {
        if !self.came_for_handoff() || self.may_not("the keyboard is not taken") {
            return Act::Nothing;
        }
        let long =
            |asked: &HandoffNotice| asked.message.chars().count() > SHORT || asked.message.contains('\n');
        // Not under the hands of somebody who types: it takes the next key.
        self.help = !self.typed && self.handoff().is_some_and(long);
        if self.presence.holder == Some(Holder::Person) && !self.presence.yours {
            let by = self.presence.by.clone().unwrap_or_default();
            self.say(format!("{by} is at it already; {} t takes over", self.options.prefix));
            return Act::Nothing;
        }
        self.typed = true;
        Act::Send(vec![FromViewer::Take])
    }

    /// Says to the agent that it is done, or will not be.
    pub(super) fn answer(&mut self, decline: bool) -> Act {
        let Some(request_id) = self.handoff().map(|request| request.request_id.clone()) else {
            self.say("no agent asks for anything here");
            return Act::Nothing;
        };
        if self.may_not("nothing is answered") {
            return Act::Nothing;
        }
        self.answered = Some((request_id.clone(), decline));
        Act::Send(vec![FromViewer::Answer { request_id, decline, note: None }])
    }

    /// Whether a key ends what one came for. It does so before and afterwards, too: whoever came for a secret, or is about to
    /// press it while the agent gives up, is not to end the agent's shell instead.
    pub(super) fn ends_handoff(&self, key: Key) -> bool {
        self.options.needed && key == Key { ctrl: true, ..KeyCode::Char('d').into() }
    }

    /// That key.
    pub(super) fn end_handoff(&mut self) -> Act {
        match self.came_for_handoff() {
            true => self.answer(false),
            false => Act::End(AttachEnd::Detached),
        }
    }

    /// Whoever came for it, and has answered it, leaves.
    pub(super) fn leaves_answered(&self, presence: &Presence) -> Option<AttachEnd> {
        let ended = presence.handoff.as_ref().filter(|request| !request.is_open())?;
        let (answered, declined) = self.answered.as_ref().filter(|_| self.options.needed)?;
        (*answered == ended.request_id).then_some(AttachEnd::Answered { declined: *declined })
    }

    /// All that is asked, in lines.
    pub(super) fn handoff_lines(&self, width: usize) -> Vec<String> {
        let Some(request) = self.handoff() else { return Vec::new() };
        let mut lines = vec![format!("{} asks:", request.from)];
        lines.extend(request.message.lines().flat_map(|line| wrapped(&status::plain(line), width)));
        lines.push(String::new());
        lines
    }
}

/// A line in pieces that are not wider; a word that is, is cut.
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
    fn a_message_is_wrapped_between_its_words() {
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("one two  three", 7), ["one two", "three"]);
        assert_eq!(wrapped("abcdefgh i", 3), ["abc", "def", "gh", "i"]);
    }
}
