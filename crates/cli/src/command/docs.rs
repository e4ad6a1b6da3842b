//! `cotty __docs`: docs/cli.md and the man pages, from the definitions that `--help` shows. Nobody types this but make.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory};

use crate::{Cli, out};

/// Which of them.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// The text of docs/cli.md
    Cli,
    /// The man pages, into a folder
    Man { folder: PathBuf },
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.what {
        What::Cli => {
            out::text(&markdown());
        }
        What::Man { folder } => {
            std::fs::create_dir_all(&folder)?;
            clap_mangen::generate_to(visible(), &folder)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The command line as a person knows it: without the processes behind it.
pub(crate) fn visible() -> Command {
    let all = Cli::command();
    let visible = all.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    let mut shown = Command::new("cotty").args(all.get_arguments().cloned()).subcommands(visible);
    shown = shown.version(env!("CARGO_PKG_VERSION"));
    if let (Some(about), Some(long)) = (all.get_about(), all.get_long_about()) {
        shown = shown.about(about.clone()).long_about(long.clone());
    }
    shown.after_long_help(out::EXIT_CODES)
}

/// docs/cli.md.
fn markdown() -> String {
    let mut root = visible();
    root.build();
    let mut text = String::from(
        "<!-- Written by `make docs` from what `cotty --help` shows. Change it there. -->\n\n# cotty on the command line\n",
    );
    about(&mut text, &mut root);
    arguments(&mut text, &root);
    text.push_str("\n| command | what it does |\n|---|---|\n");
    for command in root.get_subcommands().filter(|command| is_documented(command)) {
        let name = command.get_name();
        let about = command.get_about().map(StyledStr::to_string).unwrap_or_default();
        let _ = writeln!(text, "| [`{name}`](#cotty-{name}) | {} |", about.replace('|', "\\|"));
    }
    code_block(&mut text, "text", out::EXIT_CODES);
    for command in root.get_subcommands_mut() {
        section(&mut text, command, "cotty", 2);
    }
    text
}

fn is_documented(command: &Command) -> bool {
    !command.is_hide_set() && command.get_name() != "help"
}

fn section(text: &mut String, command: &mut Command, parent: &str, level: usize) {
    if !is_documented(command) {
        return;
    }
    let name = format!("{parent} {}", command.get_name());
    let _ = write!(text, "\n{} {name}\n", "#".repeat(level));
    about(text, command);
    let also: Vec<String> =
        command.get_visible_aliases().map(|alias| format!("`{parent} {alias}`")).collect();
    if !also.is_empty() {
        let _ = write!(text, "\nAlso: {}\n", also.join(", "));
    }
    arguments(text, command);
    if let Some(examples) = command.get_after_help() {
        let examples = examples.to_string();
        let lines = examples.lines().filter(|line| *line != "Examples:").map(str::trim);
        code_block(text, "sh", &lines.collect::<Vec<_>>().join("\n"));
    }
    for inner in command.get_subcommands_mut() {
        section(text, inner, &name, level + 1);
    }
}

/// What it is for, and how it is written.
fn about(text: &mut String, command: &mut Command) {
    let about = command.get_long_about().or(command.get_about()).map(StyledStr::to_string);
    let _ = write!(text, "\n{}\n", about.unwrap_or_default());
    let usage = command.render_usage().to_string();
    code_block(text, "text", usage.trim_start_matches("Usage: "));
}

fn code_block(text: &mut String, language: &str, code: &str) {
    let _ = write!(text, "\n```{language}\n{}\n```\n", code.trim_end());
}

fn arguments(text: &mut String, command: &Command) {
    let shown = |arg: &&Arg| !arg.is_hide_set() && !["help", "version"].contains(&arg.get_id().as_str());
    let (positional, options): (Vec<&Arg>, Vec<&Arg>) =
        command.get_arguments().filter(shown).partition(|arg| arg.is_positional());
    let all: Vec<&Arg> = positional.into_iter().chain(options).collect();
    if !all.is_empty() {
        text.push('\n');
    }
    for arg in all {
        let _ = writeln!(text, "- `{}`: {}", written(arg), help(arg));
    }
}

/// An argument as it is typed: `-f, --force`, `--name NAME`, `SESSION`.
fn written(arg: &Arg) -> String {
    let values = arg.get_value_names().unwrap_or_default();
    let takes = arg.is_positional() || arg.get_action().takes_values();
    let value = if takes {
        values.iter().map(|v| v.to_string()).collect::<Vec<_>>().join(" ")
    } else {
        String::new()
    };
    let short = arg.get_short().map(|short| format!("-{short}"));
    let long = arg.get_long().map(|long| format!("--{long}"));
    let names = short.into_iter().chain(long).collect::<Vec<_>>().join(", ");
    format!("{names} {value}").trim().to_owned()
}

/// What it does, its values and its default.
fn help(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help()).map(StyledStr::to_string).unwrap_or_default();
    let mut help = help.replace("\n\n", "\n\n  ");
    let takes = arg.is_positional() || arg.get_action().takes_values();
    if !takes {
        return help;
    }
    let values = arg.get_possible_values();
    let named = values.iter().filter(|value| !value.is_hide_set()).map(|value| match value.get_help() {
        Some(help) => format!("`{}` ({help})", value.get_name()),
        None => format!("`{}`", value.get_name()),
    });
    let named: Vec<String> = named.collect();
    if !named.is_empty() {
        let _ = write!(help, ". One of {}", named.join(", "));
    }
    let default: Vec<String> =
        arg.get_default_values().iter().map(|v| v.to_string_lossy().into_owned()).collect();
    if !default.is_empty() {
        let _ = write!(help, ". Default: `{}`", default.join(","));
    }
    if let Some(variable) = arg.get_env() {
        let _ = write!(help, ". Also: `{}`", variable.to_string_lossy());
    }
    help
}
