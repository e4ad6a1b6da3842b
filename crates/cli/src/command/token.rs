use std::process::ExitCode;

use cotty_protocol::op::{token_list, token_new, token_revoke, token_rotate};

use super::{block_on, client};
use crate::out;

/// Make, list and revoke tokens for HTTP; replace the credential of the page
///
/// A token gives access to REST, MCP, the WebSockets and /metrics. It is shown once; cotty stores only a hash.
/// Only a person can make, list and revoke tokens, not a program inside a session.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty token new claude --kind agent\n  TOKEN=$(cotty token new watch --kind read-only | tail -1)\n  cotty token revoke claude"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Make a token, and print it on the last line
    New {
        /// A name to revoke it by
        #[arg(required_unless_present = "named")]
        name: Option<String>,
        /// What it may do
        #[arg(long, value_enum, default_value_t = Kind::Full)]
        kind: Kind,
        #[arg(long = "name", value_name = "NAME", hide = true, conflicts_with = "name")]
        named: Option<String>,
        #[arg(long, hide = true, conflicts_with = "kind")]
        read_only: bool,
        /// Print the token and all details as JSON
        #[arg(long)]
        json: bool,
    },
    /// List the tokens: name, kind, and when they were made and last used
    #[command(alias = "ls")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Make a new link to the page: the old one and all open pages stop working
    Rotate,
    /// Revoke a token, at once
    Revoke {
        /// Its name
        name: String,
    },
}

/// What a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// Everything: whoever has it is you
    Full,
    /// What an agent may do: use the sessions that it made with this token
    Agent,
    /// Read all sessions, and nothing else
    ReadOnly,
}

impl From<Kind> for token_new::Kind {
    fn from(kind: Kind) -> token_new::Kind {
        match kind {
            Kind::Full => token_new::Kind::Full,
            Kind::Agent => token_new::Kind::Agent,
            Kind::ReadOnly => token_new::Kind::ReadOnly,
        }
    }
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let client = client()?;
    match args.action {
        Action::New { name, kind, named, read_only, json } => {
            let kind = if read_only { Kind::ReadOnly } else { kind };
            let name = name.or(named).unwrap_or_default();
            let params = token_new::Params { name, kind: Some(kind.into()), read_only: false };
            let made: token_new::Reply = block_on(async { Ok(client.call(&params).await?) })?;
            match json {
                true => out::json(&made)?,
                false => {
                    out::note("keep this token: it is not shown again");
                    out::line(&made.token);
                }
            }
        }
        Action::List { json } => {
            let list: token_list::Reply =
                block_on(async { Ok(client.call(&token_list::Params::default()).await?) })?;
            if json {
                out::json(&list)?;
            } else if list.tokens.is_empty() {
                out::note("no tokens; `cotty token new NAME` makes one");
            } else {
                let head = ["NAME", "KIND", "MADE", "LAST USED"].map(str::to_owned);
                let rows: Vec<[String; 4]> =
                    std::iter::once(head).chain(list.tokens.iter().map(row)).collect();
                out::table(&rows, |_, _| None);
            }
        }
        Action::Rotate => {
            let made: token_rotate::Reply =
                block_on(async { Ok(client.call(&token_rotate::Params::default()).await?) })?;
            out::note("the page has a new link; all open pages must be opened again with it");
            match rustix::termios::isatty(rustix::stdio::stdout()) {
                true => out::line(&made.link),
                false => out::note("`cotty status --link` prints it"),
            }
        }
        Action::Revoke { name } => {
            let params = token_revoke::Params { name };
            let _: token_revoke::Reply = block_on(async { Ok(client.call(&params).await?) })?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn row(token: &token_list::TokenInfo) -> [String; 4] {
    let used = token.last_used.clone().unwrap_or_else(|| "never".to_owned());
    [token.name.clone(), token.kind.as_str().to_owned(), token.made.clone(), used]
}
