//! What clients get while no daemon can start: the reason, as the daemon's own error would look. Without it they would wait at
//! a socket that nobody reads.

use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{AddressFamily, RecvFlags, SocketFlags, accept_with, sockopt};

/// How long a client may take to send its request, and how long all clients of one turn may take.
const REQUEST: Duration = Duration::from_millis(20);
const TURN: Duration = Duration::from_millis(200);

/// Whether a descriptor is a Unix socket that clients connect to.
pub(crate) fn is_listener(fd: &OwnedFd) -> bool {
    sockopt::socket_acceptconn(fd).unwrap_or(false)
        && sockopt::socket_domain(fd).is_ok_and(|domain| domain == AddressFamily::UNIX)
}

/// Tells the clients that wait at this listener why no daemon answers.
pub(crate) fn refuse_all(listener: &OwnedFd, reason: &[u8]) {
    let until = Instant::now() + TURN;
    while Instant::now() < until && is_readable(listener, Duration::ZERO) {
        let Ok(client) = accept_with(listener, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK) else {
            // No descriptors are left. The connection stays readable: do not spin.
            return std::thread::sleep(REQUEST);
        };
        // A client whose request is not read would lose the answer when the connection is closed.
        let mut request = [0; 16 * 1024];
        while Instant::now() < until
            && is_readable(&client, REQUEST)
            && rustix::net::recv(&client, &mut request[..], RecvFlags::empty())
                .is_ok_and(|(count, _)| count > 0)
        {}
        let _ = std::fs::File::from(client).write_all(&response(reason));
    }
}

fn is_readable(fd: impl AsFd, limit: Duration) -> bool {
    let limit = Timespec::try_from(limit).ok();
    poll(&mut [PollFd::new(&fd, PollFlags::IN)], limit.as_ref()).is_ok_and(|ready| ready > 0)
}

fn response(reason: &[u8]) -> Vec<u8> {
    let body = format!(
        r#"{{"error":{{"code":"IO_ERROR","message":"the daemon cannot start: {}","hint":"it is tried again; sessions go on"}}}}"#,
        escaped(&String::from_utf8_lossy(reason))
    );
    let length = body.len();
    format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
    .into_bytes()
}

/// Text for a JSON string.
fn escaped(text: &str) -> String {
    text.trim()
        .chars()
        .map(|c| match c {
            '"' | '\\' => format!("\\{c}"),
            c if c.is_control() => format!("\\u{:04x}", u32::from(c)),
            c => c.to_string(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_valid_json_whatever_it_contains() {
        assert_eq!(escaped(" a \"b\" \\ c\nd\x1b \u{85}é "), "a \\\"b\\\" \\\\ c\\u000ad\\u001b \\u0085é");
        let text = String::from_utf8(response(b"no room\n")).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("content-length: {}\r\n", body.len())), "{head}");
        assert!(body.contains(r#""message":"the daemon cannot start: no room""#), "{body}");
    }
}
