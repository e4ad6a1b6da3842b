use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::{mpsc, oneshot};

use crate::watch::watch;
use crate::wire::{self, Body, Channel, Fields, Frame};

/// Why a request to the keeper failed.
#[derive(Debug, thiserror::Error)]
pub enum KeeperError {
    /// The keeper refused the request.
    #[error("the keeper refused: {0}")]
    Refused(#[source] io::Error),
    /// The keeper is gone, and with it every session.
    #[error("the keeper is gone")]
    Gone,
}

impl From<Errno> for KeeperError {
    fn from(errno: Errno) -> Self {
        KeeperError::Refused(errno.into())
    }
}

/// An event from the keeper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The process of an entry ended.
    Exited {
        /// The key of the entry.
        key: Vec<u8>,
        /// Its wait status, from `waitpid`.
        status: i32,
    },
    /// End all sessions and exit.
    Shutdown,
    /// The keeper is gone: no session can outlive this daemon.
    Gone,
}

/// What the keeper holds under one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Chosen by the daemon.
    pub key: Vec<u8>,
    /// The id of its process, if it ever had one.
    pub pid: Option<u32>,
    /// Its wait status, if it has ended.
    pub status: Option<i32>,
    /// The slots that hold a descriptor.
    pub slots: Vec<u8>,
    /// Data of the daemon, which the keeper does not interpret.
    pub blob: Vec<u8>,
}

/// The daemon's end of the keeper's protocol. Cheap to clone; requests are answered in order.
#[derive(Debug, Clone)]
pub struct Link {
    requests: mpsc::UnboundedSender<(Frame, oneshot::Sender<Frame>)>,
}

impl Link {
    /// Uses the socket that the keeper gave the daemon. The receiver gets the events.
    pub fn connect(socket: OwnedFd) -> io::Result<(Link, mpsc::UnboundedReceiver<Event>)> {
        let channel = watch(Channel::new(socket)?)?;
        let (requests, inbox) = mpsc::unbounded_channel();
        let (events, event_receiver) = mpsc::unbounded_channel();
        tokio::spawn(pump(channel, inbox, events));
        Ok((Link { requests }, event_receiver))
    }

    async fn ask(&self, kind: u8, body: Body, fds: Vec<OwnedFd>) -> Result<Frame, KeeperError> {
        let (answer, answered) = oneshot::channel();
        let frame = Frame::new(kind, 0, body).with_fds(fds);
        self.requests.send((frame, answer)).map_err(|_| KeeperError::Gone)?;
        let frame = answered.await.map_err(|_| KeeperError::Gone)?;
        if frame.kind == wire::ERROR {
            return Err(Errno::from_raw_os_error(Fields::new(&frame.body).i32()?).into());
        }
        if frame.cut {
            return Err(Errno::MFILE.into());
        }
        Ok(frame)
    }

    /// Says hello; returns the keeper's epoch and process id.
    pub async fn hello(&self) -> Result<(u64, u32), KeeperError> {
        let frame = self.ask(wire::HELLO, Body::new().u32(wire::VERSION), Vec::new()).await?;
        let mut fields = Fields::new(&frame.body);
        let _version = fields.u32()?;
        Ok((fields.u64()?, fields.u32()?))
    }

    /// Starts `cotty __child` with these descriptors as its stdin and as its stdout and stderr; returns its process id. From
    /// then on the keeper holds the slots' descriptors and the blob, even if the daemon dies.
    pub async fn spawn(
        &self,
        key: &[u8],
        blob: &[u8],
        stdin: OwnedFd,
        stdout: OwnedFd,
        slots: Vec<(u8, OwnedFd)>,
    ) -> Result<u32, KeeperError> {
        let names: Vec<u8> = slots.iter().map(|(slot, _)| *slot).collect();
        let fds = [stdin, stdout].into_iter().chain(slots.into_iter().map(|(_, fd)| fd)).collect();
        let frame = self.ask(wire::SPAWN, Body::new().bytes(key).bytes(blob).bytes(&names), fds).await?;
        Ok(Fields::new(&frame.body).u32()?)
    }

    /// Everything the keeper holds.
    pub async fn list(&self) -> Result<Vec<Entry>, KeeperError> {
        let frame = self.ask(wire::LIST, Body::new(), Vec::new()).await?;
        let mut fields = Fields::new(&frame.body);
        let count = fields.u32()?;
        let mut entries = Vec::new();
        for _ in 0..count {
            let key = fields.bytes()?.to_vec();
            let pid = Some(fields.u32()?).filter(|&pid| pid != 0);
            let exited = fields.u8()? != 0;
            let status = Some(fields.i32()?).filter(|_| exited);
            let slots = fields.bytes()?.to_vec();
            entries.push(Entry { key, pid, status, slots, blob: fields.bytes()?.to_vec() });
        }
        Ok(entries)
    }

