use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

/// A session's number. An id or a name is accepted, too, and so are digits in quotes, which some models write.
#[derive(Debug)]
pub(super) struct Reference(String);

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl JsonSchema for Reference {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "SessionId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["integer", "string"] })
    }
}

impl<'de> Deserialize<'de> for Reference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Reference, D::Error> {
        struct Visiting;

        impl Visitor<'_> for Visiting {
            type Value = Reference;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("session_id as a number")
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Reference, E> {
                Ok(Reference(number.to_string()))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Reference, E> {
                Ok(Reference(number.to_string()))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Reference, E> {
                Ok(Reference(text.trim().to_owned()))
            }
        }

        deserializer.deserialize_any(Visiting)
    }
}
