use std::hint::black_box;

use vte::{Params, Parser, Perform};

use super::{Engine, Size};

/// Only the parser of alacritty_terminal and vt100: an upper bound for any engine built on it.
#[derive(Default)]
pub(super) struct Vte {
    parser: Parser,
    sum: Sum,
}

/// Reads everything it receives, and does nothing else.
#[derive(Default)]
struct Sum(u64);

impl Sum {
    fn add(&mut self, value: impl Into<u64>) {
        self.0 = self.0.wrapping_add(value.into());
    }

    fn params(&mut self, params: &Params) {
        for value in params.iter().flatten() {
            self.add(*value);
        }
    }
}

impl Perform for Sum {
    fn print(&mut self, c: char) {
        // Force one character at a time, as in a terminal; the compiler would vectorize a plain sum.
        self.add(black_box(c));
    }

    fn execute(&mut self, byte: u8) {
        self.add(byte);
    }

    fn hook(&mut self, params: &Params, _: &[u8], _: bool, action: char) {
        self.params(params);
        self.add(action);
    }

    fn put(&mut self, byte: u8) {
        self.add(byte);
    }

    fn osc_dispatch(&mut self, params: &[&[u8]], _: bool) {
        self.add(params.iter().map(|param| param.len() as u64).sum::<u64>());
    }

    fn csi_dispatch(&mut self, params: &Params, _: &[u8], _: bool, action: char) {
        self.params(params);
        self.add(action);
    }

    fn esc_dispatch(&mut self, _: &[u8], _: bool, byte: u8) {
        self.add(byte);
    }
}

impl Engine for Vte {
    fn feed(&mut self, chunk: &[u8]) {
        self.parser.advance(&mut self.sum, chunk);
        black_box(self.sum.0);
    }

    fn text(&self) -> Option<String> {
        None
    }

    fn resize(&mut self, _: Size) {}
}
