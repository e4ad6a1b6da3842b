//! The configuration file's layer.

use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::value::Given;
use super::{Config, KEYS, Key, Problem, Source};
use crate::near::{did_you_mean, nearest};

/// Applies a file on top of the settings. A file that is not TOML changes nothing.
pub(super) fn apply(config: &mut Config, path: &Path, text: &str, problems: &mut Vec<Problem>) {
    let line =
        |offset: usize| 1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|b| **b == b'\n').count();
    let table = match DeTable::parse(text) {
        Ok(table) => table.into_inner(),
        Err(error) => {
            let source = Source::File(path.to_owned(), line(error.span().map_or(0, |span| span.start)));
            problems.push(Problem::new(source, format!("this is not TOML: {}", error.message())));
            return;
        }
    };
    // Sorted by line: the parser's map has another order.
    let mut found = Vec::new();
    for (section, value) in &table {
        let at = section.span().start;
        match value.get_ref() {
            DeValue::Table(keys) if KEYS.iter().any(|key| key.section == section.get_ref().as_ref()) => {
                for (name, value) in keys {
                    let at = name.span().start;
                    found.push((
                        at,
                        find_key(section.get_ref(), name.get_ref()).map(|key| (key, given(value.get_ref()))),
                    ));
                }
            }
            value => found.push((at, Err(no_section(section.get_ref(), matches!(value, DeValue::Table(_)))))),
        }
    }
    found.sort_by_key(|(at, _)| *at);
    for (at, found) in found {
        let source = Source::File(path.to_owned(), line(at));
        match found {
            Ok((index, given)) => config.set(index, &given, source, problems),
            Err(what) => problems.push(Problem::new(source, what)),
        }
    }
}

fn find_key(section: &str, name: &str) -> Result<usize, String> {
    let matches = |key: &Key| key.section == section && key.name == name;
    KEYS.iter().position(matches).ok_or_else(|| match elsewhere(name) {
        Some(key) => format!("[{section}] has no `{name}`; it belongs in [{}]", key.section),
        None => {
            let names: Vec<&str> =
                KEYS.iter().filter(|key| key.section == section).map(|key| key.name).collect();
            match nearest(name, names.iter().copied()) {
                Some(near) => format!("[{section}] has no `{name}`{}", did_you_mean(Some(near))),
                None => format!("[{section}] has no `{name}`; it has {}", names.join(", ")),
            }
        }
    })
}

fn no_section(name: &str, is_table: bool) -> String {
    if let Some(key) = elsewhere(name).filter(|_| !is_table) {
        return format!("`{name}` belongs in [{}]", key.section);
    }
    let mut names: Vec<&str> = KEYS.iter().map(|key| key.section).collect();
    names.dedup();
    match nearest(name, names.iter().copied()) {
        Some(near) if !is_table && near == name => format!("[{name}] is a section: put its keys below it"),
        Some(near) => format!("there is no section [{name}]; did you mean [{near}]?"),
        None => format!("there is no section [{name}]; the sections are {}", names.join(", ")),
    }
}

/// A key of that name in any section.
fn elsewhere(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

fn given(value: &DeValue<'_>) -> Given {
    match value {
        DeValue::String(text) => Given::Text(text.clone().into_owned()),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Given::Integer(number),
            Err(_) => Given::Other("number this large"),
        },
        DeValue::Boolean(on) => Given::Switch(*on),
        DeValue::Array(items) => Given::List(items.iter().map(|item| given(item.get_ref())).collect()),
        other => Given::Other(other.type_str()),
    }
}
