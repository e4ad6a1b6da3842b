//! Checks the rules of ARCHITECTURE.md: which crate may use which, what stays pure, how long a file may be.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const CRATES: &str = "../../crates";

/// Each crate, and the crates of this workspace that it may use.
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
    assert_eq!(
        crates,
        allowed.keys().map(|c| (*c).to_owned()).collect(),
        "every crate needs a line in MAY_USE"
    );
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
fn the_engine_has_no_io_and_no_clock() {
    let lib = read(Path::new(CRATES).join("vt/src/lib.rs"));
    assert!(lib.contains("#![no_std]") && lib.contains("#![forbid(unsafe_code)]"));
}

#[test]
fn unsafe_code_is_only_in_the_allowed_files() {
    let allowed = [
        "pty/src/subreaper.rs",
        "pty/src/watch.rs",
        "session/src/durable/journal/mapping.rs",
        "cli/src/command/daemon.rs",
    ];
    for path in sources() {
        let text = path.to_string_lossy().into_owned();
        // A program without the standard library needs its own allocator.
        if text.ends_with("tests/tidy.rs")
            || text.contains("tests/no_std")
            || allowed.iter().any(|file| text.ends_with(file))
        {
            continue;
        }
        let code = read(&path);
        let is_unsafe = ["unsafe {", "unsafe fn", "unsafe impl"].iter().any(|form| code.contains(form));
        assert!(!is_unsafe, "unsafe code in {text}");
    }
}

#[test]
fn no_file_has_more_than_eight_hundred_lines() {
    for path in sources() {
        let lines = read(&path).lines().count();
        assert!(lines <= 800, "{} has {lines} lines: split it", path.display());
    }
}

/// The files of each face, by its name. `mod` is not a face.
fn faces() -> BTreeMap<String, Vec<PathBuf>> {
    let mut found = Vec::new();
    let root = Path::new(CRATES).join("server/src/face");
    files(&root, "rs", &mut found);
    let mut faces: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for path in found {
        let first = path.strip_prefix(&root).unwrap().components().next().unwrap();
        let name = first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned();
        faces.entry(name).or_default().push(path);
    }
    faces.remove("mod");
    assert!(faces.contains_key("rest") && faces["mcp"].len() > 20, "the faces were not found");
    faces
}

#[test]
fn a_face_imports_no_other_face() {
    let faces = faces();
    for (face, files) in &faces {
        for other in faces.keys().filter(|other| *other != face) {
            for path in files {
                let code = read(path);
                let imported =
                    code.contains(&format!("face::{other}")) || code.contains(&format!("super::{other}::"));
                assert!(!imported, "{} imports {other}", path.display());
            }
        }
    }
}

#[test]
fn a_face_acts_only_through_the_permission_check() {
    // `ops::perform` and `ops::call` check permissions; an operation's `run`, which needs the trait, and a session do not.
    let acts = [
        ".hold(",
        ".fit(",
        ".resize(",
        ".signal(",
        ".ask_people(",
        ".answer(",
        ".withdraw(",
        "session.send(",
        "session.run(",
    ];
    for path in faces().values().flatten() {
        let code = read(path);
        assert!(!code.contains("Perform"), "{} bypasses `perform`", path.display());
        for act in acts {
            assert!(!code.contains(act), "{} bypasses `perform` with {act}", path.display());
        }
    }
}

#[test]
fn every_requirement_has_a_line() {
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
