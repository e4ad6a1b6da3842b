use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use crate::Vt;
use crate::parse::Parser;
use crate::term::Term;

/// The first bytes of a state; one byte with the format follows, then the state as CBOR.
const MAGIC: &[u8] = b"cotty-vt";

/// The engine reads every released format; see [`Vt::READS`].
///
/// Fields are found by name, so adding (with `#[serde(default)]`), moving or removing a field needs no new format.
/// Changing the meaning of a field needs one, and so does any change to packed bytes: cells, attributes, the metadata
/// of history lines. `tests/states` holds a state of each format.
const FORMAT: u8 = 3;

/// The error for bytes that are not a valid state for this version of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadState {
    reason: &'static str,
}

impl fmt::Display for BadState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a terminal state: {}", self.reason)
    }
}

impl core::error::Error for BadState {}

impl Vt {
    /// The format that [`state`](Vt::state) writes.
    pub const WRITES: u8 = FORMAT;
    /// The formats that [`restore`](Vt::restore) reads, oldest and newest.
    pub const READS: (u8, u8) = (3, FORMAT);

    /// Saves everything except pending effects, including a half-read sequence.
    pub fn state(&self) -> Vec<u8> {
        let saved = Saved { parser: &self.parser.tidied(), term: &self.term };
        let mut out = Vec::with_capacity(self.term.history.size() + (16 << 10));
        out.extend(MAGIC);
        out.push(FORMAT);
        // Writing to a vector cannot fail; if it did, `restore` would refuse the result.
        let _ = saved.serialize(&mut minicbor_serde::Serializer::new(&mut out));
        out
    }

    /// Restores a saved terminal; refuses malformed or inconsistent bytes.
    pub fn restore(bytes: &[u8]) -> Result<Vt, BadState> {
        let refused = |reason| BadState { reason };
        let rest = bytes.strip_prefix(MAGIC).ok_or(refused("wrong magic bytes"))?;
        let (format, body) = rest.split_first().ok_or(refused("truncated before the format"))?;
        if !(Vt::READS.0..=Vt::READS.1).contains(format) {
            return Err(refused("unsupported format"));
        }
        let mut decoder = minicbor_serde::Deserializer::new(body);
        let restored = Restored::deserialize(&mut decoder).map_err(|_| refused("cannot decode"))?;
        if decoder.decoder().position() != body.len() {
            return Err(refused("trailing bytes"));
        }
        let vt = Vt { parser: restored.parser, term: restored.term };
        vt.verify().map_err(|reason| BadState { reason })?;
        Ok(vt)
    }
}

#[derive(Serialize)]
struct Saved<'a> {
    parser: &'a Parser,
    term: &'a Term,
}

#[derive(Deserialize)]
struct Restored {
    parser: Parser,
    term: Term,
}

/// A small item of fixed size; vectors of it are packed into one byte string.
pub(crate) trait Packed<const SIZE: usize>: Sized {
    fn pack(&self) -> [u8; SIZE];
    fn unpack(bytes: &[u8; SIZE]) -> Self;
}

/// Serializes a vector of [`Packed`] items.
pub(crate) mod packed {
    use alloc::vec::Vec;

    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;
    use serde_bytes::Bytes;

    use super::Packed;

    pub(crate) fn serialize<S: Serializer, T: Packed<N>, const N: usize>(
        items: &[T],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut out = Vec::with_capacity(items.len() * N);
        for item in items {
            out.extend(item.pack());
        }
        serializer.serialize_bytes(&out)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>, T: Packed<N>, const N: usize>(
        deserializer: D,
    ) -> Result<Vec<T>, D::Error> {
        let bytes = <&Bytes>::deserialize(deserializer)?;
        let (items, rest) = bytes.as_chunks::<N>();
        match rest.is_empty() {
            true => Ok(items.iter().map(T::unpack).collect()),
            false => Err(D::Error::custom("incomplete item")),
        }
    }
}
