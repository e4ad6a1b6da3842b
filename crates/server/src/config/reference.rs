//! Text that is made from the table: the template file and the reference page.

use std::fmt::Write;

use super::{KEYS, Key};

/// A configuration file with every key and its default, all in comments.
pub fn template() -> String {
    let mut text = String::from(
        "# cotty's configuration. Every key is listed with its default: remove the # and change the value.\n\
         # Variables override this file, flags override variables. `cotty config check` reports mistakes,\n\
         # `cotty restart` makes a running daemon read the file again and keeps every session.\n",
    );
    for (section, keys) in sections() {
        let _ = write!(text, "\n[{section}]\n");
        for key in keys {
            let _ = write!(
                text,
                "\n{}# {}.\n#{} = {}\n",
                comment(key.what),
                upper(&key.allowed()),
                key.name,
                key.built_in()
            );
        }
    }
    text
}

/// `docs/configuration.md`.
pub fn reference() -> String {
    let mut text = String::from(include_str!("reference.md"));
    for (section, keys) in sections() {
        let _ = write!(text, "\n## [{section}]\n");
        for key in keys {
            let mut ways = vec![format!("`{}`", key.variable())];
            ways.extend(key.alias.map(|alias| format!("`{alias}`")));
            ways.extend(key.flag.map(|flag| format!("`cotty serve {flag}`")));
            if key.per_client {
                ways.push("*per client*".to_owned());
            }
            let _ = write!(
                text,
                "\n### {}\n\n{}\n\nDefault: `{}`. Allowed: {}.\n\nAlso set by {}.\n",
                key.name,
                key.what,
                key.built_in(),
                key.allowed(),
                ways.join(", ")
            );
        }
    }
    text
}

fn sections() -> Vec<(&'static str, Vec<&'static Key>)> {
    let mut sections: Vec<(&str, Vec<&Key>)> = Vec::new();
    for key in KEYS {
        match sections.last_mut() {
            Some((section, keys)) if *section == key.section => keys.push(key),
            _ => sections.push((key.section, vec![key])),
        }
    }
    sections
}

/// Wraps a text into comment lines.
fn comment(text: &str) -> String {
    let mut lines = String::new();
    let mut line = String::from("#");
    for word in text.split(' ') {
        if line.len() + word.len() > 98 {
            lines.push_str(&line);
            lines.push('\n');
            line = String::from("#");
        }
        line.push(' ');
        line.push_str(word);
    }
    lines + &line + "\n"
}

fn upper(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
