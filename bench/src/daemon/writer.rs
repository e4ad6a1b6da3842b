use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

/// The terminal's output mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Cooked,
    Raw,
}

impl Mode {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Mode::Cooked => "cooked",
            Mode::Raw => "raw",
        }
    }
}

/// The measured program: writes lines of 68 characters to its terminal, and its speed to a file.
#[derive(Debug, Clone)]
pub(crate) struct Writer {
    pub(crate) mode: Mode,
    pub(crate) mib: usize,
    /// The file for the MB/s. An endless writer runs until a file with the extension `stop` exists beside it.
    pub(crate) result: PathBuf,
    pub(crate) endless: bool,
}

impl Writer {
    /// The arguments that make this program a writer.
    pub(crate) fn args(&self) -> Vec<String> {
        let endless = if self.endless { "endless" } else { "once" };
        let result = self.result.display().to_string();
        ["--writer", self.mode.name(), &self.mib.to_string(), endless, &result].map(str::to_owned).to_vec()
    }

    pub(crate) fn run(&self) -> Result<(), String> {
        let failed = |error: std::io::Error| error.to_string();
        let mut stdout = std::io::stdout().lock();
        if self.mode == Mode::Raw {
            let mut termios = tcgetattr(&stdout).map_err(|error| error.to_string())?;
            termios.make_raw();
            tcsetattr(&stdout, OptionalActions::Now, &termios).map_err(|error| error.to_string())?;
        }
        let line =
            format!("{}\n", "The quick brown fox jumps over the lazy dog, and on. ".repeat(2).split_at(68).0);
        let block = line.repeat((64 << 10) / line.len());
        let (started, mut written) = (Instant::now(), 0);
        let stop = stop(&self.result);
        while if self.endless { !stop.exists() } else { written < self.mib << 20 } {
            stdout.write_all(block.as_bytes()).map_err(failed)?;
            written += block.len();
        }
        let speed = written as f64 / 1e6 / started.elapsed().as_secs_f64();
        let new = self.result.with_extension("new");
        std::fs::write(&new, speed.to_string()).map_err(failed)?;
        std::fs::rename(new, &self.result).map_err(failed)
    }
}

/// Ends an endless writer; returns its MB/s.
pub(super) fn end(result: &Path) -> Result<f64, String> {
    std::fs::write(stop(result), "").map_err(|error| error.to_string())?;
    speed(result)
}

/// Waits for a writer's result in MB/s.
pub(super) fn speed(result: &Path) -> Result<f64, String> {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(120) {
        if let Some(speed) = std::fs::read_to_string(result).ok().and_then(|text| text.parse().ok()) {
            let _ = std::fs::remove_file(result);
            let _ = std::fs::remove_file(stop(result));
            return Ok(speed);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Err("the writer did not finish within 120 seconds".to_owned())
}

fn stop(result: &Path) -> PathBuf {
    result.with_extension("stop")
}
