use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use crate::Vt;
use crate::parse::Parser;
use crate::term::Term;

/// What a state begins with; its format follows in one byte, then the state as CBOR.
const MAGIC: &[u8] = b"cotty-vt";

/// Every format since the first that was released is read; see [`Vt::READS`].
///
/// Fields are found by their names, so one that is added (with `#[serde(default)]`), moved or removed needs no
/// new format. A field whose meaning changes does, and so does any change to what is packed into bytes: cells,
/// looks, the numbers of the history's lines. `tests/states` holds a state of each format.
const FORMAT: u8 = 3;

/// Bytes that are no state of this version of the engine.
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

    /// Everything but the effects nobody took yet, exact to the byte of a half-read sequence.
    pub fn state(&self) -> Vec<u8> {
        let saved = Saved { parser: &self.parser.tidied(), term: &self.term };
        let mut out = Vec::with_capacity(self.term.history.size() + (16 << 10));
        out.extend(MAGIC);
        out.push(FORMAT);
        // Writing to a vector cannot fail; were it to, `restore` refuses what is left.
        let _ = saved.serialize(&mut minicbor_serde::Serializer::new(&mut out));
        out
    }

    /// The terminal that gave these bytes; anything malformed or inconsistent is refused.
    pub fn restore(bytes: &[u8]) -> Result<Vt, BadState> {
        let refused = |reason| BadState { reason };
        let rest = bytes.strip_prefix(MAGIC).ok_or(refused("it begins with something else"))?;
        let (format, body) = rest.split_first().ok_or(refused("it ends too soon"))?;
        if !(Vt::READS.0..=Vt::READS.1).contains(format) {
            return Err(refused("another version of the engine wrote it"));
        }
        let mut decoder = minicbor_serde::Deserializer::new(body);
        let restored = Restored::deserialize(&mut decoder).map_err(|_| refused("it cannot be decoded"))?;
        if decoder.decoder().position() != body.len() {
            return Err(refused("there are bytes after its end"));
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

/// Small things of one size that are many: packed into one piece of bytes.
pub(crate) trait Packed<const SIZE: usize>: Sized {
    fn pack(&self) -> [u8; SIZE];
    fn unpack(bytes: &[u8; SIZE]) -> Self;
}

/// How a vector of such things is written.
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
            false => Err(D::Error::custom("half an item")),
        }
    }
}
