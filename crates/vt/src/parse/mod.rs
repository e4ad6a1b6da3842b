//! Splits bytes into sequences and text.

pub(crate) mod params;
pub(crate) mod scan;

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::parse::params::Params;
use crate::term::Term;

/// The longest OSC, DCS or APC payload; a longer one is read completely and dropped.
const MAX_STRING: usize = 64 << 10;
/// How much of a dropped payload is kept, to identify its kind.
const BEGINNING: usize = 32;

/// Paul Williams' state machine, with UTF-8 in the ground state. C1 controls are recognized only in
/// their ESC forms, because 0x80–0x9f are UTF-8 continuation bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Parser {
    state: State,
    utf8: Utf8,
    header: Header,
    /// Payload of the string being read.
    #[serde(with = "serde_bytes")]
    string: Vec<u8>,
    /// The string is too long, or of a kind that is ignored.
    discard: bool,
    /// Length of the string, including dropped bytes.
    size: u64,
}

/// The part of a sequence before its final byte.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    /// One of `<=>?`, or 0.
    pub(crate) private: u8,
    /// The intermediate byte, 0 for none; [`MANY`] means more than one.
    pub(crate) intermediate: u8,
    pub(crate) params: Params,
    /// The final byte, for a DCS whose payload follows.
    pub(crate) last: u8,
    dcs: bool,
}

/// No supported sequence has two intermediates.
const MANY: u8 = 0xff;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum State {
    Ground,
    Escape,
    EscapeIntermediate,
    /// CSI and DCS headers share these four.
    Entry,
    Param,
    Intermediate,
    Ignore,
    String(StringKind),
    /// After an ESC inside a string: a backslash ends the string, any other byte aborts it.
    StringEscape(StringKind),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum StringKind {
    Osc,
    Dcs,
    Apc,
    /// PM and SOS, which are ignored.
    Other,
}

/// A partially received character.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Utf8 {
    code: u32,
    need: u8,
    /// Bounds of the next byte, which are tighter after some lead bytes (Unicode, table 3-7).
    low: u8,
    high: u8,
}

impl Parser {
    pub(crate) fn new() -> Parser {
        Parser {
            state: State::Ground,
            utf8: Utf8::default(),
            header: Header::default(),
            string: Vec::new(),
            discard: false,
            size: 0,
        }
    }

    pub(crate) fn in_sequence(&self) -> bool {
        self.state != State::Ground || self.utf8.need > 0
    }

    /// A copy without leftovers of earlier sequences, so that equal terminals have equal saved states.
    pub(crate) fn tidied(&self) -> Parser {
        let mut parser = self.clone();
        let in_string = matches!(self.state, State::String(_) | State::StringEscape(_));
        let in_dcs =
            matches!(self.state, State::String(StringKind::Dcs) | State::StringEscape(StringKind::Dcs));
        if parser.utf8.need == 0 {
            parser.utf8 = Utf8::default();
        }
        if self.state == State::Ground || (in_string && !in_dcs) {
            parser.header = Header::default();
        }
        parser.header.params.tidy();
        parser.header.dcs &= self.in_header() || in_dcs;
        if !in_dcs {
            parser.header.last = 0;
        }
        parser.discard &= in_string;
        if !in_string {
            parser.size = 0;
        }
        parser
    }

    pub(crate) fn advance(&mut self, term: &mut Term, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(&first) = rest.first() {
            let taken = match self.state {
                State::Ground if self.utf8.need == 0 => self.ground(term, rest),
                State::Ground => self.half_character(term, first),
                State::String(kind) => self.string(term, rest, kind),
                _ => {
                    term.seq += 1;
                    self.escape(term, first);
                    1
                }
            };
            rest = rest.get(taken..).unwrap_or_default();
        }
    }

    /// Processes a run of text, a whole sequence or a single byte; returns the number of bytes.
    #[inline]
    fn ground(&mut self, term: &mut Term, rest: &[u8]) -> usize {
        let run = scan::printable(rest);
        if run > 0 {
            term.print_ascii(rest.get(..run).unwrap_or_default());
            return run;
        }
        match rest {
            [0x1b, b'[', after @ ..] => {
                if let Some(taken) = self.whole_csi(term, after) {
                    return taken + 2;
                }
            }
            [0x80..=0xff, ..] => return self.characters(term, rest),
            _ => {}
        }
        term.seq += 1;
        match rest.first() {
            Some(0x1b) => self.enter_escape(),
            Some(&control) => term.execute(control),
            None => {}
        }
        1
    }

