use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

/// The fifo through which a shell gets the answer to "may this line run?".
#[derive(Debug)]
pub(crate) struct Hook {
    path: PathBuf,
    fifo: OwnedFd,
}

impl Hook {
    /// Makes the fifo, or opens the one that another daemon made. The daemon holds both ends, so that neither a shell
    /// that opens it nor an answer to a shell that is gone ever blocks.
    pub(crate) fn open(path: &Path) -> io::Result<Hook> {
        if !Hook::is_at(path) {
            // A shell that redirects into a fifo that vanished leaves a plain file there.
            let _ = std::fs::remove_file(path);
            match rustix::fs::mkfifoat(rustix::fs::CWD, path, Mode::RUSR | Mode::WUSR) {
                Ok(()) | Err(rustix::io::Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let fifo = rustix::fs::open(path, OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Hook { path: path.to_owned(), fifo })
    }

    /// Whether there is a fifo at this path.
    pub(crate) fn is_at(path: &Path) -> bool {
        use std::os::unix::fs::FileTypeExt;
        std::fs::symlink_metadata(path).is_ok_and(|there| there.file_type().is_fifo())
    }

    /// Leaves the nonce of the shell's marks in a file next to the fifo. The shell empties it when it has read it.
    pub(crate) fn leave_nonce(path: &Path, nonce: &str) -> io::Result<()> {
        let mode = Mode::RUSR | Mode::WUSR;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC;
        let file = rustix::fs::open(beside(path, "nonce"), flags, mode)?;
        File::from(file).write_all(format!("{nonce}\n").as_bytes())
    }

    /// Answers one question.
    pub(crate) fn answer(&self, id: &str, verdict: &str) {
        let line = format!("{id} {}\n", verdict.replace(['\n', '\r'], " "));
        if rustix::io::write(&self.fifo, line.as_bytes()).is_err() {
            // The fifo is full of unread answers: discard them and try once more.
            let mut old = [0u8; 65536];
            let _ = rustix::io::read(&self.fifo, &mut old);
            let _ = rustix::io::write(&self.fifo, line.as_bytes());
        }
    }

    /// The line that the shell asks about, if it is too long for the terminal. The file has it as `history 1` prints it,
    /// after its number. `None` if the line is incomplete.
    pub(crate) fn line(&self) -> Option<String> {
        let bytes = std::fs::read(self.beside("line")).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let numbered = text.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
        let line = numbered.strip_prefix([' ', '*']).and_then(|rest| rest.strip_prefix(' '))?;
        line.strip_suffix('\n').map(str::to_owned)
    }

    fn beside(&self, name: &str) -> PathBuf {
        beside(&self.path, name)
    }

    /// Removes the fifo, and the files next to it.
    pub(crate) fn remove(&self) {
        Hook::remove_at(&self.path);
    }

    /// The same for a hook that nobody holds.
    pub(crate) fn remove_at(path: &Path) {
        let _ = std::fs::remove_file(path);
        for file in ["nonce", "line", "trap"] {
            let _ = std::fs::remove_file(beside(path, file));
        }
    }
}

/// The path of a file next to the fifo.
fn beside(path: &Path, name: &str) -> PathBuf {
    let mut path = path.to_owned().into_os_string();
    path.push(format!(".{name}"));
    path.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_incomplete_line_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let hook = Hook::open(&dir.path().join("hook")).unwrap();
        assert_eq!(hook.line(), None);
        for (text, line) in [
            ("   12  echo hi\n", Some("echo hi")),
            ("1  a\n  b\n", Some("a\n  b")),
            ("1  echo cut off by a full dis", None),
            ("1 ", None),
            ("", None),
        ] {
            std::fs::write(hook.beside("line"), text).unwrap();
            assert_eq!(hook.line().as_deref(), line, "{text:?}");
        }
    }
}
