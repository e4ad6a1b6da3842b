//! What people read of the table: the file to begin with, and the reference page.

use std::fmt::Write;

use super::{KEYS, Key};

/// A file in which every key stands with its built-in value, and none is set.
pub fn template() -> String {
    let mut text = String::from(
        "# cotty's configuration. Every key stands here with its built-in value: take the # away and change it.\n\
         # Variables beat this file, flags beat variables. `cotty config check` says what is wrong with it,\n\
         # `cotty restart` makes a running daemon read it again and keeps every session.\n",
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
    let mut text = String::from(
        "# Configuration\n\n\
         <!-- Made from crates/server/src/config/table.rs: `UPDATE_DOCS=1 cargo test -p cotty-server config` writes it. -->\n\n\
         One file, `config.toml`: in `$COTTY_HOME` where that is set, else in `$XDG_CONFIG_HOME/cotty` or `~/.config/cotty`.\n\
         Nothing needs to be in it. `cotty config edit` opens it, with every key and its built-in value in comments where there\n\
         is none yet; `cotty config check` says what is wrong with it; `cotty config show` tells every value and where it comes from.\n\n\
         Each layer beats the one before:\n\n\
         1. what is built in;\n\
         2. the file;\n\
         3. variables: `COTTY_`, the section, the key, e.g. `COTTY_LIMITS_MAX_SESSIONS=50`. Those of the process that starts\n\
         \x20  the daemon count, for as long as it runs; a client that starts one in the background keeps what is marked\n\
         \x20  *per client* to itself;\n\
         4. flags of `cotty serve`;\n\
         5. what a client asks for its own sessions: the parameters of a call, or the variables marked *per client* below in the\n\
         \x20  environment of `cotty mcp`, `cotty new` and the like, also where the daemon already runs with other settings.\n\n\
         A key that does not exist and a value that is not possible are refused, with file, line and what is allowed: no daemon is\n\
         started with half of a configuration. A daemon that takes over from one that died does not fail for it: it goes on with\n\
         the configuration that was right last and says so in its log.\n\n\
         `cotty restart` makes a running daemon read the file again, and keeps every session. What a session was given when it was made\n\
         (size, TERM, history, pattern) stays as it was.\n\n\
         Sizes are written as bytes or with a unit (`KiB`, `MiB`, `GiB`, `KB`, `MB`, `GB`), times with one of `s`, `m`, `h`, `d`.\n",
    );
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
                "\n### {}\n\n{}\n\nBuilt in: `{}`. Possible: {}.\n\nAlso set by {}.\n",
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

/// Lines of a comment, no longer than a screen is wide.
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