    /// Duplicates of the descriptors of an entry, by slot.
    pub async fn take(&self, key: &[u8]) -> Result<HashMap<u8, OwnedFd>, KeeperError> {
        let frame = self.ask(wire::TAKE, Body::new().bytes(key), Vec::new()).await?;
        let slots = Fields::new(&frame.body).bytes()?.to_vec();
        Ok(slots.into_iter().zip(frame.fds).collect())
    }

    /// Stores a descriptor in a slot of an entry.
    pub async fn put(&self, key: &[u8], slot: u8, fd: OwnedFd) -> Result<(), KeeperError> {
        self.ask(wire::PUT, Body::new().bytes(key).u8(slot), vec![fd]).await.map(drop)
    }

    /// Replaces the blob of an entry.
    pub async fn blob(&self, key: &[u8], blob: &[u8]) -> Result<(), KeeperError> {
        self.ask(wire::BLOB, Body::new().bytes(key).bytes(blob), Vec::new()).await.map(drop)
    }

    /// Drops an entry, its descriptors and its exit status.
    pub async fn forget(&self, key: &[u8]) -> Result<(), KeeperError> {
        self.ask(wire::FORGET, Body::new().bytes(key), Vec::new()).await.map(drop)
    }

    /// Reports that the daemon accepts calls now.
    pub async fn ready(&self) -> Result<(), KeeperError> {
        self.ask(wire::READY, Body::new(), Vec::new()).await.map(drop)
    }

    /// Gives the keeper the program that it starts from now on. `false`: this keeper always starts what is at its path.
    pub async fn program(&self, program: OwnedFd) -> Result<bool, KeeperError> {
        match self.ask(wire::PROGRAM, Body::new(), vec![program]).await {
            Err(KeeperError::Refused(error)) if is_unknown(&error) => Ok(false),
            asked => asked.map(|_| true),
        }
    }

    /// Whether the keeper starts a subreaper for each session.
    pub async fn has_subreapers(&self) -> Result<bool, KeeperError> {
        // Keepers without subreapers do not know this request. Others refuse it here, because it has no descriptor.
        match self.ask(wire::PROGRAM, Body::new(), Vec::new()).await {
            Err(KeeperError::Refused(error)) => Ok(!is_unknown(&error)),
            asked => asked.map(|_| true),
        }
    }

    /// Asks the keeper to end when the daemon ends.
    pub async fn stop(&self) -> Result<(), KeeperError> {
        self.ask(wire::STOP, Body::new(), Vec::new()).await.map(drop)
    }
}

fn is_unknown(error: &io::Error) -> bool {
    Errno::from_io_error(error) == Some(Errno::NOSYS)
}

/// Moves frames until the keeper is gone or the last [`Link`] is dropped.
async fn pump(
    mut channel: AsyncFd<Channel>,
    mut inbox: mpsc::UnboundedReceiver<(Frame, oneshot::Sender<Frame>)>,
    events: mpsc::UnboundedSender<Event>,
) {
    let mut waiting: HashMap<u32, oneshot::Sender<Frame>> = HashMap::new();
    let mut last_id = 0u32;
    loop {
        let mut interest = Interest::READABLE;
        if channel.get_ref().wants_write() {
            interest |= Interest::WRITABLE;
        }
        tokio::select! {
            request = inbox.recv() => {
                let Some((mut frame, answer)) = request else { return };
                last_id = last_id.wrapping_add(1).max(1);
                frame.id = last_id;
                waiting.insert(frame.id, answer);
                channel.get_mut().queue(frame);
                if channel.get_mut().flush().is_err() {
                    break;
                }
            }
            ready = channel.ready_mut(interest) => {
                let Ok(mut ready) = ready else { break };
                let Ok(()) = ready.get_inner_mut().flush() else { break };
                let open = ready.get_inner_mut().fill().unwrap_or(false);
                // Both went on until they would block, so wait for the next readiness.
                ready.clear_ready();
                while let Ok(Some(frame)) = channel.get_mut().next_frame() {
                    deliver(frame, &mut waiting, &events);
                }
                if !open {
                    break;
                }
            }
        }
    }
    let _ = events.send(Event::Gone);
}

fn deliver(
    frame: Frame,
    waiting: &mut HashMap<u32, oneshot::Sender<Frame>>,
    events: &mpsc::UnboundedSender<Event>,
) {
    if frame.id != 0 {
        if let Some(answer) = waiting.remove(&frame.id) {
            let _ = answer.send(frame);
        }
        return;
    }
    let mut fields = Fields::new(&frame.body);
    let event = match frame.kind {
        wire::EXITED => {
            let (Ok(key), Ok(status)) = (fields.bytes(), fields.i32()) else { return };
            Event::Exited { key: key.to_vec(), status }
        }
        wire::SHUTDOWN => Event::Shutdown,
        _ => return,
    };
    let _ = events.send(event);
}
