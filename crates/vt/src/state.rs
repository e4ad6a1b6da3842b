use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use crate::Vt;
use crate::parser::Parser;
use crate::term::Term;

/// Says what the bytes are, and the version of their layout: raise it with any change to the
/// structures behind them.
const HEADER: &[u8] = b"cotty-vt\x02";

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
    /// Everything but the effects nobody took yet, exact to the byte of a half-read sequence; for
    /// this same version of the engine only.
    pub fn state(&self) -> Vec<u8> {
        let saved = Saved { parser: &self.parser.tidied(), term: &self.term };
        // Writing to a vector cannot fail; were it to, `restore` refuses what is left.
        postcard::to_extend(&saved, HEADER.to_vec()).unwrap_or_default()
    }

    /// The terminal that gave these bytes; anything malformed or inconsistent is refused.
    pub fn restore(bytes: &[u8]) -> Result<Vt, BadState> {
        let body = bytes.strip_prefix(HEADER).ok_or(BadState { reason: "wrong header or version" })?;
        let (restored, rest) = postcard::take_from_bytes::<Restored>(body)
            .map_err(|_| BadState { reason: "cannot be decoded" })?;
        if !rest.is_empty() {
            return Err(BadState { reason: "bytes after its end" });
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

/// Bytes written as one piece, not number by number.
pub(crate) mod bytes {
    use alloc::vec::Vec;
    use core::fmt;

    use serde::de::{Deserializer, Error, Visitor};
    use serde::ser::Serializer;

    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        deserializer.deserialize_bytes(Bytes)
    }

    struct Bytes;

    impl Visitor<'_> for Bytes {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("bytes")
        }

        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }
    }
}
