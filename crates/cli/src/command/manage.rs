//! What decides over everybody's sessions: stopping, replacing the daemon, changing the configuration. The daemon must agree: it
//! refuses a process inside a session.

use std::time::Duration;

use cotty_client::{Client, ClientError, keeper_pid};
use cotty_protocol::op::{Operation, status};
use cotty_protocol::{ActorKind, ApiError, Code};
use cotty_pty::tree::Lineage;

use crate::advice::own_error;

/// How long the running daemon may take to answer: it might hang.
const LIMIT: Duration = Duration::from_secs(1);

/// Asks the daemon to do it. `None`: the daemon hangs, cannot start, or is of an earlier version that cannot, and this process may
/// signal the keeper instead.
pub(crate) async fn ask<O: Operation>(client: &Client, params: &O) -> anyhow::Result<Option<O::Reply>> {
    match tokio::time::timeout(LIMIT, client.call(params)).await {
        Ok(Ok(reply)) => return Ok(Some(reply)),
        // The keeper itself answers with an IO error if no daemon can start.
        Ok(Err(ClientError::Refused(error)))
            if !matches!(error.code, Code::UnknownOperation | Code::IoError) =>
        {
            return Err(ClientError::Refused(error).into());
        }
        Ok(Err(_)) | Err(_) => {}
    }
    refuse_inside(client)?;
    Ok(None)
}

/// Refuses a process inside a session.
pub(crate) async fn require_person(client: &Client) -> anyhow::Result<()> {
    match ask(client, &status::Params {}).await?.map(|status| status.you) {
        None | Some(ActorKind::Person) => Ok(()),
        Some(ActorKind::Agent) => Err(refused(ApiError::NotAPerson)),
        Some(ActorKind::Child) => Err(refused(ApiError::ChildNotAllowed)),
    }
}

/// The same without the daemon's help.
fn refuse_inside(client: &Client) -> anyhow::Result<()> {
    let keeper = keeper_pid(client.home());
    if keeper.is_some_and(|keeper| Lineage::of(std::process::id(), keeper).descends) {
        return Err(refused(ApiError::NotAPerson));
    }
    Ok(())
}

fn refused(error: ApiError) -> anyhow::Error {
    ClientError::Refused(own_error(error)).into()
}
