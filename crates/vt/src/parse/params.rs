use serde::{Deserialize, Serialize};

/// The most parameters that a sequence can have; further ones are dropped.
const MAX: usize = 32;

/// The parameters of a control sequence; a missing one is 0.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Params {
    values: [u16; MAX],
    len: u8,
    /// Bit i: value i follows a colon, so it belongs to the previous value.
    subs: u32,
    full: bool,
}

impl Params {
    pub(crate) fn clear(&mut self) {
        self.len = 0;
        self.subs = 0;
        self.full = false;
    }

    /// Reads all numbers and separators; returns the rest of the bytes, or `None` if there are too many
    /// parameters.
    #[inline]
    pub(crate) fn parse<'a>(&mut self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        self.clear();
        let (mut at, mut value, mut index) = (0, 0u32, 0);
        // No parameters at all.
        if !matches!(bytes.first(), Some(b'0'..=b';')) {
            return Some(bytes);
        }
        loop {
            match bytes.get(at) {
                Some(byte @ b'0'..=b'9') => value = (value * 10 + u32::from(byte - b'0')).min(0xffff),
                Some(separator @ (b';' | b':')) => {
                    *self.values.get_mut(index)? = value as u16;
                    value = 0;
                    index += 1;
                    self.subs |= u32::from(*separator == b':').checked_shl(index as u32)?;
                }
                _ => break,
            }
            at += 1;
        }
        *self.values.get_mut(index)? = value as u16;
        self.len = index as u8 + 1;
        bytes.get(at..)
    }

    /// Clears values of earlier sequences.
    pub(crate) fn tidy(&mut self) {
        self.values.iter_mut().skip(usize::from(self.len)).for_each(|value| *value = 0);
    }

    pub(crate) fn digit(&mut self, digit: u8) {
        if self.len == 0 {
            self.start(false);
        }
        if !self.full
            && let Some(value) = self.values.get_mut(usize::from(self.len) - 1)
        {
            *value = value.saturating_mul(10).saturating_add(u16::from(digit));
        }
    }

    pub(crate) fn separator(&mut self, colon: bool) {
        if self.len == 0 {
            self.start(false);
        }
        self.start(colon);
    }

    fn start(&mut self, sub: bool) {
        let Some(value) = self.values.get_mut(usize::from(self.len)) else {
            self.full = true;
            return;
        };
        *value = 0;
        self.subs |= u32::from(sub) << self.len;
        self.len += 1;
    }

    pub(crate) fn values(&self) -> &[u16] {
        self.values.get(..usize::from(self.len)).unwrap_or_default()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn has_subs(&self) -> bool {
        self.subs != 0
    }

    /// A value as given; 0 if missing.
    pub(crate) fn get(&self, index: usize) -> u16 {
        self.values().get(index).copied().unwrap_or(0)
    }

    /// A count or coordinate, for which 0 and missing mean 1.
    pub(crate) fn count(&self, index: usize) -> u16 {
        self.get(index).max(1)
    }

    /// Each value with its sub-values: `4:3;1` gives `[4, 3]` and `[1]`.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &[u16]> {
        let values = self.values();
        let mut at = 0;
        core::iter::from_fn(move || {
            let start = at;
            if start >= values.len() {
                return None;
            }
            at += 1;
            while at < values.len() && self.subs >> at & 1 == 1 {
                at += 1;
            }
            values.get(start..at)
        })
    }

    pub(crate) fn is_sound(&self) -> bool {
        usize::from(self.len) <= MAX
    }
}
