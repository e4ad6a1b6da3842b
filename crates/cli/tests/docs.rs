//! docs/cli.md and the man pages match `--help`.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::process::Command;

fn cotty(args: &[&str]) -> String {
    // COTTY_BIN names another copy, for machines that cannot run cargo's.
    let binary = std::env::var("COTTY_BIN").unwrap_or_else(|_| env!("CARGO_BIN_EXE_cotty").to_owned());
    let done = Command::new(binary).args(args).output().unwrap();
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn the_cli_reference_is_up_to_date() {
    let kept = std::fs::read_to_string("../../docs/cli.md").unwrap_or_default();
    assert!(kept == cotty(&["__docs", "cli"]), "docs/cli.md is out of date: run `make docs`");
}

#[test]
fn every_command_is_described_and_has_examples() {
    let reference = cotty(&["__docs", "cli"]);
    let sections: Vec<&str> = reference.split("\n## ").skip(1).collect();
    assert!(sections.len() > 15, "{reference}");
    for section in sections {
        let name = section.lines().next().unwrap();
        let nested = section.contains("\n### ");
        assert!(nested || section.contains("\n```sh\n"), "{name} has no examples");
        assert!(section.lines().nth(2).is_some_and(|about| about.len() > 10), "{name} is not described");
    }
    assert!(!reference.contains(" __"), "hidden commands must not be documented");
}

#[test]
fn the_man_pages_are_generated_from_the_help() {
    let folder = tempfile::tempdir().unwrap();
    cotty(&["__docs", "man", folder.path().to_str().unwrap()]);
    let page = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let all = page("cotty.1");
    assert!(all.contains("Exit codes:") && all.contains("cotty\\-new(1)"), "{all}");
    assert!(page("cotty-run.1").contains("asciicast"));
    let names = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.into_iter().all(|name| !name.to_string_lossy().contains("__")));
}