    /// A fast path for a complete, ordinary control sequence. Anything else is left to the state
    /// machine, which produces the same result byte by byte.
    #[inline]
    fn whole_csi(&mut self, term: &mut Term, after: &[u8]) -> Option<usize> {
        let mut rest = after;
        let mut private = 0;
        if let [first @ b'<'..=b'?', later @ ..] = rest {
            private = *first;
            rest = later;
        }
        rest = self.header.params.parse(rest)?;
        let mut intermediate = 0;
        if let [first @ 0x20..=0x2f, later @ ..] = rest {
            intermediate = *first;
            rest = later;
        }
        let [last @ 0x40..=0x7e, later @ ..] = rest else { return None };
        let taken = after.len() - later.len();
        term.seq += taken as u64 + 2;
        if (private, intermediate, *last) == (0, 0, b'm') {
            // SGR is half of all sequences.
            term.select_style(&self.header.params);
            return Some(taken);
        }
        self.header.private = private;
        self.header.intermediate = intermediate;
        self.header.dcs = false;
        term.csi(&self.header, *last);
        Some(taken)
    }

    /// Prints non-ASCII characters up to the first incomplete or invalid one.
    fn characters(&mut self, term: &mut Term, bytes: &[u8]) -> usize {
        let whole = term.print_text(bytes);
        if whole > 0 {
            return whole;
        }
        // Invalid or incomplete.
        term.seq += 1;
        if let Some(&first) = bytes.first()
            && !self.utf8.lead(first)
        {
            term.print(char::REPLACEMENT_CHARACTER);
        }
        1
    }

    /// Processes the next byte of a character that was split between reads.
    fn half_character(&mut self, term: &mut Term, byte: u8) -> usize {
        if !(self.utf8.low..=self.utf8.high).contains(&byte) {
            // The character was cut off: print one replacement, and process the byte again.
            self.utf8.need = 0;
            term.seq += 1;
            term.print(char::REPLACEMENT_CHARACTER);
            term.seq -= 1;
            return 0;
        }
        term.seq += 1;
        if let Some(c) = self.utf8.continuation(byte) {
            term.print(c);
        }
        1
    }

    fn enter_escape(&mut self) {
        self.state = State::Escape;
        self.header.private = 0;
        self.header.intermediate = 0;
        self.header.last = 0;
        self.header.params.clear();
    }

    /// Processes one byte of an escape sequence or of a CSI or DCS header.
    fn escape(&mut self, term: &mut Term, byte: u8) {
        match byte {
            0x18 | 0x1a => self.abort(),
            0x1b => {
                self.drop_string();
                self.enter_escape();
            }
            0x00..0x20 if matches!(self.state, State::StringEscape(_)) => {
                // The ESC did not end the string, so the string is aborted.
                self.drop_string();
                self.enter_escape();
                term.execute(byte);
            }
            0x00..0x20 if self.header.dcs && self.in_header() => {}
            0x00..0x20 => term.execute(byte),
            0x7f => {}
            0x80.. => {
                // Text inside a sequence aborts the sequence; the text itself is printed.
                self.abort();
                if !self.utf8.lead(byte) {
                    term.print(char::REPLACEMENT_CHARACTER);
                }
            }
            _ => match self.state {
                State::Escape | State::EscapeIntermediate => self.escape_byte(term, byte),
                State::StringEscape(kind) => {
                    if byte == b'\\' {
                        self.end_string(term, kind, false);
                    } else {
                        self.drop_string();
                        self.enter_escape();
                        self.escape_byte(term, byte);
                    }
                }
                _ => self.header_byte(term, byte),
            },
        }
    }

    fn in_header(&self) -> bool {
        matches!(self.state, State::Entry | State::Param | State::Intermediate | State::Ignore)
    }

    fn abort(&mut self) {
        self.drop_string();
        self.state = State::Ground;
    }

    fn escape_byte(&mut self, term: &mut Term, byte: u8) {
        let plain = self.state == State::Escape;
        match byte {
            0x20..=0x2f => {
                self.collect(byte);
                self.state = State::EscapeIntermediate;
            }
            b'[' if plain => self.enter_header(false),
            b'P' if plain => self.enter_header(true),
            b']' if plain => self.enter_string(StringKind::Osc, false),
            b'_' if plain => self.enter_string(StringKind::Apc, false),
            b'X' | b'^' if plain => self.enter_string(StringKind::Other, true),
            _ => {
                self.state = State::Ground;
                term.esc(self.header.intermediate, byte);
            }
        }
    }

    fn enter_header(&mut self, dcs: bool) {
        self.state = State::Entry;
        self.header.dcs = dcs;
    }

    fn collect(&mut self, byte: u8) {
        self.header.intermediate = if self.header.intermediate == 0 { byte } else { MANY };
    }

