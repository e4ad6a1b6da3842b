//! Makes again what vanishes from the runtime directory: the socket, the FIFOs of sessions, the files of the shell
//! integration. A logout or a cleaner of temporary files may remove them while sessions run.

use std::collections::BTreeSet;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cotty_pty::watch_descriptor;
use cotty_session::Hub;
use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init};
use rustix::io::Errno;
use tokio::io::unix::AsyncFd;

/// How long to wait before what failed is tried again.
const AGAIN: Duration = Duration::from_secs(5);
/// How long to wait for further changes: what removes one file often removes more.
const MORE: Duration = Duration::from_millis(50);

/// Watches the runtime directory for as long as the daemon runs. `listen` makes the socket again if it is missing.
pub(crate) async fn watch<L: AsyncFn() -> io::Result<()>>(runtime: PathBuf, hub: Hub, listen: L) {
    let watched = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).map_err(io::Error::from);
    let Ok(watched) = watched.and_then(watch_descriptor) else {
        return tracing::warn!("cannot watch the runtime directory; what vanishes from it is not restored");
    };
    let mut failed = false;
    loop {
        watch_again(&watched, &runtime);
        let mut gone = BTreeSet::new();
        tokio::select! {
            ready = watched.readable() => {
                let Ok(mut ready) = ready else { return };
                tokio::time::sleep(MORE).await;
                gone = names(&watched);
                ready.clear_ready();
            }
            () = tokio::time::sleep(AGAIN), if failed => {
                gone.insert(String::new());
            }
        }
        let restored = restore(&runtime, &hub, &listen, &gone).await;
        if let (Err(error), false) = (&restored, failed) {
            tracing::error!(%error, directory = %runtime.display(), "cannot restore the runtime directory; trying again");
        }
        failed = restored.is_err();
    }
}

/// Watches what is there now: the directory, its parent in case it is gone, and the FIFOs. Repeating a watch changes nothing.
fn watch_again(watched: &AsyncFd<OwnedFd>, runtime: &Path) {
    let gone = WatchFlags::DELETE | WatchFlags::MOVED_FROM | WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF;
    let _ = add_watch(watched.get_ref(), runtime, gone);
    let _ = add_watch(watched.get_ref(), runtime.join("hooks"), gone);
    if let Some(parent) = runtime.parent().filter(|_| !runtime.exists()) {
        let _ = add_watch(
            watched.get_ref(),
            parent,
            WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::ONESHOT,
        );
    }
}

/// The names in the events that have arrived.
fn names(watched: &AsyncFd<OwnedFd>) -> BTreeSet<String> {
    let mut buffer = [MaybeUninit::uninit(); 4096];
    let mut reader = Reader::new(watched.get_ref(), &mut buffer);
    let mut names = BTreeSet::new();
    loop {
        match reader.next() {
            Ok(event) => {
                // An overflow of the queue, or the directory itself: everything may be gone.
                let whole = event.events().intersects(ReadFlags::QUEUE_OVERFLOW | ReadFlags::IGNORED);
                let name = event.file_name().filter(|_| !whole).and_then(|name| name.to_str().ok());
                names.insert(name.unwrap_or_default().to_owned());
            }
            Err(Errno::INTR) => {}
            Err(_) => return names,
        }
    }
}

async fn restore<L: AsyncFn() -> io::Result<()>>(
    runtime: &Path,
    hub: &Hub,
    listen: &L,
    gone: &BTreeSet<String>,
) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(runtime)?;
    // In a directory for everybody's temporary files, another user may have made it first.
    let there = std::fs::symlink_metadata(runtime)?;
    if !there.is_dir() || there.uid() != rustix::process::geteuid().as_raw() || there.mode() & 0o077 != 0 {
        return Err(io::Error::other("it belongs to another user, or others can enter it"));
    }
    listen().await?;
    let whole = gone.contains("") || gone.contains("hooks") || gone.contains("shell");
    let restored = if whole { hub.restore().await } else { hub.restore_hooks(gone.iter()).await };
    restored.map_err(io::Error::other)
}
