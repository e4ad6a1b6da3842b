use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::device::{decode_hex, hex};
use super::osc::label;
use super::{MAX_LABEL, Term};
use crate::effect::EffectKind;
use crate::parse::params::Params;

/// The most titles that can be pushed.
const DEPTH: usize = 10;

/// The titles of the window and its icon, and the stack of pushed titles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Titles {
    pub(crate) window: String,
    icon: String,
    stack: Vec<Pushed>,
    /// XTSMTITLE's bits: set in hexadecimal, query in hexadecimal, and both in UTF-8.
    modes: u8,
}

/// Pushed titles; `None` for the one that was not pushed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Pushed {
    window: Option<String>,
    icon: Option<String>,
}

const SET_HEX: u8 = 1;
const ASK_HEX: u8 = 2;
const UTF8: u8 = 12;

impl Default for Titles {
    fn default() -> Self {
        Titles { window: String::new(), icon: String::new(), stack: Vec::new(), modes: UTF8 }
    }
}

impl Titles {
    /// RIS: keeps the titles, but resets the title modes and clears the stack.
    pub(super) fn reset(&mut self) {
        self.modes = UTF8;
        self.stack.clear();
    }

    pub(crate) fn is_sound(&self) -> bool {
        let short = |title: &String| title.len() <= MAX_LABEL;
        short(&self.window)
            && short(&self.icon)
            && self.stack.len() <= DEPTH
            && self.stack.iter().all(|pushed| pushed.window.iter().chain(&pushed.icon).all(short))
    }
}

impl Term {
    /// OSC 0, 1 and 2.
    pub(super) fn set_titles(&mut self, which: &str, text: &str) {
        let hex = self.titles.modes & SET_HEX != 0;
        let decoded =
            decode_hex(text.as_bytes()).filter(|_| hex).and_then(|bytes| String::from_utf8(bytes).ok());
        let title = label(decoded.as_deref().unwrap_or(text));
        if which != "2" {
            self.titles.icon.clone_from(&title);
        }
        if which != "1" {
            self.set_window_title(title);
        }
    }

    fn set_window_title(&mut self, title: String) {
        if title != self.titles.window {
            self.titles.window.clone_from(&title);
            self.effect(EffectKind::Title(title));
        }
    }

    /// CSI 20 t and 21 t: sends the title as input. Needs permission, because programs set the title.
    pub(super) fn report_title(&mut self, letter: char) {
        let title = if letter == 'L' { &self.titles.icon } else { &self.titles.window };
        let title = match self.titles.modes & ASK_HEX {
            0 => title.to_string(),
            _ => hex(title),
        };
        self.reply(&format!("\x1b]{letter}{title}\x1b\\"));
    }

    /// CSI 22 t: pushes the icon's title (1), the window's (2) or both (0).
    pub(super) fn push_title(&mut self, which: u16) {
        if which > 2 {
            return;
        }
        if self.titles.stack.len() == DEPTH {
            self.titles.stack.remove(0);
        }
        let window = (which != 1).then(|| self.titles.window.clone());
        let icon = (which != 2).then(|| self.titles.icon.clone());
        self.titles.stack.push(Pushed { window, icon });
    }

    /// CSI 23 t: pops the titles that were pushed last.
    pub(super) fn pop_title(&mut self, which: u16) {
        if which > 2 {
            return;
        }
        let Some(pushed) = self.titles.stack.pop() else { return };
        if let Some(icon) = pushed.icon.filter(|_| which != 2) {
            self.titles.icon = icon;
        }
        if let Some(window) = pushed.window.filter(|_| which != 1) {
            self.set_window_title(window);
        }
    }

    /// XTSMTITLE and XTRMTITLE; without parameters, both restore the default.
    pub(super) fn set_title_modes(&mut self, params: &Params, on: bool) {
        if params.is_empty() {
            self.titles.modes = UTF8;
        }
        for &mode in params.values().iter().filter(|mode| **mode < 4) {
            let bit = 1 << mode;
            self.titles.modes = if on { self.titles.modes | bit } else { self.titles.modes & !bit };
        }
    }
}
