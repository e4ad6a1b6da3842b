//! `status`: the daemon itself.

use super::JsonSchema;
use serde::{Deserialize, Serialize};

/// No parameters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {}

/// What runs, and where it listens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// The daemon's process id.
    pub pid: u32,
    /// The keeper's process id.
    pub keeper_pid: u32,
    /// Its version.
    pub version: String,
    /// Where the page is: `http://127.0.0.1:7420`.
    pub http: String,
    /// The page, for a person with its token.
    pub link: String,
    /// The Unix socket.
    pub socket: String,
    /// Sessions whose program runs.
    pub live: usize,
    /// Sessions whose program has ended and that can still be read.
    pub exited: usize,
    /// The versions of what it leaves to the next daemon; older daemons do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formats: Option<Formats>,
}

/// The versions of what one daemon leaves to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Formats {
    /// A session's state but for its terminal.
    pub checkpoint: Format,
    /// The state of a terminal.
    pub engine: Format,
    /// The newest output, and what happened beside it.
    pub journal: Format,
}

/// The versions of one format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Format {
    /// The one that is written; all older ones from `reads_from` on are read.
    pub writes: u8,
    /// The oldest that is read.
    pub reads_from: u8,
}

impl Format {
    fn reads(self, other: Format) -> bool {
        (self.reads_from..=self.writes).contains(&other.writes)
    }
}

/// What a daemon can read of what another one leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readable {
    /// All of it.
    All,
    /// The newest output; what is older is in checkpoints.
    NewestOutput,
    /// Nothing.
    Nothing,
}

impl Formats {
    /// What a daemon with these formats can read of what one with those leaves.
    pub fn reads(&self, other: &Formats) -> Readable {
        match (self.journal.reads(other.journal), self.checkpoint.reads(other.checkpoint)) {
            (false, _) => Readable::Nothing,
            (true, true) if self.engine.reads(other.engine) => Readable::All,
            (true, _) => Readable::NewestOutput,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_daemon_reads_what_an_older_one_leaves_and_not_the_other_way_round() {
        let format = |writes, reads_from| Format { writes, reads_from };
        let old = Formats { checkpoint: format(7, 7), engine: format(3, 3), journal: format(3, 3) };
        let new = Formats { checkpoint: format(8, 7), ..old };
        assert_eq!((new.reads(&old), old.reads(&old)), (Readable::All, Readable::All));
        assert_eq!(old.reads(&new), Readable::NewestOutput);
        let engine = Formats { engine: format(9, 9), ..old };
        assert_eq!(
            (engine.reads(&old), old.reads(&engine)),
            (Readable::NewestOutput, Readable::NewestOutput)
        );
        let journal = Formats { journal: format(4, 4), ..old };
        assert_eq!((journal.reads(&old), old.reads(&journal)), (Readable::Nothing, Readable::Nothing));
    }
}
