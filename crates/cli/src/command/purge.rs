use std::process::ExitCode;

use cotty_protocol::op::purge::{Params, Reply};

use super::{block_on, client};
use crate::out;

/// Delete recordings: a session's, old ones, or all
///
/// Recordings of live sessions are kept; with --live, all but their newest part is deleted.
#[derive(Debug, clap::Args)]
#[command(
    group = clap::ArgGroup::new("which").required(true),
    after_help = "Examples:\n  cotty purge sess_a1b2c3d4\n  cotty purge --older-than 7d\n  cotty purge --all --live"
)]
pub(crate) struct Args {
    /// The session's id, number or name
    #[arg(group = "which")]
    session: Option<String>,
    /// Recordings that have not changed for this long: 90s, 30m, 12h, 7d
    #[arg(long, value_name = "AGE", group = "which", value_parser = seconds)]
    older_than: Option<u64>,
    /// All recordings
    #[arg(long, group = "which")]
    all: bool,
    /// Also recordings of live sessions
    #[arg(long)]
    live: bool,
    /// Print what was deleted as JSON
    #[arg(long)]
    json: bool,
}

fn seconds(text: &str) -> Result<u64, String> {
    let wrong = || "must be a time like 90s, 30m, 12h or 7d".to_owned();
    let (number, unit) = text.split_at_checked(text.len().saturating_sub(1)).ok_or_else(wrong)?;
    let unit = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        _ => return Err(wrong()),
    };
    number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit)).ok_or_else(wrong)
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let params =
        Params { session: args.session, older_than_seconds: args.older_than, all: args.all, live: args.live };
    let purged: Reply = block_on(async { Ok(client()?.call(&params).await?) })?;
    if args.json {
        out::json(&purged)?;
        return Ok(ExitCode::SUCCESS);
    }
    let recordings = if purged.recordings == 1 { "recording" } else { "recordings" };
    out::note(&format!("deleted {} {recordings}, {} bytes", purged.recordings, purged.bytes));
    if purged.kept_live > 0 {
        out::note(&format!(
            "kept {} of live sessions; --live deletes all but their newest part",
            purged.kept_live
        ));
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn an_age_needs_a_unit() {
        assert_eq!([seconds("90s"), seconds("2m"), seconds("1d")], [Ok(90), Ok(120), Ok(86_400)]);
        for wrong in ["", "d", "7", "-1d", "1w", "7ü", "99999999999999999999d", "18446744073709551615d"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