    fn header_byte(&mut self, term: &mut Term, byte: u8) {
        match byte {
            0x40..=0x7e => {
                let ignored = self.state == State::Ignore;
                if self.header.dcs {
                    self.header.last = if ignored { 0 } else { byte };
                    self.enter_string(StringKind::Dcs, ignored);
                } else {
                    self.state = State::Ground;
                    if !ignored {
                        term.csi(&self.header, byte);
                    }
                }
            }
            _ if self.state == State::Ignore => {}
            0x20..=0x2f => {
                self.collect(byte);
                self.state = State::Intermediate;
            }
            _ if self.state == State::Intermediate => self.state = State::Ignore,
            b'0'..=b'9' => {
                self.header.params.digit(byte - b'0');
                self.state = State::Param;
            }
            b':' | b';' => {
                self.header.params.separator(byte == b':');
                self.state = State::Param;
            }
            b'<'..=b'?' if self.state == State::Entry => {
                self.header.private = byte;
                self.state = State::Param;
            }
            _ => self.state = State::Ignore,
        }
    }

    fn enter_string(&mut self, kind: StringKind, discard: bool) {
        self.state = State::String(kind);
        self.string.clear();
        self.discard = discard;
        self.size = 0;
    }

    /// Processes payload up to the next control, or that control; returns the number of bytes.
    fn string(&mut self, term: &mut Term, rest: &[u8], kind: StringKind) -> usize {
        let run = scan::payload(rest);
        if run > 0 {
            term.seq += run as u64;
            self.put(rest.get(..run).unwrap_or_default());
            return run;
        }
        term.seq += 1;
        match rest.first() {
            Some(0x18 | 0x1a) => self.abort(),
            Some(0x1b) => self.state = State::StringEscape(kind),
            Some(0x07) if kind == StringKind::Osc => self.end_string(term, kind, true),
            // Other controls are data in a DCS and ignored in other strings.
            Some(control) if kind == StringKind::Dcs => self.put(&[*control]),
            _ => {}
        }
        1
    }

    fn put(&mut self, bytes: &[u8]) {
        self.size = self.size.saturating_add(bytes.len() as u64);
        if self.discard {
            return;
        }
        if self.string.len() + bytes.len() > MAX_STRING {
            // The kept beginning must not depend on how the bytes were split.
            let missing = BEGINNING.saturating_sub(self.string.len());
            self.string.extend_from_slice(bytes.get(..missing.min(bytes.len())).unwrap_or_default());
            self.string = self.string.get(..BEGINNING).unwrap_or_default().to_vec();
            self.discard = true;
        } else {
            self.string.extend_from_slice(bytes);
        }
    }

    fn drop_string(&mut self) {
        self.string = Vec::new();
    }

    fn end_string(&mut self, term: &mut Term, kind: StringKind, bell: bool) {
        self.state = State::Ground;
        let string = core::mem::take(&mut self.string);
        if self.discard {
            let introducer = match kind {
                StringKind::Osc => b']',
                StringKind::Dcs => b'P',
                StringKind::Apc => b'_',
                StringKind::Other => return,
            };
            return term.image_dropped(introducer, &self.header, &string, self.size);
        }
        match kind {
            StringKind::Osc => term.osc(&string, bell),
            StringKind::Dcs => term.dcs(&self.header, &string),
            StringKind::Apc => term.apc(&string),
            StringKind::Other => {}
        }
    }

    pub(crate) fn is_sound(&self) -> bool {
        let utf8 = &self.utf8;
        let utf8_sound = utf8.need == 0
            || (utf8.need <= 3
                && self.state == State::Ground
                && (0x80..=0xbf).contains(&utf8.low)
                && (0x80..=0xbf).contains(&utf8.high)
                && utf8.code < 1 << (21 - 6 * u32::from(utf8.need)));
        utf8_sound && self.header.params.is_sound() && self.string.len() <= MAX_STRING
    }
}

impl Utf8 {
    /// Begins a character; returns false if the byte is not a lead byte.
    fn lead(&mut self, byte: u8) -> bool {
        let (need, low, high) = match byte {
            0xc2..=0xdf => (1, 0x80, 0xbf),
            0xe0 => (2, 0xa0, 0xbf),
            0xed => (2, 0x80, 0x9f),
            0xe1..=0xef => (2, 0x80, 0xbf),
            0xf0 => (3, 0x90, 0xbf),
            0xf1..=0xf3 => (3, 0x80, 0xbf),
            0xf4 => (3, 0x80, 0x8f),
            _ => return false,
        };
        // The lead byte of an n-byte character holds 7-n bits of the code point.
        self.code = u32::from(byte & (0x3f >> need));
        self.need = need;
        self.low = low;
        self.high = high;
        true
    }

    /// Adds a byte within the bounds; returns the character when it is complete.
    fn continuation(&mut self, byte: u8) -> Option<char> {
        self.code = self.code << 6 | u32::from(byte & 0x3f);
        self.need -= 1;
        self.low = 0x80;
        self.high = 0xbf;
        (self.need == 0).then(|| char::from_u32(self.code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }
}
