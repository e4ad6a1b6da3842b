//! What was typed and may not have reached the shell yet. A prompt that is shown before the shell has read it all is not the
//! place to type at: the next line that runs is somebody else's.

use std::time::Duration;

use cotty_pty::facts;

use crate::commands::Phase;
use crate::task::Task;

/// Where the kernel does not tell what a shell waits for: how long it may take to show a key.
const ECHO_ARRIVES: Duration = Duration::from_millis(100);

/// What was typed since the shell was last seen to wait for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unread {
    /// All of it was read.
    Nothing,
    /// Keys without Enter.
    Keys,
    /// Whole lines, each of which may be a command.
    Lines,
}

impl Task {
    /// Something was typed that is no `run`: of that the shell's marks tell when it was read.
    pub(crate) fn typed_ahead(&mut self, lines: u32) {
        self.unread = self.unread.max(if lines > 0 { Unread::Lines } else { Unread::Keys });
    }

    /// Forgets what was typed where the shell is seen to have read it.
    pub(crate) fn settle_unread(&mut self) {
        let at_prompt = matches!(self.saved.commands.phase(), Phase::Prompt(_));
        if at_prompt && self.unread != Unread::Nothing && self.shell_reads() {
            self.unread = Unread::Nothing;
        }
    }

    /// Whether the shell has marked its prompt and read all that was typed before.
    pub(crate) fn shell_waits(&self) -> bool {
        let at_prompt = matches!(self.saved.commands.phase(), Phase::Prompt(_)) && self.meta.nonce.is_some();
        let unread =
            self.unread != Unread::Nothing || self.input.waiting() > 0 || self.saved.commands.awaits_start();
        at_prompt && (!unread || self.shell_reads())
    }

    /// Whether a line may be on its way to the shell that it has not run.
    pub(crate) fn lines_unread(&self) -> bool {
        self.unread == Unread::Lines && !self.shell_reads()
    }

    /// Whether the program that has the terminal has taken all that was typed and waits for more.
    fn shell_reads(&self) -> bool {
        let pty = self.pty.get_ref();
        let shown = || self.last_typed.is_none_or(|at| at.elapsed() >= ECHO_ARRIVES);
        // In this order: what is taken after the first look is seen by the second, and what it says by the third.
        self.input.waiting() == 0
            && facts::unread_input(pty).unwrap_or(0) == 0
            && facts::waits_for_input(pty).unwrap_or_else(shown)
            && !facts::unread_output(pty)
    }
}
