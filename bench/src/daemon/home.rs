use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// A daemon with its own home; dropping this value ends it.
#[derive(Debug)]
pub(crate) struct Home {
    dir: PathBuf,
    server: Child,
}

impl Home {
    /// Starts a daemon that allows this many sessions.
    pub(crate) fn start(sessions: usize) -> Result<Home, String> {
        let failed = |error: std::io::Error| format!("cannot start cotty: {error}");
        let dir = std::env::temp_dir().join(format!("cotty-bench-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).map_err(failed)?;
        let limit = sessions.to_string();
        let mut server = Command::new(binary()?)
            .args(["serve", "--listen", "127.0.0.1:0", "--max-sessions", &limit, "--max-per-owner", &limit])
            .env("COTTY_HOME", dir.join("home"))
            // An empty home, so that the user's shell configuration is not measured.
            .env("HOME", &dir)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let mut line = String::new();
        if let Some(stdout) = server.stdout.take() {
            BufReader::new(stdout).read_line(&mut line).map_err(failed)?;
        }
        let home = Home { dir, server };
        if line.is_empty() { Err("cotty did not start".to_owned()) } else { Ok(home) }
    }

    /// A `cotty` command that uses this home.
    pub(crate) fn command(&self) -> Result<Command, String> {
        let mut command = Command::new(binary()?);
        command.env("COTTY_HOME", self.dir.join("home")).env("HOME", &self.dir);
        Ok(command)
    }

    /// A path for a file of a child process.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    pub(super) fn socket(&self) -> PathBuf {
        self.dir.join("home/run/cotty.sock")
    }

    pub(super) fn client(&self) -> Result<Client, String> {
        Client::connect(&self.socket())
    }

    /// Repeats a call until the next daemon answers, like a client whose daemon died.
    pub(super) fn call_until_answered(&self, op: &str, params: &Value) -> Result<Value, String> {
        let started = Instant::now();
        loop {
            match self.client().and_then(|mut client| client.call(op, params)) {
                Err(error) if started.elapsed() > Duration::from_secs(30) => return Err(error),
                Err(_) => std::thread::sleep(Duration::from_millis(1)),
                answered => return answered,
            }
        }
    }

    /// The process id of the current daemon.
    pub(crate) fn daemon(&self) -> Result<i32, String> {
        let pid = self.client()?.call("status", &json!({}))?["pid"].as_i64();
        pid.and_then(|pid| i32::try_from(pid).ok()).ok_or("no process id".to_owned())
    }

    /// Sends SIGKILL to the daemon only.
    pub(super) fn kill_daemon(&self) -> Result<(), String> {
        let pid = Pid::from_raw(self.daemon()?).ok_or("no process id")?;
        kill_process(pid, Signal::KILL).map_err(|error| error.to_string())
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if let Some(pid) = i32::try_from(self.server.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::TERM);
        }
        let _ = self.server.wait();
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

pub(crate) fn binary() -> Result<PathBuf, String> {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/cotty");
    let path = std::env::var_os("COTTY_BIN").map_or(built, PathBuf::from);
    let found = path.canonicalize();
    found.map_err(|_| format!("{} does not exist: run `make bench-daemon`, which builds it", path.display()))
}

/// One connection to the daemon, kept open.
#[derive(Debug)]
pub(super) struct Client {
    stream: UnixStream,
    count: u64,
}

impl Client {
    fn connect(socket: &Path) -> Result<Client, String> {
        let stream = UnixStream::connect(socket).map_err(|error| error.to_string())?;
        Ok(Client { stream, count: 0 })
    }

    /// Calls one operation.
    pub(super) fn call(&mut self, op: &str, params: &Value) -> Result<Value, String> {
        self.count += 1;
        let body = json!({
            "op": op,
            "retry_id": format!("{:p}:{}:{:?}", self, self.count, Instant::now()),
            "caller": {"kind": "person", "client": "bench"},
            "origin": {"cwd": "/", "env": {"PATH": "/usr/bin:/bin", "HOME": "/", "LANG": "C.UTF-8"}},
            "params": params,
        })
        .to_string();
        let head = format!(
            "POST /v1/call HTTP/1.1\r\nhost: cotty\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let mut answer: Value = self.exchange(&(head + &body)).map_err(|error| format!("{op}: {error}"))?;
        match answer.get_mut("ok") {
            Some(reply) => Ok(reply.take()),
            None => Err(format!("{op}: {answer}")),
        }
    }

    fn exchange(&mut self, request: &str) -> std::io::Result<Value> {
        self.stream.write_all(request.as_bytes())?;
        let mut reader = BufReader::new(&self.stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().map_err(std::io::Error::other)?;
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        serde_json::from_slice(&body).map_err(std::io::Error::other)
    }

    /// Starts a program; returns the id of its session.
    pub(super) fn create(&mut self, program: &str, args: &[String]) -> Result<String, String> {
        let made = self.call("create", &json!({"program": program, "args": args}))?;
        made["session_id"].as_str().map(str::to_owned).ok_or("no session".to_owned())
    }

    /// Waits until a session outputs a text after `since`.
    pub(super) fn shows(&mut self, session: &str, text: &str, since: u64) -> Result<(), String> {
        let wait = json!({"session": session, "text": text, "since": since, "timeout_ms": 60_000});
        match self.call("wait", &wait)?["met"].as_str() {
            Some("text") => Ok(()),
            met => Err(format!("{session} did not show {text}: {met:?}")),
        }
    }
}
