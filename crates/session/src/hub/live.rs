//! Which sessions live, as files: one for each, with its name. If the keeper is killed, they remain, and the next client
//! tells what was lost. A file that cannot be written only costs that.

use std::path::PathBuf;

use crate::Meta;

/// The directory with these files.
#[derive(Debug, Clone)]
pub(super) struct Live {
    dir: PathBuf,
}

impl Live {
    pub(super) fn at(dir: PathBuf) -> Live {
        Live { dir }
    }

    /// Notes that a session begins. Waits for the disk.
    pub(super) fn begin(&self, meta: &Meta) {
        let name = meta.name.as_deref().unwrap_or_default();
        let write = || std::fs::write(self.dir.join(&meta.id), name);
        if write().is_err() {
            let _ = std::fs::create_dir_all(&self.dir);
            let _ = write();
        }
    }

    /// Notes that a session's program ended. Does not wait for the disk.
    pub(super) fn end(&self, id: &str) {
        let file = self.dir.join(id);
        tokio::task::spawn_blocking(move || std::fs::remove_file(file));
    }
}
