//! Files in `/proc`: reading them, and the fields of `/proc/PID/stat` that we need.

use std::io::Read;

/// The beginning of a file in `/proc`, which is whole if it fits into `buffer`. A list of a thousand sessions reads thousands of
/// them, and the kernel makes each in one read: asking for its size first, as the standard library does, would double the cost.
pub(crate) fn read_into<'a>(path: &str, buffer: &'a mut [u8]) -> Option<&'a [u8]> {
    let count = std::fs::File::open(path).ok()?.read(buffer).ok()?;
    Some(&buffer[..count])
}

/// The text of a short file in `/proc`.
pub(crate) fn read_text(path: &str) -> Option<String> {
    let mut buffer = [0; 1024];
    read_into(path, &mut buffer).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

/// The status of a process.
pub(crate) struct Stat {
    pub(crate) name: String,
    pub(crate) state: char,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) session: i32,
}

impl Stat {
    /// Field 2 is in parentheses and may contain parentheses itself, so the rest begins after the last one.
    pub(crate) fn read(pid: i32) -> Option<Stat> {
        // The name of a program need not be UTF-8.
        let text = read_text(&format!("/proc/{pid}/stat"))?;
        let (head, rest) = text.rsplit_once(')')?;
        let (_, name) = head.split_once('(')?;
        let mut fields = rest.split_ascii_whitespace();
        let state = fields.next()?.chars().next()?;
        let parent = fields.next()?.parse().ok()?;
        let group = fields.next()?.parse().ok()?;
        let session = fields.next()?.parse().ok()?;
        Some(Stat { name: name.to_owned(), state, parent, group, session })
    }

    /// Whether it has not ended.
    pub(crate) fn lives(&self) -> bool {
        !matches!(self.state, 'Z' | 'X')
    }

    /// Whether it runs, is ready to run, or waits for the disk.
    pub(crate) fn works(&self) -> bool {
        matches!(self.state, 'R' | 'D')
    }

    /// The ids of all processes.
    pub(crate) fn pids() -> impl Iterator<Item = i32> {
        let dir = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        dir.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
    }
}
