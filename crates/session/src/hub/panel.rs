//! Panels: sessions that a front end, or an agent, knows by a name of its own in a scope of its own.

use serde::{Deserialize, Serialize};

use crate::error::invalid;
use crate::{Session, SessionError};

/// Longest name of a panel, in bytes.
const LONGEST: usize = 64;

/// Which panel: its name means something in its scope alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Panel {
    /// Whose names they are: an owner's, a bound session's or a connection's.
    pub scope: String,
    /// Its name there.
    pub id: String,
}

/// A panel that is there.
#[derive(Debug, Clone)]
pub struct OpenPanel {
    /// Its name.
    pub id: String,
    /// Its terminal.
    pub session: Session,
    /// Whether its program has ended.
    pub exited: bool,
}

impl Panel {
    /// A panel of an owner.
    pub fn of_owner(owner: &str, id: &str) -> Result<Panel, SessionError> {
        if id.is_empty() || id.len() > LONGEST || id.contains(char::is_control) {
            let message = format!("a panel's name has 1 to {LONGEST} bytes, without control characters");
            return Err(invalid(message));
        }
        Ok(Panel { scope: Panel::scope_of_owner(owner), id: id.to_owned() })
    }

    /// The scope of an owner's panels.
    pub fn scope_of_owner(owner: &str) -> String {
        format!("owner:{owner}")
    }
}
