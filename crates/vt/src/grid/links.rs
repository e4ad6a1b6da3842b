use alloc::boxed::Box;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

/// The most links that the screens hold at once; text beyond them is printed without its link.
const MAX_LINKS: usize = 1024;
/// The longest link address that is kept.
const MAX_ADDRESS: usize = 2083;

/// The addresses of the hyperlinks (OSC 8) that the screens show.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Links {
    addresses: Vec<Box<str>>,
    /// How many requests a full table refuses before the next sweep. Without it, a screen full of
    /// links would cause a sweep for every further link.
    patience: u16,
}

impl Links {
    /// The address of a link; index 0 is none.
    pub(crate) fn get(&self, link: u16) -> Option<&str> {
        let index = usize::from(link).checked_sub(1)?;
        self.addresses.get(index).map(|address| &**address)
    }

    /// The index of an address; `None` if the address is too long or the table is full.
    pub(crate) fn intern(&mut self, address: &str) -> Option<u16> {
        if address.is_empty() || address.len() > MAX_ADDRESS || address.chars().any(char::is_control) {
            return None;
        }
        // The link being printed is nearly always the newest.
        let known = self.addresses.iter().rposition(|known| **known == *address);
        let index = match known {
            Some(index) => index,
            None if self.is_full() => return None,
            None => {
                self.addresses.push(address.into());
                self.addresses.len() - 1
            }
        };
        u16::try_from(index + 1).ok()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.addresses.len() >= MAX_LINKS
    }

    /// Whether the next sweep is due.
    pub(crate) fn wants_sweep(&mut self) -> bool {
        self.patience = self.patience.saturating_sub(1);
        self.patience == 0 && self.is_full()
    }

    pub(crate) fn len(&self) -> usize {
        self.addresses.len()
    }

    /// Bytes of memory.
    pub(crate) fn size(&self) -> usize {
        self.addresses.iter().map(|address| address.len() + size_of::<Box<str>>()).sum()
    }

    /// Keeps only the links that `visit` passes to its callback. The callback returns their new indexes.
    pub(crate) fn sweep(&mut self, visit: impl FnOnce(&mut dyn FnMut(u16) -> u16)) {
        let old = core::mem::take(&mut self.addresses);
        let known = Links { addresses: old, patience: 0 };
        visit(&mut |link| known.get(link).and_then(|address| self.intern(address)).unwrap_or(0));
        self.patience = if self.addresses.len() > MAX_LINKS / 2 { MAX_LINKS as u16 } else { 0 };
    }

    pub(crate) fn is_sound(&self) -> bool {
        self.addresses.len() <= MAX_LINKS && self.addresses.iter().all(|address| address.len() <= MAX_ADDRESS)
    }
}
