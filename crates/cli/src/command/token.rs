use std::process::ExitCode;

use cotty_protocol::op::{token_list, token_new, token_revoke};

use super::{block_on, client};
use crate::out;

/// Make, list and revoke tokens for the HTTP listener
///
/// A token gives access to the page, REST, MCP, the WebSockets and /metrics. It is shown once; cotty stores only a hash.
/// Only a person can make, list and revoke tokens, not a program inside a session.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty token new --name ci\n  TOKEN=$(cotty token new --name watch --read-only | tail -1)\n  cotty token revoke ci"
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
        #[arg(long)]
        name: String,
        /// The token may only read
        #[arg(long)]
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
    /// Revoke a token, at once
    Revoke {
        /// Its name
        name: String,
    },
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let client = client()?;
    match args.action {
        Action::New { name, read_only, json } => {
            let params = token_new::Params { name, read_only };
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
                out::note("no tokens; `cotty token new --name NAME` makes one");
            } else {
                let head = ["NAME", "KIND", "MADE", "LAST USED"].map(str::to_owned);
                let rows: Vec<[String; 4]> =
                    std::iter::once(head).chain(list.tokens.iter().map(row)).collect();
                out::table(&rows, |_, _| None);
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
