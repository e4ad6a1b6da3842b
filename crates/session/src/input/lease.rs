//! The input lease: one call of an agent types at a time. A person can always type.

use std::sync::{Arc, Weak};
use std::time::Instant;

use cotty_protocol::ApiError;

use crate::SessionError;

/// Most characters of a command to show: it may be a whole script.
const NAME: usize = 60;

/// The lease of a call that types more than once, or waits after it has typed. From its first input until this is dropped, no
/// other agent call can type into that session.
#[derive(Debug, Clone)]
pub struct InputLease(Arc<TypingCall>);

/// The session's reference to a lease: the call may end at any time.
pub(crate) type LeaseRef = Weak<TypingCall>;

/// What a call does, for calls that are refused meanwhile.
#[derive(Debug)]
pub(crate) struct TypingCall {
    what: String,
    since: Instant,
}

impl InputLease {
    /// A lease for a call; `what` says in a few words what the call does.
    pub fn new(what: String) -> InputLease {
        InputLease(Arc::new(TypingCall { what, since: Instant::now() }))
    }

    pub(crate) fn of_command(command: &str) -> InputLease {
        let line = command.trim().lines().next().unwrap_or_default();
        let end = line.char_indices().nth(NAME).map_or(line.len(), |(end, _)| end);
        let more = if end < command.trim().len() { "…" } else { "" };
        InputLease::new(format!("run of `{}{more}`", &line[..end]))
    }

    pub(crate) fn reference(&self) -> LeaseRef {
        Arc::downgrade(&self.0)
    }
}

/// The call that holds the session's input lease.
#[derive(Debug, Default)]
pub(crate) struct CurrentLease(LeaseRef);

impl CurrentLease {
    /// Refuses if another call holds the lease.
    pub(crate) fn check(&self, call: Option<&LeaseRef>, now: Instant) -> Result<(), SessionError> {
        match self.0.upgrade() {
            Some(other) if !call.is_some_and(|call| Weak::ptr_eq(call, &self.0)) => {
                let since = now.saturating_duration_since(other.since);
                let ms = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
                Err(ApiError::Busy { call: other.what.clone(), ms }.into())
            }
            _ => Ok(()),
        }
    }

    /// Gives the lease to a call, unless another holds it. A retry that finds the lease taken is refused at its next input.
    pub(super) fn take(&mut self, call: Option<&LeaseRef>) {
        if let Some(call) = call.filter(|_| self.0.strong_count() == 0) {
            self.0 = call.clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_named_in_one_short_line() {
        let named = |command: &str| InputLease::of_command(command).0.what.clone();
        assert_eq!(named("make\n"), "run of `make`");
        assert_eq!(named("first\nsecond"), "run of `first…`");
        assert_eq!(named(&"é".repeat(100)), format!("run of `{}…`", "é".repeat(NAME)));
    }

    #[test]
    fn a_call_keeps_the_lease_until_it_ends() {
        let now = Instant::now();
        let (mut lease, first, second) =
            (CurrentLease::default(), InputLease::new("a".into()), InputLease::new("b".into()));
        let is_free =
            |lease: &CurrentLease, call: &InputLease| lease.check(Some(&call.reference()), now).is_ok();
        assert!(lease.check(None, now).is_ok() && is_free(&lease, &second));
        lease.take(Some(&first.reference()));
        assert!(is_free(&lease, &first) && !is_free(&lease, &second) && lease.check(None, now).is_err());
        lease.take(Some(&second.reference()));
        assert!(is_free(&lease, &first), "the lease is not taken away");
        drop(first);
        assert!(is_free(&lease, &second));
    }
}
