use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::json;

use super::drain::me;
use super::home::Home;
use super::median;
use super::writer::{self, Mode, Writer};
use crate::args::Args;

const VIEWERS: usize = 200;
const WATCHED_FOR: Duration = Duration::from_secs(3);

/// The results for one busy session, with and without viewers.
#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) viewers: usize,
    /// MB/s of its program.
    pub(crate) alone: f64,
    pub(crate) watched: f64,
    /// With one more viewer, which never reads.
    pub(crate) stalled: f64,
    /// The medians of the ratios to the speed without viewers in the same repetition.
    pub(crate) watched_ratio: f64,
    pub(crate) stalled_ratio: f64,
    /// Frames per second of the slowest and the fastest viewer, in the repetition where they differed most.
    pub(crate) frames: (f64, f64),
}

/// Alternates between no viewers, all viewers, and all viewers plus a stalled one; takes the median of each.
pub(super) fn measure(args: &Args) -> Result<Watched, String> {
    let home = Home::start(10)?;
    let (mut alone, mut watched, mut stalled, mut frames) = (vec![], vec![], vec![], vec![]);
    for _ in 0..args.reps.min(5) {
        alone.push(once(&home, 0, false)?.0);
        let (speed, rates) = once(&home, VIEWERS, false)?;
        watched.push(speed);
        frames.push(rates);
        stalled.push(once(&home, VIEWERS, true)?.0);
    }
    let ratio_to_alone = |speeds: &[f64]| {
        let ratios: Vec<f64> = speeds.iter().zip(&alone).map(|(speed, alone)| speed / alone).collect();
        median(&ratios)
    };
    let worst = |(a, b): (f64, f64), (c, d): (f64, f64)| if c / d < a / b { (c, d) } else { (a, b) };
    let measured = Watched {
        viewers: VIEWERS,
        alone: median(&alone),
        watched: median(&watched),
        stalled: median(&stalled),
        watched_ratio: ratio_to_alone(&watched),
        stalled_ratio: ratio_to_alone(&stalled),
        frames: frames.into_iter().reduce(worst).unwrap_or_default(),
    };
    eprintln!(
        "viewers  none {:.0}  {VIEWERS} {:.2}×  with a stalled one {:.2}×  {:.0} to {:.0} frames per second",
        measured.alone, measured.watched_ratio, measured.stalled_ratio, measured.frames.0, measured.frames.1
    );
    Ok(measured)
}

fn once(home: &Home, viewers: usize, stalled: bool) -> Result<(f64, (f64, f64)), String> {
    let mut client = home.client()?;
    let writer = Writer { mode: Mode::Cooked, mib: 1, result: home.path("watched"), endless: true };
    let session = client.create(&me()?, &writer.args())?;
    let mut sockets: Vec<Viewer> =
        (0..viewers).map(|_| Viewer::open(home, &session)).collect::<Result<_, _>>()?;
    let _stalled = stalled.then(|| Viewer::open(home, &session)).transpose()?;
    let over = AtomicBool::new(false);
    let started = Instant::now();
    let speed = std::thread::scope(|scope| {
        scope.spawn(|| read_all(&mut sockets, &over));
        std::thread::sleep(WATCHED_FOR);
        let speed = writer::end(&writer.result);
        over.store(true, Ordering::Relaxed);
        speed
    })?;
    let seconds = started.elapsed().as_secs_f64();
    client.call("destroy", &json!({"session": session, "force": true}))?;
    let rates = sockets.iter().map(|viewer| viewer.frames as f64 / seconds);
    let frames =
        rates.fold((f64::INFINITY, 0.0_f64), |(least, most), rate| (least.min(rate), most.max(rate)));
    Ok((speed, frames))
}

fn read_all(viewers: &mut [Viewer], over: &AtomicBool) {
    let wait = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
    while !over.load(Ordering::Relaxed) {
        let mut fds: Vec<PollFd<'_>> =
            viewers.iter().map(|v| PollFd::new(&v.stream, PollFlags::IN)).collect();
        if fds.is_empty() || poll(&mut fds, Some(&wait)).is_err() {
            std::thread::sleep(Duration::from_millis(50));
            continue;
        }
        let ready: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
        for (viewer, _) in viewers.iter_mut().zip(ready).filter(|(_, ready)| *ready) {
            viewer.read();
        }
    }
}

/// A WebSocket client that counts frames and discards them.
struct Viewer {
    stream: UnixStream,
    /// The received part of an incomplete header.
    head: Vec<u8>,
    /// How many bytes of the frame are still missing.
    left: u64,
    frames: u64,
}

impl Viewer {
    fn open(home: &Home, session: &str) -> Result<Viewer, String> {
        let failed = |error: std::io::Error| format!("cannot open a viewer: {error}");
        let mut stream = UnixStream::connect(home.socket()).map_err(failed)?;
        let request = format!(
            "GET /v1/sessions/{session}/view HTTP/1.1\r\nhost: cotty\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
             sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
             sec-websocket-protocol: cotty.view.v1\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).map_err(failed)?;
        let mut answer = Vec::new();
        let mut byte = [0];
        while !answer.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte).map_err(failed)?;
            answer.push(byte[0]);
        }
        if !answer.starts_with(b"HTTP/1.1 101") {
            return Err(format!("the daemon refused a viewer: {}", String::from_utf8_lossy(&answer)));
        }
        stream.set_nonblocking(true).map_err(failed)?;
        Ok(Viewer { stream, head: Vec::new(), left: 0, frames: 0 })
    }

    fn read(&mut self) {
        let mut buffer = [0; 64 << 10];
        while let Ok(count) = self.stream.read(&mut buffer) {
            if count == 0 {
                return;
            }
            self.take(&buffer[..count]);
        }
    }

    fn take(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let skip = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
            bytes = &bytes[skip..];
            self.left -= skip as u64;
            while self.left == 0 && !bytes.is_empty() {
                self.head.push(bytes[0]);
                bytes = &bytes[1..];
                if let Some(length) = frame_length(&self.head) {
                    self.head.clear();
                    self.left = length;
                    self.frames += 1;
                }
            }
        }
    }
}

/// The length of a server's frame; `None` while its header is incomplete.
fn frame_length(head: &[u8]) -> Option<u64> {
    let number = |bytes: &[u8]| bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte));
    match (*head.get(1)? & 0x7f, head.len()) {
        (126, 4) => Some(number(&head[2..4])),
        (127, 10) => Some(number(&head[2..10])),
        (126 | 127, _) => None,
        (length, 2) => Some(u64::from(length)),
        _ => None,
    }
}
