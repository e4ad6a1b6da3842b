//! The kinds of values: how each is read, checked and written.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use cotty_session::{self as session, Key};
use serde_json::Value;

/// A value as it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Given {
    /// Text of a variable or a flag, which has no type yet.
    Word(String),
    Integer(i64),
    Switch(bool),
    Text(String),
    List(Vec<Given>),
    /// Anything else, by the name of its type.
    Other(&'static str),
}

/// A place in the settings, and its allowed values.
pub(super) enum Slot<'a> {
    Address(&'a mut SocketAddr),
    Count(&'a mut usize, RangeInclusive<usize>),
    Cells(&'a mut u16, RangeInclusive<u16>),
    Size(&'a mut u64, RangeInclusive<u64>),
    Time(&'a mut Duration, RangeInclusive<Duration>),
    /// A time in milliseconds.
    Age(&'a mut u64, RangeInclusive<Duration>),
    Switch(&'a mut bool),
    Word(&'a mut String),
    /// A program; empty for none.
    Program(&'a mut Option<String>),
    /// A path; empty for none.
    Path(&'a mut Option<PathBuf>),
    Pattern(&'a mut String),
    Press(&'a mut String),
    Names(&'a mut Vec<String>),
    Level(&'a mut String),
}

impl Slot<'_> {
    /// Sets the value, or returns why it is invalid and what is allowed.
    pub(super) fn set(self, given: &Given) -> Result<(), String> {
        let allowed = self.allowed();
        let wrong = || format!("{} is not valid: use {allowed}", shown(given));
        match self {
            Slot::Address(slot) => *slot = address(given).ok_or_else(wrong)?.and_loopback()?,
            Slot::Count(slot, range) => {
                *slot = number(given).filter(|n| range.contains(n)).ok_or_else(wrong)?;
            }
            Slot::Cells(slot, range) => {
                *slot = number(given).filter(|n| range.contains(n)).ok_or_else(wrong)?;
            }
            Slot::Size(slot, range) => *slot = size(given).filter(|n| range.contains(n)).ok_or_else(wrong)?,
            Slot::Time(slot, range) => *slot = time(given).filter(|t| range.contains(t)).ok_or_else(wrong)?,
            Slot::Age(slot, range) => {
                let age = time(given).filter(|t| range.contains(t)).ok_or_else(wrong)?;
                *slot = u64::try_from(age.as_millis()).map_err(|_| wrong())?;
            }
            Slot::Switch(slot) => *slot = switch(given).ok_or_else(wrong)?,
            Slot::Word(slot) => *slot = text(given).filter(|t| is_word(t)).ok_or_else(wrong)?.to_owned(),
            Slot::Program(slot) => {
                let text = text(given).filter(|t| !t.contains('\0')).ok_or_else(wrong)?;
                *slot = Some(text.to_owned()).filter(|t| !t.is_empty());
            }
            Slot::Path(slot) => {
                let text = text(given).filter(|t| t.is_empty() || t.starts_with('/')).ok_or_else(wrong)?;
                *slot = Some(PathBuf::from(text)).filter(|p| !p.as_os_str().is_empty());
            }
            Slot::Pattern(slot) => {
                let pattern = text(given).ok_or_else(wrong)?;
                session::pattern(pattern).map_err(|e| format!("{}: {e}", shown(given)))?;
                *slot = pattern.to_owned();
            }
            Slot::Press(slot) => {
                let key = text(given).ok_or_else(wrong)?;
                if !key.is_empty() {
                    Key::parse(key).map_err(|e| e.to_string())?;
                }
                *slot = key.to_owned();
            }
            Slot::Names(slot) => *slot = names(given).ok_or_else(wrong)?,
            Slot::Level(slot) => *slot = text(given).filter(|t| is_level(t)).ok_or_else(wrong)?.to_owned(),
        }
        Ok(())
    }

    /// The current value, in a form that JSON and TOML share.
    pub(super) fn value(&self) -> Value {
        match self {
            Slot::Address(slot) => slot.to_string().into(),
            Slot::Count(slot, _) => (**slot).into(),
            Slot::Cells(slot, _) => (**slot).into(),
            Slot::Size(slot, _) => size_text(**slot).into(),
            Slot::Time(slot, _) => time_text(**slot).into(),
            Slot::Age(slot, _) => time_text(Duration::from_millis(**slot)).into(),
            Slot::Switch(slot) => (**slot).into(),
            Slot::Program(slot) => slot.as_deref().unwrap_or_default().into(),
            Slot::Path(slot) => {
                slot.as_ref().map(|p| p.to_string_lossy().into_owned()).unwrap_or_default().into()
            }
            Slot::Names(slot) => (**slot).clone().into(),
            Slot::Word(slot) | Slot::Pattern(slot) | Slot::Press(slot) | Slot::Level(slot) => {
                (**slot).clone().into()
            }
        }
    }

    /// The allowed values, in words.
    pub(super) fn allowed(&self) -> String {
        match self {
            Slot::Address(_) => {
                "a loopback address and a port, e.g. \"127.0.0.1:7420\"; port 0 means any free port"
                    .into()
            }
            Slot::Count(_, range) => format!("a number from {} to {}", range.start(), range.end()),
            Slot::Cells(_, range) => format!("a number from {} to {}", range.start(), range.end()),
            Slot::Size(_, range) => format!(
                "bytes, or a size with a unit, e.g. \"64MiB\", from {} to {}",
                size_text(*range.start()),
                size_text(*range.end())
            ),
            Slot::Time(_, range) | Slot::Age(_, range) => format!(
                "a time with a unit (s, m, h, d), e.g. \"30m\", from {} to {}",
                time_text(*range.start()),
                time_text(*range.end())
            ),
            Slot::Switch(_) => "true or false".into(),
            Slot::Word(_) => "a word of letters, digits and -+._".into(),
            Slot::Program(_) => "a program, or \"\"".into(),
            Slot::Path(_) => "an absolute path, or \"\"".into(),
            Slot::Pattern(_) => "a regular expression".into(),
            Slot::Press(_) => "a key, e.g. \"ctrl+]\", \"C-a\", \"f12\", or \"\"".into(),
            Slot::Names(_) => {
                "a list of names, e.g. [\"SSH_AUTH_SOCK\", \"AWS_*\"]; in a variable, separated by commas"
                    .into()
            }
            Slot::Level(_) => {
                "off, error, warn, info, debug or trace; also for single modules, e.g. \"warn,cotty_session=debug\""
                    .into()
            }
        }
    }
}

fn text(given: &Given) -> Option<&str> {
    match given {
        Given::Word(text) | Given::Text(text) => Some(text),
        _ => None,
    }
}

fn number<N: TryFrom<i64>>(given: &Given) -> Option<N> {
    let number = match given {
        Given::Integer(number) => *number,
        Given::Word(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    N::try_from(number).ok()
}

fn switch(given: &Given) -> Option<bool> {
    match given {
        Given::Switch(on) => Some(*on),
        Given::Word(text) => match text.to_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Some(true),
            "false" | "0" | "no" | "off" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn names(given: &Given) -> Option<Vec<String>> {
    let names: Vec<String> = match given {
        Given::Word(text) => text.split(',').map(|name| name.trim().to_owned()).collect(),
        Given::List(list) => list.iter().map(|item| text(item).map(str::to_owned)).collect::<Option<_>>()?,
        _ => return None,
    };
    let is_name = |name: &String| {
        let name = name.strip_suffix('*').unwrap_or(name);
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    names.iter().all(is_name).then_some(names)
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-+._".contains(c))
}

fn is_level(text: &str) -> bool {
    let level = |word: &str| {
        ["off", "error", "warn", "info", "debug", "trace"].contains(&word.to_lowercase().as_str())
    };
    let part = |part: &str| match part.split_once('=') {
        Some((target, word)) => {
            target.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':') && level(word)
        }
        None => level(part),
    };
    text.split(',').all(|piece| part(piece.trim()))
}

/// An address that is not yet checked.
struct Address(SocketAddr);

fn address(given: &Given) -> Option<Address> {
    Some(Address(text(given)?.trim().parse().ok()?))
}

impl Address {
    fn and_loopback(self) -> Result<SocketAddr, String> {
        match self.0.ip().is_loopback() {
            true => Ok(self.0),
            false => Err(format!(
                "{} is not a loopback address, and cotty does not speak TLS: an eavesdropper could use your \
                 terminals. Use 127.0.0.1 or [::1], and ssh -L from other machines",
                self.0
            )),
        }
    }
}

const SIZES: &[(&str, u64)] = &[
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("KB", 1000),
    ("B", 1),
];
const TIMES: &[(&str, u64)] = &[("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)];

/// A number with a unit in any case.
fn parse_with_unit(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let text = text.trim();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let (_, factor) = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit.trim()))?;
    number.parse::<u64>().ok()?.checked_mul(*factor)
}

fn size(given: &Given) -> Option<u64> {
    match given {
        Given::Integer(bytes) => u64::try_from(*bytes).ok(),
        given => {
            text(given).and_then(|text| text.trim().parse().ok().or_else(|| parse_with_unit(text, SIZES)))
        }
    }
}

fn time(given: &Given) -> Option<Duration> {
    parse_with_unit(text(given)?, TIMES).map(Duration::from_secs)
}

fn with_unit(number: u64, units: &[(&str, u64)], least: &str) -> String {
    let exact = units.iter().find(|(_, factor)| number.is_multiple_of(*factor));
    match exact {
        Some((unit, factor)) if number > 0 => format!("{}{unit}", number / factor),
        _ => format!("{number}{least}"),
    }
}

fn size_text(bytes: u64) -> String {
    with_unit(bytes, &SIZES[..3], "B")
}

fn time_text(time: Duration) -> String {
    with_unit(time.as_secs(), TIMES, "s")
}

fn shown(given: &Given) -> String {
    match given {
        Given::Word(text) => format!("`{text}`"),
        Given::Text(text) => toml_text(&Value::from(text.as_str())),
        Given::Integer(number) => number.to_string(),
        Given::Switch(on) => on.to_string(),
        Given::List(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", ")),
        Given::Other(kind) => format!("a {kind}"),
    }
}

/// A value as TOML writes it.
pub(super) fn toml_text(value: &Value) -> String {
    match value {
        // Patterns are easier to read without a second layer of backslashes.
        Value::String(text) if text.contains(['\\', '"']) && !text.contains(['\'', '\n']) => {
            format!("'{text}'")
        }
        Value::Array(items) => format!("[{}]", items.iter().map(toml_text).collect::<Vec<_>>().join(", ")),
        // TOML writes strings, numbers and booleans like JSON.
        value => value.to_string(),
    }
}
