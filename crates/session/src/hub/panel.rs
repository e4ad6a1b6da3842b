//! Panels: sessions that a front end or an agent names by a panel id in its own scope.

use serde::{Deserialize, Serialize};

use crate::error::invalid;
use crate::{Session, SessionError};

/// The longest panel id, in bytes.
const LONGEST: usize = 64;

/// The id of a panel and the scope in which it is unique.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Panel {
    /// The scope: an owner's, a bound session's or a connection's.
    pub scope: String,
    /// The panel id.
    pub id: String,
}

/// A panel that has a session.
#[derive(Debug, Clone)]
pub struct OpenPanel {
    /// The panel id.
    pub id: String,
    /// Its session.
    pub session: Session,
    /// Whether its program has ended.
    pub exited: bool,
}

impl Panel {
    /// A panel of an owner.
    pub fn of_owner(owner: &str, id: &str) -> Result<Panel, SessionError> {
        if id.is_empty() || id.len() > LONGEST || id.contains(char::is_control) {
            let message = format!("a panel id must have 1 to {LONGEST} bytes and no control characters");
            return Err(invalid(message));
        }
        Ok(Panel { scope: Panel::scope_of_owner(owner), id: id.to_owned() })
    }

    /// The scope of an owner's panels.
    pub fn scope_of_owner(owner: &str) -> String {
        format!("owner:{owner}")
    }
}
