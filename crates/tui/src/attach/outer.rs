//! The person's own terminal: taken as a whole, and given back exactly as it was, however attach ends.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use ratatui::backend::CrosstermBackend;
use ratatui::{Frame, Terminal};
use rustix::process::{Signal, getpid, getppid, getsid, kill_current_process_group, kill_process};

/// The title is kept, then the alternate screen, then pastes in brackets.
const ENTER: &str = "\x1b[22;0t\x1b[?1049h\x1b[?2004h";
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1002l\x1b[?1000l";
/// All of it back, the mouse first.
const LEAVE: &str = "\x1b[?2004l\x1b[0m\x1b[?25h\x1b[?1049l\x1b[23;0t";

/// Whether the terminal is ours at the moment: then a panic gives it back before it says what happened.
static INSIDE: AtomicBool = AtomicBool::new(false);

/// The person's terminal while it is ours.
pub(crate) struct Outer {
    terminal: Terminal<CrosstermBackend<io::Stdout>>,
    mouse: bool,
    title: String,
}

impl Outer {
    pub(crate) fn enter(mouse: bool) -> io::Result<Outer> {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            before(panic);
        }));
        take(mouse)?;
        // From here on dropping it gives the terminal back.
        let made = Terminal::new(CrosstermBackend::new(io::stdout()));
        let mut outer = match made {
            Ok(terminal) => Outer { terminal, mouse, title: String::new() },
            Err(error) => {
                give_back();
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

    /// Draws everything with the next frame. Not by `clear`, which would ask the terminal a question.
    pub(crate) fn forget(&mut self) -> io::Result<()> {
        let size = self.terminal.size()?;
        self.terminal.resize(size.into())
    }

    /// Names the window; the text is plain.
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

    /// Puts text on the person's clipboard, where the terminal lets us (OSC 52).
    pub(crate) fn copy(&mut self, text: &str) -> io::Result<()> {
        write(&format!("\x1b]52;c;{}\x1b\\", BASE64_STANDARD.encode(text)))
    }

    /// Stops us and whoever runs with us, until somebody lets us go on. `false`: nobody could.
    pub(crate) fn suspend(&mut self) -> io::Result<bool> {
        // Whoever started us is in another session: no shell that could say `fg`.
        let shell = getppid().and_then(|parent| getsid(Some(parent)).ok());
        if shell.is_none() || shell != getsid(None).ok() {
            return Ok(false);
        }
        kill_current_process_group(Signal::TSTP)?;
        Ok(true)
    }

    /// We were told to stop: gives the terminal back, stops, and takes it again when we go on.
    pub(crate) fn stop(&mut self) -> io::Result<()> {
        give_back();
        kill_process(getpid(), Signal::STOP)?;
        self.take_again()
    }

    /// We go on, after whatever happened to the terminal meanwhile.
    pub(crate) fn take_again(&mut self) -> io::Result<()> {
        if INSIDE.load(Ordering::SeqCst) {
            // We were stopped without a word. What is set cannot be known, so it is set anew, but the title, which
            // was kept once, is not kept again.
            let _ = disable_raw_mode();
            enable_raw_mode()?;
            write(ENTER.trim_start_matches("\x1b[22;0t"))?;
            write(if self.mouse { MOUSE_ON } else { MOUSE_OFF })?;
        } else {
            take(self.mouse)?;
        }
        let title = std::mem::take(&mut self.title);
        self.set_title(title)?;
        self.forget()
    }
}

impl Drop for Outer {
    fn drop(&mut self) {
        give_back();
    }
}

fn take(mouse: bool) -> io::Result<()> {
    enable_raw_mode()?;
    INSIDE.store(true, Ordering::SeqCst);
    write(ENTER)?;
    write(if mouse { MOUSE_ON } else { "" })
}

/// Gives the terminal back; a second time does nothing. Where it is gone there is nothing to give back.
fn give_back() {
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
