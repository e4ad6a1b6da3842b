//! What an agent asks of people: to take over its terminal for a moment. Pure: told of what happens and of the time; part
//! of a session's state, so that a new daemon knows the same requests as the one before.
//!
//! A session has at most one open request. It is *taken* while a person has the keyboard, and waits otherwise; so that is not
//! kept here. Giving the keyboard back completes it; going away does not.

use std::collections::VecDeque;

use cotty_protocol::op::requests::State;
use cotty_protocol::text::acts;
use serde::{Deserialize, Serialize};

use crate::SessionError;
use crate::error::invalid;

/// Most characters of a message, or of a note.
const LONGEST: usize = 2000;
/// How long an ended one is still known.
const KEPT_MS: u64 = 600_000;
/// How many are.
const KEPT: usize = 16;

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandoffRequest {
    /// `req_` and eight characters.
    pub id: String,
    /// The request that made it: asked again, it answers with this request.
    #[serde(rename = "request")]
    pub(crate) retry_id: String,
    /// The agent's name.
    pub from: String,
    /// What a person is to do: data, without anything that could act on a terminal.
    pub message: String,
    /// Milliseconds since the epoch.
    pub made_ms: u64,
    /// When it is given up, likewise.
    pub ends_ms: u64,
    /// Output before it.
    pub from_seq: u64,
    /// Bytes that people typed while it was open.
    pub bytes: u64,
    /// How it ended, if it did.
    pub ended: Option<HandoffEnd>,
}

/// How a hand-off request ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandoffEnd {
    /// How.
    pub outcome: HandoffOutcome,
    /// Milliseconds since the epoch.
    pub at_ms: u64,
    /// The person who ended it.
    pub by: Option<String>,
    /// What that person tells the agent.
    pub note: Option<String>,
    /// The request that ended it.
    #[serde(rename = "request")]
    pub(crate) retry_id: String,
}

/// How a hand-off request ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum HandoffOutcome {
    /// A person did it.
    Completed,
    /// A person will not.
    Declined,
    /// Nobody did in time.
    Timeout,
    /// The agent withdrew it, or the program ended with nobody there.
    Cancelled,
}

impl From<HandoffOutcome> for State {
    fn from(outcome: HandoffOutcome) -> State {
        match outcome {
            HandoffOutcome::Completed => State::Completed,
            HandoffOutcome::Declined => State::Declined,
            HandoffOutcome::Timeout => State::Timeout,
            HandoffOutcome::Cancelled => State::Cancelled,
        }
    }
}

/// How the name begins of what asks from inside a session. It is told by that name only, because a program chooses its own.
const INSIDE: &str = "a program inside (";

impl HandoffRequest {
    /// The name of a program inside, as others are told.
    pub(crate) fn inside(name: &str) -> String {
        short_name(&format!("{INSIDE}{name})"))
    }

    /// Whether a program inside asked.
    pub(crate) fn is_from_inside(&self) -> bool {
        self.from.starts_with(INSIDE)
    }

    /// Whether it waits for a person still.
    pub fn is_open(&self) -> bool {
        self.ended.is_none()
    }

    /// How long it has been open, or was.
    pub fn open_ms(&self, now: u64) -> u64 {
        self.ended.as_ref().map_or(now, |end| end.at_ms).saturating_sub(self.made_ms)
    }
}

/// All of a session that are still known, oldest first; only the newest can be open.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HandoffRequests {
    known: VecDeque<HandoffRequest>,
}

impl HandoffRequests {
    /// The newest, open or not.
    pub(crate) fn newest(&self) -> Option<&HandoffRequest> {
        self.known.back()
    }

    pub(crate) fn open(&self) -> Option<&HandoffRequest> {
        self.newest().filter(|request| request.is_open())
    }

    /// One by its id or by the request that made it, as long as it is known.
    pub(crate) fn find(&self, name: &str, now: u64) -> Option<&HandoffRequest> {
        let found = self.known.iter().rev().find(|request| request.id == name || request.retry_id == name)?;
        let over = found.ended.as_ref().is_some_and(|end| end.at_ms.saturating_add(KEPT_MS) <= now);
        (!over).then_some(found)
    }

    /// When the open one is given up.
    pub(crate) fn ends_ms(&self) -> Option<u64> {
        self.open().map(|request| request.ends_ms)
    }

    /// A new one.
    pub(crate) fn made(&mut self, request: HandoffRequest) {
        let now = request.made_ms;
        self.known.retain(|old| old.ended.as_ref().is_none_or(|end| end.at_ms.saturating_add(KEPT_MS) > now));
        while self.known.len() >= KEPT {
            self.known.pop_front();
        }
        self.known.push_back(request);
    }

    /// The open one has ended.
    pub(crate) fn end(&mut self, end: HandoffEnd) {
        if let Some(request) = self.known.back_mut().filter(|request| request.is_open()) {
            request.ended = Some(end);
        }
    }

    /// A person typed.
    pub(crate) fn person_typed(&mut self, bytes: u64) {
        if let Some(request) = self.known.back_mut().filter(|request| request.is_open()) {
            request.bytes += bytes;
        }
    }
}

