//! `cotty mcp`: MCP over stdio. When the daemon is replaced, the pipe repeats the handshake and the subscriptions, and sends every
//! open request again. The daemon recognizes requests by the pipe's instance and the request's id, so it acts once.

mod conversation;

use std::time::Duration;

use cotty_protocol::McpHello;
use tokio::io::{AsyncRead, AsyncWrite};

use self::conversation::McpConversation;
use crate::call::instance;
use crate::{Client, ClientError};

/// Which tools the client gets.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Names of tool sets; default: the standard set.
    pub tools: Vec<String>,
    /// Names of tools; default: all tools of the sets.
    pub only: Vec<String>,
    /// How long a call may last.
    pub max_call: Option<Duration>,
}

/// Passes MCP's lines until the client closes its end or `told_to_end` completes. Only whole lines are written.
pub async fn run(
    client: &Client,
    options: Options,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
    told_to_end: impl Future<Output = ()>,
) -> Result<(), ClientError> {
    let hello = McpHello {
        instance: instance()?,
        origin: client.origin().clone(),
        tools: options.tools,
        only: options.only,
        max_call_ms: options.max_call.and_then(|time| u64::try_from(time.as_millis()).ok()),
        open: Vec::new(),
    };
    super::run(client, McpConversation::new(hello), input, output, told_to_end).await
}
