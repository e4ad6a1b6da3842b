use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A `cotty mcp` process and its client.
#[derive(Debug)]
pub(super) struct Pipe {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    count: u64,
}

impl Pipe {
    /// Starts the process and performs the handshake.
    pub(super) fn start(mut command: Command, args: &[&str]) -> Result<Pipe, String> {
        let failed = |error: std::io::Error| format!("cannot start cotty mcp: {error}");
        let mut child = command
            .arg("mcp")
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .env("SHELL", "/bin/bash")
            .spawn()
            .map_err(failed)?;
        let (input, output) = (child.stdin.take(), child.stdout.take().ok_or("no stdout")?);
        let mut pipe = Pipe { child, input, output: BufReader::new(output), count: 0 };
        let client = json!({"name": "bench", "version": "1"});
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        pipe.request("initialize", hello)?;
        pipe.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(pipe)
    }

    fn send(&mut self, message: &Value) -> Result<(), String> {
        let input = self.input.as_mut().ok_or("closed")?;
        input.write_all(format!("{message}\n").as_bytes()).map_err(|error| error.to_string())
    }

    /// Sends a request; returns its result.
    pub(super) fn request(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.count += 1;
        let id = self.count;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).map_err(|error| error.to_string())? == 0 {
                return Err(format!("{method}: cotty mcp ended"));
            }
            let mut answer: Value = serde_json::from_str(&line).map_err(|error| error.to_string())?;
            if answer["id"] == id {
                let result = answer.get_mut("result").map(Value::take);
                return result.ok_or_else(|| format!("{method}: {answer}"));
            }
        }
    }

    /// Calls a tool; returns the text that a model sees, and the structured result.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<(String, Value), String> {
        let mut result = self.request("tools/call", json!({"name": tool, "arguments": arguments}))?;
        let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        match result["isError"].as_bool() {
            Some(true) => Err(format!("{tool} {arguments}: {text}")),
            _ => Ok((text, result["structuredContent"].take())),
        }
    }

    /// Starts a shell; returns its session once the prompt is shown.
    pub(super) fn shell(&mut self) -> Result<String, String> {
        let (_, made) = self.call("terminal__create_session", &json!({"program": "bash"}))?;
        made["session_id"].as_str().map(str::to_owned).ok_or("no session".to_owned())
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.wait();
    }
}
