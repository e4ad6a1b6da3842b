use std::process::ExitCode;

use cotty_protocol::op::search::{Match, Params, Pattern, Reply};

use super::{block_on, client};
use crate::out::{self, Style};

/// Search a session's screen, history and alternate-screen history
///
/// Prints the matching lines, oldest first, and exits with 3 if there are none. A wrapped line is searched as one line.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty search build 'warning|error'\n  cotty search build '(?i)todo' --limit 1000"
)]
pub(crate) struct Args {
    /// Id, number or name
    session: String,
    /// A regular expression
    regex: String,
    /// Print only the newest N matches, up to 1000
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
    /// Print all details of the matches as JSON, newest first
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (regex, limit) = (Some(args.regex), Some(args.limit.into()));
    let params = Params { session: args.session, pattern: Pattern { regex, text: None, limit } };
    let found: Reply = block_on(async { Ok(client()?.call(&params).await?) })?;
    if args.json {
        out::json(&found)?;
    } else {
        for line in lines(&found.matches) {
            out::line(&line);
        }
        if found.more {
            out::note("cotty: there are older matches; --limit shows more");
        }
    }
    Ok(if found.matches.is_empty() { ExitCode::from(out::NO) } else { ExitCode::SUCCESS })
}

/// Each line once, with its matches highlighted.
fn lines(matches: &[Match]) -> Vec<String> {
    let same_line = |a: &&Match, b: &&Match| a.line_id.is_some() && a.line_id == b.line_id;
    let oldest_first: Vec<&Match> = matches.iter().rev().collect();
    let of_line = |of_line: &[&Match]| {
        let mut rest = of_line[0].line.as_str();
        let mut shown = String::new();
        for hit in of_line.iter().filter(|hit| !hit.text.is_empty()) {
            let Some(at) = rest.find(&hit.text) else { continue };
            shown.push_str(&out::plain(&rest[..at]));
            shown.push_str(&out::painted(Style::Bad, &out::plain(&hit.text)));
            rest = &rest[at + hit.text.len()..];
        }
        shown + &out::plain(rest)
    };
    oldest_first.chunk_by(same_line).map(of_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_matches_twice_is_shown_once() {
        let hit = |text: &str, line: &str, line_id| Match {
            text: text.into(),
            line: line.into(),
            line_id,
            col: None,
        };
        let newest_first =
            [hit("b", "last b", None), hit("b", "a b\x1b", Some(1)), hit("a", "a b\x1b", Some(1))];
        assert_eq!(lines(&newest_first), ["a b?", "last b"]);
    }
}
