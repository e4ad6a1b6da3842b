//! The one handler, for both eras of MCP and both ways to it.

use std::sync::OnceLock;

use axum::http::request::Parts;
use cotty_protocol::{ActorKind, Caller, Origin};
use cotty_session::Present;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, GetPromptRequestMethod, GetPromptRequestParams, GetPromptResponse,
    Implementation, JsonObject, ListPromptsRequestMethod, ListPromptsResult, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use sha2::{Digest, Sha256};
use tokio::sync::watch;

use super::sets::Offer;
use super::tool::{self, Call, LONGEST_CALL_MS};
use crate::face::http::{App, without_process};
use crate::ops;
use crate::standing::{Standing, at};

/// How a client comes.
pub(super) enum Way {
    /// By a pipe, which tells at its beginning who it is.
    Pipe {
        standing: Standing,
        /// With a request's id it makes an operation happen once.
        instance: String,
        origin: Origin,
        /// Ends when the pipe does.
        gone: watch::Receiver<()>,
    },
    /// By HTTP, where each request tells it.
    Http {
        /// Of whoever began: nobody else goes on with what it began.
        standing: Standing,
    },
}

/// What answers one client: for as long as its pipe or its session over HTTP lasts, or for one request where there are no
/// sessions. So nothing that is to last is kept here.
pub(super) struct Server {
    app: App,
    way: Way,
    offer: Offer,
    longest_ms: u64,
    /// Its owner has a client as long as this lives; who that is, is known with the first call.
    present: OnceLock<Present>,
}

impl Server {
    pub(super) fn new(app: App, way: Way, offer: Offer, longest_ms: Option<u64>) -> Server {
        let longest_ms = longest_ms.unwrap_or(LONGEST_CALL_MS);
        Server { app, way, offer, longest_ms, present: OnceLock::new() }
    }

    fn context(&self, context: &RequestContext<RoleServer>) -> Result<ops::Context, ErrorData> {
        let client = context.client_info().map_or_else(|| "mcp".to_owned(), |info| info.name);
        let caller = Caller { kind: ActorKind::Agent, client };
        let context = match &self.way {
            Way::Pipe { standing, instance, origin, .. } => {
                // The pipe sends a request again, with the same id, to the daemon that comes after a crash.
                let request = format!("mcp:{instance}:{}", identity(context));
                self.app.context(standing, caller, Some(origin.clone()), request)
            }
            Way::Http { standing: begun_by } => {
                let parts = context.extensions.get::<Parts>();
                let standing = parts.and_then(|parts| parts.extensions.get::<Standing>());
                let (Some(parts), Some(standing)) = (parts, standing.filter(|standing| *standing == begun_by)) else {
                    return Err(ErrorData::invalid_request("this session was begun by somebody else", None));
                };
                let at = at(&parts.headers);
                let origin = without_process(at.directory.clone());
                // Nobody sends it again.
                let request = format!("mcp:{}", ops::random_id());
                let mut made = self.app.context(standing, caller.clone(), Some(origin), request);
                if at.directory.is_none() {
                    made.actor = standing.actor(caller, at.owner.as_deref());
                }
                made
            }
        };
        self.present.get_or_init(|| self.app.hub.present(&context.actor.owner));
        Ok(context)
    }

    /// Returns when the client is gone, where that can be seen.
    async fn gone(&self) {
        match &self.way {
            Way::Pipe { gone, .. } => {
                let _ = gone.clone().changed().await;
            }
            // A request that was dropped is cancelled.
            Way::Http { .. } => std::future::pending().await,
        }
    }
}

/// The request's id as JSON, because `5` and `"5"` are two requests; its hash where it is long.
fn identity(context: &RequestContext<RoleServer>) -> String {
    const LONG: usize = 64;
    let id = serde_json::to_string(&context.id).unwrap_or_default();
    if id.len() <= LONG {
        return id;
    }
    Sha256::digest(id).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("cotty", env!("CARGO_PKG_VERSION")))
            .with_instructions(self.offer.instructions())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.offer.tools().cloned().collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.offer.find(name).map(|(_, tool)| tool.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some((entry, described)) = self.offer.find(&request.name) else {
            let names: Vec<&str> = self.offer.tools().map(|tool| tool.name.as_ref()).collect();
            let message = format!("there is no tool `{}`; there are: {}", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        let arguments: JsonObject = request.arguments.unwrap_or_default();
        if let Err(fault) = tool::check_names(&described.input_schema, &arguments, entry.name) {
            return Ok(tool::refusal(&fault).into());
        }
        let call = Call { context: self.context(&context)?, longest_ms: self.longest_ms };
        let calling = entry.call(call, arguments);
        // Cancelling a call ends its waiting, never the program.
        tokio::select! {
            result = calling => Ok(result.into()),
            () = self.gone() => Err(ErrorData::internal_error("the client is gone", None)),
            () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
        }
    }

    // There are none; an empty list would say that there could be.
    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn get_prompt(
        &self,
        _request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Err(ErrorData::method_not_found::<GetPromptRequestMethod>())
    }
}
