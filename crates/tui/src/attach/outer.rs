//! The person's terminal: set up for attach, and restored exactly as it was, however attach ends.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use ratatui::backend::CrosstermBackend;
use ratatui::{Frame, Terminal};
use rustix::process::{Signal, getpid, getppid, getsid, kill_current_process_group, kill_process};

/// Saves the title, opens the alternate screen, turns bracketed paste on.
const ENTER: &str = "\x1b[22;0t\x1b[?1049h\x1b[?2004h";
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1002l\x1b[?1000l";
/// Undoes `ENTER`; `MOUSE_OFF` goes before it.
const LEAVE: &str = "\x1b[?2004l\x1b[0m\x1b[?25h\x1b[?1049l\x1b[23;0t";

/// Whether the terminal is set up for attach. Then a panic restores it before it prints its message.
static INSIDE: AtomicBool = AtomicBool::new(false);

/// The person's terminal while it is set up for attach.
pub(crate) struct Outer {
    terminal: Terminal<CrosstermBackend<io::Stdout>>,
    mouse: bool,
    title: String,
}

impl Outer {
    pub(crate) fn enter(mouse: bool) -> io::Result<Outer> {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore();
            before(panic);
        }));
        set_up(mouse)?;
        // From here on, dropping `Outer` restores the terminal.
        let made = Terminal::new(CrosstermBackend::new(io::stdout()));
        let mut outer = match made {
            Ok(terminal) => Outer { terminal, mouse, title: String::new() },
            Err(error) => {
                restore();
                return Err(error);
            }
        };
        outer.forget()?;
        Ok(outer)
    }

    pub(crate) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(draw).map(drop)
    }

    /// Columns and rows.
    pub(crate) fn size(&self) -> (u16, u16) {
        self.terminal.size().map_or((80, 24), |size| (size.width, size.height))
    }

    /// Makes the next frame draw everything. Does not use `clear`, which would query the terminal.
    pub(crate) fn forget(&mut self) -> io::Result<()> {
        let size = self.terminal.size()?;
        self.terminal.resize(size.into())
    }

    /// Sets the window's title; the text must be plain.
    pub(crate) fn set_title(&mut self, title: String) -> io::Result<()> {
        if self.title == title {
            return Ok(());
        }
        write(&format!("\x1b]2;{title}\x1b\\"))?;
        self.title = title;
        Ok(())
    }

    pub(crate) fn set_mouse(&mut self, on: bool) -> io::Result<()> {
        self.mouse = on;
        write(if on { MOUSE_ON } else { MOUSE_OFF })
    }

    /// Copies text to the person's clipboard, if the terminal allows it (OSC 52).
    pub(crate) fn copy(&mut self, text: &str) -> io::Result<()> {
        write(&format!("\x1b]52;c;{}\x1b\\", BASE64_STANDARD.encode(text)))
    }

    /// Stops this process group until a shell resumes it. `false`: there is no such shell.
    pub(crate) fn suspend(&mut self) -> io::Result<bool> {
        // If the parent is in another session, it is not a shell that could run `fg`.
        let shell = getppid().and_then(|parent| getsid(Some(parent)).ok());
        if shell.is_none() || shell != getsid(None).ok() {
            return Ok(false);
        }
        kill_current_process_group(Signal::TSTP)?;
        Ok(true)
    }

    /// Handles a stop signal: restores the terminal, stops, and sets it up again after resuming.
    pub(crate) fn stop(&mut self) -> io::Result<()> {
        restore();
        kill_process(getpid(), Signal::STOP)?;
        self.take_again()
    }

    /// Sets the terminal up again after the process was resumed.
    pub(crate) fn take_again(&mut self) -> io::Result<()> {
        if INSIDE.load(Ordering::SeqCst) {
            // The process was stopped without notice. The terminal's modes are unknown, so set them again, but do not save
            // the title a second time.
            let _ = disable_raw_mode();
            enable_raw_mode()?;
            write(ENTER.trim_start_matches("\x1b[22;0t"))?;
            write(if self.mouse { MOUSE_ON } else { MOUSE_OFF })?;
        } else {
            set_up(self.mouse)?;
        }
        let title = std::mem::take(&mut self.title);
        self.set_title(title)?;
        self.forget()
    }
}

impl Drop for Outer {
    fn drop(&mut self) {
        restore();
    }
}

fn set_up(mouse: bool) -> io::Result<()> {
    enable_raw_mode()?;
    INSIDE.store(true, Ordering::SeqCst);
    write(ENTER)?;
    write(if mouse { MOUSE_ON } else { "" })
}

/// Restores the terminal; a second call does nothing. Errors are ignored: the terminal might be gone.
fn restore() {
    if INSIDE.swap(false, Ordering::SeqCst) {
        let _ = write(MOUSE_OFF);
        let _ = write(LEAVE);
        let _ = disable_raw_mode();
    }
}

fn write(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}
