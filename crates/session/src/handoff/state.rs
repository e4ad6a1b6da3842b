//! The state of hand-off requests. Pure: callers report events and the time. Part of a session's saved state, so that a new
//! daemon knows the same requests.
//!
//! A session has at most one open request. It is *taken* while a person holds the keyboard, so that is not stored here.
//! Giving the keyboard back completes it; disconnecting does not.

use std::collections::VecDeque;

use cotty_protocol::op::requests::State;
use cotty_protocol::text::acts;
use serde::{Deserialize, Serialize};

use crate::SessionError;
use crate::error::invalid;

/// Most characters of a message, or of a note.
const LONGEST: usize = 2000;
/// How long an ended request is kept.
const KEPT_MS: u64 = 600_000;
/// Most requests that are kept.
const KEPT: usize = 16;

/// A hand-off request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandoffRequest {
    /// `req_` and eight characters.
    pub id: String,
    /// The retry id of the call that made it. A retry returns this request.
    #[serde(rename = "request")]
    pub(crate) retry_id: String,
    /// The agent's name.
    pub from: String,
    /// What a person should do, without characters that act on a terminal.
    pub message: String,
    /// When it was made, in milliseconds since the epoch.
    pub made_ms: u64,
    /// When it times out, likewise.
    pub ends_ms: u64,
    /// The seq when it was made.
    pub from_seq: u64,
    /// Bytes that people typed while it was open.
    pub bytes: u64,
    /// How it ended, if it did.
    pub ended: Option<HandoffEnd>,
}

/// How a hand-off request ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandoffEnd {
    /// The outcome.
    pub outcome: HandoffOutcome,
    /// When, in milliseconds since the epoch.
    pub at_ms: u64,
    /// The person who ended it.
    pub by: Option<String>,
    /// The person's note to the agent.
    pub note: Option<String>,
    /// The retry id of the call that ended it.
    #[serde(rename = "request")]
    pub(crate) retry_id: String,
}

/// How a hand-off request ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum HandoffOutcome {
    /// A person did it.
    Completed,
    /// A person declined it.
    Declined,
    /// It timed out.
    Timeout,
    /// The agent withdrew it, or the program ended while no person held the keyboard.
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

/// How the name of a program that asks from inside a session begins. Only this shows it, because the program chooses the
/// rest.
const INSIDE: &str = "a program inside (";

impl HandoffRequest {
    /// The name that others see of a program inside.
    pub(crate) fn inside(name: &str) -> String {
        short_name(&format!("{INSIDE}{name})"))
    }

    /// Whether a program inside made it.
    pub(crate) fn is_from_inside(&self) -> bool {
        self.from.starts_with(INSIDE)
    }

    /// Whether it still waits for a person.
    pub fn is_open(&self) -> bool {
        self.ended.is_none()
    }

    /// How long it has been open, or was.
    pub fn open_ms(&self, now: u64) -> u64 {
        self.ended.as_ref().map_or(now, |end| end.at_ms).saturating_sub(self.made_ms)
    }
}

/// The kept requests of a session, oldest first; only the newest can be open.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HandoffRequests {
    known: VecDeque<HandoffRequest>,
}

impl HandoffRequests {
    /// The newest request, open or not.
    pub(crate) fn newest(&self) -> Option<&HandoffRequest> {
        self.known.back()
    }

    pub(crate) fn open(&self) -> Option<&HandoffRequest> {
        self.newest().filter(|request| request.is_open())
    }

    /// A request, while it is kept, by its id or by the retry id of the call that made it.
    pub(crate) fn find(&self, name: &str, now: u64) -> Option<&HandoffRequest> {
        let found = self.known.iter().rev().find(|request| request.id == name || request.retry_id == name)?;
        let over = found.ended.as_ref().is_some_and(|end| end.at_ms.saturating_add(KEPT_MS) <= now);
        (!over).then_some(found)
    }

    /// When the open request times out.
    pub(crate) fn ends_ms(&self) -> Option<u64> {
        self.open().map(|request| request.ends_ms)
    }

    /// Adds a request.
    pub(crate) fn made(&mut self, request: HandoffRequest) {
        let now = request.made_ms;
        self.known.retain(|old| old.ended.as_ref().is_none_or(|end| end.at_ms.saturating_add(KEPT_MS) > now));
        while self.known.len() >= KEPT {
            self.known.pop_front();
        }
        self.known.push_back(request);
    }

    /// Ends the open request.
    pub(crate) fn end(&mut self, end: HandoffEnd) {
        if let Some(request) = self.known.back_mut().filter(|request| request.is_open()) {
            request.ended = Some(end);
        }
    }

    /// Notes that a person typed.
    pub(crate) fn person_typed(&mut self, bytes: u64) {
        if let Some(request) = self.known.back_mut().filter(|request| request.is_open()) {
            request.bytes += bytes;
        }
    }
}

/// A message that can be shown anywhere: without characters that act on a terminal or reverse the text around them.
pub(crate) fn clean_message(text: &str) -> Result<String, SessionError> {
    let text: String = text.replace("\r\n", "\n").replace('\t', " ").chars().filter(is_shown).collect();
    let text = text.trim().to_owned();
    match text.chars().count() {
        0 => Err(invalid("the message is empty")),
        1..=LONGEST => Ok(text),
        count => {
            Err(invalid(format!("the message has {count} characters; the limit is {LONGEST}: shorten it")))
        }
    }
}

/// A name, cleaned likewise, on one line.
pub fn short_name(name: &str) -> String {
    one_line(name, 64)
}

/// At most `most` characters of a text, cleaned likewise, on one line.
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
    /// An ended request and an open one.
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
    fn a_request_is_open_until_it_ends_and_ends_once() {
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
    fn an_ended_request_is_found_for_ten_minutes_by_its_id_and_its_retry_id() {
        let mut requests = HandoffRequests::default();
        requests.made(request("a", 0));
        requests.end(end(HandoffOutcome::Timeout, 300_000));
        for name in ["a", "request of a"] {
            assert!(requests.find(name, 899_999).is_some());
            assert!(requests.find(name, 900_000).is_none());
        }
        requests.made(request("b", 900_000));
        assert_eq!(requests.known.len(), 1, "a request that cannot be found any more is not kept");
        // An open request is found however long it takes.
        assert!(requests.find("b", u64::MAX).is_some());
    }

    #[test]
    fn the_number_of_kept_requests_is_bounded() {
        let mut requests = HandoffRequests::default();
        for number in 0..100 {
            requests.made(request(&number.to_string(), number));
            requests.end(end(HandoffOutcome::Declined, number));
        }
        assert_eq!(requests.known.len(), KEPT);
        assert!(requests.find("84", 100).is_some() && requests.find("83", 100).is_none());
    }

    #[test]
    fn messages_and_names_cannot_act_on_a_terminal() {
        assert_eq!(clean_message(" a\x1b[31mb\r\nc\u{9b}\u{202e}d\te\x07 ").unwrap(), "a[31mb\ncd e");
        assert_eq!(short_name("cl\x1bau\nde"), "claude");
        assert_eq!(one_line(&"é".repeat(9), 5).chars().count(), 5);
        assert_eq!(clean_message(&"é".repeat(LONGEST)).unwrap().chars().count(), LONGEST);
        for wrong in ["", " \x1b\n ", &"x".repeat(LONGEST + 1)] {
            assert!(matches!(clean_message(wrong), Err(SessionError::Refused(ApiError::Invalid { .. }))));
        }
    }
}
