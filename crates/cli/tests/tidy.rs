//! What ARCHITECTURE.md promises, checked: which crate may use which, what stays pure, how long a file may get.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const CRATES: &str = "../../crates";

/// Each crate and those of ours that it may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("vt", &[]),
    ("pty", &[]),
    ("protocol", &[]),
    ("session", &["vt", "pty", "protocol"]),
    ("server", &["session", "pty", "protocol"]),
    ("client", &["protocol"]),
    ("tui", &["client", "protocol", "vt"]),
    ("cli", &["tui", "client", "server", "protocol", "pty", "vt"]),
];

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn files(dir: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
}

fn sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    files(Path::new(CRATES), "rs", &mut found);
    assert!(found.len() > 50, "the sources were not found");
    found
}

#[test]
fn dependencies_point_one_way() {
    let allowed: BTreeMap<&str, &[&str]> = MAY_USE.iter().copied().collect();
    let crates: BTreeSet<String> =
        fs::read_dir(CRATES).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(crates, allowed.keys().map(|c| (*c).to_owned()).collect(), "every crate has its line above");
    for (name, may_use) in allowed {
        let manifest = read(Path::new(CRATES).join(name).join("Cargo.toml"));
        assert!(manifest.contains("[lints]\nworkspace = true"), "{name} does not have the shared lints");
        for line in manifest.lines().filter_map(|line| line.strip_prefix("cotty-")) {
            let used = line.split(['.', ' ', '=']).next().unwrap_or_default();
            assert!(may_use.contains(&used), "{name} may not use {used}");
        }
    }
}

#[test]
fn the_engine_has_no_input_no_output_no_clock() {
    let lib = read(Path::new(CRATES).join("vt/src/lib.rs"));
    assert!(lib.contains("#![no_std]") && lib.contains("#![forbid(unsafe_code)]"));
}

#[test]
fn unsafe_code_stands_where_the_kernel_is_touched() {
    let allowed = ["pty/src/watch.rs", "session/src/journal/mapping.rs", "cli/src/command/daemon.rs"];
    for path in sources() {
        let text = path.to_string_lossy().into_owned();
        if text.ends_with("tests/tidy.rs") || allowed.iter().any(|file| text.ends_with(file)) {
            continue;
        }
        let code = read(&path);
        assert!(!code.contains("unsafe {") && !code.contains("unsafe fn"), "unsafe code in {text}");
    }
}

#[test]
fn no_file_grows_past_eight_hundred_lines() {
    for path in sources() {
        let lines = read(&path).lines().count();
        assert!(lines <= 800, "{} has {lines} lines: split it", path.display());
    }
}

#[test]
fn a_face_imports_no_other_face() {
    // `http` is the router that the others hang on, and `mod` lists them.
    let faces = ["mcp", "metrics", "rest", "updates", "view", "web"];
    for face in ["metrics", "rest", "updates", "view", "web"] {
        let code = read(Path::new(CRATES).join(format!("server/src/face/{face}.rs")));
        for other in faces.into_iter().filter(|other| *other != face) {
            assert!(!code.contains(&format!("face::{other}")), "{face} imports {other}");
        }
    }
}

#[test]
fn a_face_does_nothing_without_asking_whether_the_actor_may() {
    let mut found = Vec::new();
    files(&Path::new(CRATES).join("server/src/face"), "rs", &mut found);
    for path in found {
        // `ops::perform` and `ops::call` ask; an operation's own `run` does not, and needs the trait.
        assert!(!read(&path).contains("Operation"), "{} goes past `perform`", path.display());
    }
}

#[test]
fn every_requirement_has_its_line() {
    let text = read("../../docs/requirements.md");
    let ids: BTreeSet<String> =
        text.lines().filter_map(|l| Some(l.strip_prefix("| ")?.split(' ').next()?.to_owned())).collect();
    for (letter, last) in [('T', 21), ('P', 21), ('W', 9), ('A', 9), ('U', 8)] {
        for number in 1..=last {
            let id = format!("{letter}{number:02}");
            assert!(ids.contains(&id), "docs/requirements.md has no line for {id}");
        }
    }
}