/// Words of one for another, as they may be shown anywhere: nothing that acts on a terminal or turns the text around it.
pub(crate) fn words(text: &str) -> Result<String, SessionError> {
    let text: String = text.replace("\r\n", "\n").replace('\t', " ").chars().filter(is_shown).collect();
    let text = text.trim().to_owned();
    match text.chars().count() {
        0 => Err(invalid("the message is empty")),
        1..=LONGEST => Ok(text),
        count => Err(invalid(format!(
            "the message has {count} characters, and {LONGEST} are the most: say it shorter"
        ))),
    }
}

/// A name, likewise, and on one line.
pub fn short_name(name: &str) -> String {
    one_line(name, 64)
}

/// At most so many characters of a text, likewise.
pub fn one_line(text: &str, most: usize) -> String {
    text.chars().filter(|c| is_shown(c) && *c != '\n').take(most).collect()
}

fn is_shown(c: &char) -> bool {
    *c == '\n' || !acts(*c)
}

#[cfg(test)]
impl HandoffRequest {
    /// Something in every field.
    pub(crate) fn filled() -> HandoffRequest {
        HandoffRequest {
            id: "plea_a".into(),
            retry_id: "p".into(),
            from: "claude".into(),
            message: "log in".into(),
            made_ms: 1,
            ends_ms: 2,
            from_seq: 3,
            bytes: 4,
            ended: Some(HandoffEnd {
                outcome: HandoffOutcome::Completed,
                at_ms: 5,
                by: Some("attach".into()),
                note: Some("done".into()),
                retry_id: "e".into(),
            }),
        }
    }
}

#[cfg(test)]
impl HandoffRequests {
    /// One that ended, and an open one.
    pub(crate) fn filled() -> HandoffRequests {
        let open = HandoffRequest { id: "plea_b".into(), ended: None, ..HandoffRequest::filled() };
        HandoffRequests { known: [HandoffRequest::filled(), open].into() }
    }
}

#[cfg(test)]
mod tests {
    use cotty_protocol::ApiError;

    use super::*;

    fn request(id: &str, now: u64) -> HandoffRequest {
        HandoffRequest {
            id: id.into(),
            retry_id: format!("request of {id}"),
            from: "claude".into(),
            message: "look".into(),
            made_ms: now,
            ends_ms: now + 300_000,
            from_seq: 7,
            bytes: 0,
            ended: None,
        }
    }

    fn end(outcome: HandoffOutcome, now: u64) -> HandoffEnd {
        HandoffEnd { outcome, at_ms: now, by: None, note: None, retry_id: String::new() }
    }

    #[test]
    fn one_is_open_until_it_ends_and_only_once() {
        let mut requests = HandoffRequests::default();
        assert_eq!((requests.open(), requests.ends_ms()), (None, None));
        requests.end(end(HandoffOutcome::Timeout, 0));
        requests.made(request("a", 1_000));
        assert_eq!(requests.ends_ms(), Some(301_000));
        requests.person_typed(3);
        requests.person_typed(4);
        assert_eq!(requests.open().map(|request| (request.bytes, request.open_ms(5_000))), Some((7, 4_000)));
        requests.end(end(HandoffOutcome::Completed, 9_000));
        requests.end(end(HandoffOutcome::Declined, 10_000));
        requests.person_typed(1);
        let ended = requests.newest().unwrap();
        assert_eq!(ended.ended.as_ref().map(|end| end.outcome), Some(HandoffOutcome::Completed));
        assert_eq!((ended.bytes, ended.open_ms(99_000)), (7, 8_000));
        assert_eq!((requests.open(), requests.ends_ms()), (None, None));
    }

    #[test]
    fn an_ended_one_is_known_for_ten_minutes_by_its_id_and_by_its_request() {
        let mut requests = HandoffRequests::default();
        requests.made(request("a", 0));
        requests.end(end(HandoffOutcome::Timeout, 300_000));
        for name in ["a", "request of a"] {
            assert!(requests.find(name, 899_999).is_some());
            assert!(requests.find(name, 900_000).is_none());
        }
        requests.made(request("b", 900_000));
        assert_eq!(requests.known.len(), 1, "what nobody can ask for is not kept");
        // An open one is known however long it takes.
        assert!(requests.find("b", u64::MAX).is_some());
    }

    #[test]
    fn not_more_are_kept_than_are_worth_it() {
        let mut requests = HandoffRequests::default();
        for number in 0..100 {
            requests.made(request(&number.to_string(), number));
            requests.end(end(HandoffOutcome::Declined, number));
        }
        assert_eq!(requests.known.len(), KEPT);
        assert!(requests.find("84", 100).is_some() && requests.find("83", 100).is_none());
    }

    #[test]
    fn words_cannot_act() {
        assert_eq!(words(" a\x1b[31mb\r\nc\u{9b}\u{202e}d\te\x07 ").unwrap(), "a[31mb\ncd e");
        assert_eq!(short_name("cl\x1bau\nde"), "claude");
        assert_eq!(one_line(&"é".repeat(9), 5).chars().count(), 5);
        assert_eq!(words(&"é".repeat(LONGEST)).unwrap().chars().count(), LONGEST);
        for wrong in ["", " \x1b\n ", &"x".repeat(LONGEST + 1)] {
            assert!(matches!(words(wrong), Err(SessionError::Refused(ApiError::Invalid { .. }))));
        }
    }
}
