//! `status`: the state of the daemon.

use super::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ActorKind;

/// No parameters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {}

/// Which daemon runs, and where it listens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// The daemon's process id.
    pub pid: u32,
    /// The keeper's process id.
    pub keeper_pid: u32,
    /// The daemon's version.
    pub version: String,
    /// The address of the page: `http://127.0.0.1:7420`.
    pub http: String,
    /// The link to the page, with its credential; for others than a person only its address.
    pub link: String,
    /// The Unix socket.
    pub socket: String,
    /// How the daemon sees the caller.
    #[serde(default = "person")]
    pub you: ActorKind,
    /// How many descriptors the daemon has open.
    #[serde(default)]
    pub descriptors: usize,
    /// Why the last daemon that failed to start did so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_failure: Option<String>,
    /// How many sessions have a running program.
    pub live: usize,
    /// How many sessions have exited and can still be read.
    pub exited: usize,
    /// The format versions of the state that it leaves to the next daemon; older daemons do not report them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formats: Option<Formats>,
}

/// Daemons of earlier versions do not report how they see the caller.
fn person() -> ActorKind {
    ActorKind::Person
}

/// The format versions of the state that one daemon leaves to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Formats {
    /// A session's state without its terminal.
    pub checkpoint: Format,
    /// The state of a terminal.
    pub engine: Format,
    /// The newest output and events.
    pub journal: Format,
}

/// The versions of one format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Format {
    /// The version that the daemon writes; it reads all versions from `reads_from` to this one.
    pub writes: u8,
    /// The oldest version that the daemon reads.
    pub reads_from: u8,
}

impl Format {
    fn reads(self, other: Format) -> bool {
        (self.reads_from..=self.writes).contains(&other.writes)
    }
}

/// How much of another daemon's state a daemon can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readable {
    /// All of it.
    All,
    /// Only the newest output; older output is in checkpoints.
    NewestOutput,
    /// Nothing.
    Nothing,
}

impl Formats {
    /// How much a daemon with these formats can read of the state of a daemon with the `other` formats.
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
    fn a_newer_daemon_reads_older_formats_but_an_older_daemon_does_not_read_newer_ones() {
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
