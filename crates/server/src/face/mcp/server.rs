//! The MCP handler, for both eras and both transports.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use axum::http::request::Parts;
use cotty_protocol::text::hex;
use cotty_protocol::{ActorKind, Caller, McpOpen, Origin};
use cotty_session::Present;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, GetPromptRequestMethod, GetPromptRequestParams,
    GetPromptResponse, Implementation, JsonObject, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, RequestId, ServerCapabilities,
    ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use sha2::{Digest, Sha256};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::advice::Advisor;
use super::elicitation::Client;
use super::resources;
use super::subscriptions::{self, Arrived, Listener, Subscriptions};
use crate::app::{App, without_process};
use crate::face::mcp::contract::progress;
use crate::face::mcp::contract::tool::{self, Call, OnCancel, longest};
use crate::face::mcp::contract::validate;
use crate::face::mcp::sets::{Offer, Offered};
use crate::ops;
use crate::trust::{Trust, at};

/// How a client is connected.
pub(super) enum Transport {
    /// By a pipe, which names its client when it connects.
    Pipe {
        trust: Trust,
        /// The pipe's id. With the id of a request it makes the retry id.
        instance: String,
        origin: Origin,
        open: Open,
        /// Closed when the pipe ends.
        gone: watch::Receiver<()>,
    },
    /// By HTTP, where each request names its client.
    Http {
        /// The trust of the caller that began the MCP session. Only the same caller may continue it.
        trust: Trust,
    },
}

/// The calls that a pipe repeats to this daemon, with their ages when the pipe connected.
#[derive(Debug)]
pub(super) struct Open {
    ages: Mutex<HashMap<RequestId, Duration>>,
    began: Instant,
}

impl Open {
    pub(super) fn new(open: Vec<McpOpen>) -> Open {
        let age = |McpOpen { id, ms }| Some((serde_json::from_value(id).ok()?, Duration::from_millis(ms)));
        Open { ages: Mutex::new(open.into_iter().filter_map(age).collect()), began: Instant::now() }
    }

    /// How old a call is. Returns it once: the next call with that id is a new one.
    fn take(&self, id: &RequestId) -> Option<Duration> {
        let age = self.ages.lock().unwrap_or_else(PoisonError::into_inner).remove(id)?;
        Some(age.saturating_add(self.began.elapsed()))
    }
}

/// Serves one client for as long as its pipe or its MCP session lasts, or for one request if it has no session. So it
/// keeps no lasting state.
pub(super) struct Server {
    app: App,
    transport: Transport,
    offer: Offer,
    longest: Duration,
    /// Marks the owner as having a client. Set by the first call, which names the owner.
    present: OnceLock<Present>,
    subscriptions: Subscriptions,
}

impl Server {
    pub(super) fn new(app: App, transport: Transport, offer: Offer, longest_ms: Option<u64>) -> Server {
        Server {
            app,
            transport,
            offer,
            longest: longest(longest_ms),
            present: OnceLock::new(),
            subscriptions: Subscriptions::default(),
        }
    }

    fn context(&self, context: &RequestContext<RoleServer>) -> Result<ops::Context, ErrorData> {
        self.context_of(context, None)
    }

    fn context_of(
        &self,
        context: &RequestContext<RoleServer>,
        called: Option<&CallToolRequestParams>,
    ) -> Result<ops::Context, ErrorData> {
        let client = context.client_info().map_or_else(|| "mcp".to_owned(), |info| info.name);
        let caller = Caller { kind: ActorKind::Agent, client };
        let context = match &self.transport {
            Transport::Pipe { trust, instance, origin, .. } => {
                // After a crash the pipe repeats the request, with the same id, to the next daemon.
                let retry_id = format!("mcp:{instance}:{}", identity(context, called));
                self.app.context(trust, caller, Some(origin.clone()), retry_id)
            }
            Transport::Http { trust: begun_by } => {
                let parts = context.extensions.get::<Parts>();
                let trust = parts.and_then(|parts| parts.extensions.get::<Trust>());
                let (Some(parts), Some(trust)) = (parts, trust.filter(|trust| *trust == begun_by)) else {
                    return Err(ErrorData::invalid_request(
                        "this MCP session belongs to another caller",
                        None,
                    ));
                };
                let at = at(&parts.headers);
                let origin = without_process(at.directory.clone());
                // Requests over HTTP are not repeated.
                let retry_id = format!("mcp:{}", ops::random_id());
                let mut made = self.app.context(trust, caller.clone(), Some(origin), retry_id);
                if at.directory.is_none() {
                    made.actor = trust.actor(caller, at.owner.as_deref());
                }
                made
            }
        };
        self.present.get_or_init(|| self.app.hub.present(&context.actor.owner));
        Ok(context)
    }

    /// How long a call was open with earlier daemons.
    fn spent(&self, id: &RequestId) -> Duration {
        match &self.transport {
            Transport::Pipe { open, .. } => open.take(id).unwrap_or_default(),
            // Requests over HTTP are not repeated.
            Transport::Http { .. } => Duration::ZERO,
        }
    }

    /// Runs a tool within its time limit. It can report progress, ask the client questions, and be cancelled.
    pub(super) async fn run_tool(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
        schema: Option<&JsonObject>,
        advisor: Advisor,
        tool: impl AsyncFnOnce(Call, JsonObject) -> Result<CallToolResponse, ErrorData>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (spent, heard) = (self.spent(&context.id), Instant::now());
        let calling = self.context_of(&context, Some(&request))?;
        let (client, mut questions) = Client::new(&context, &calling, &mut request)?;
        let mut arguments = request.arguments.unwrap_or_default();
        if let Some(schema) = schema {
            validate::name_by_number(schema, &mut arguments);
        }
        // Progress notifications report what this session does.
        let named = ["session_id", "session"].iter().find_map(|name| arguments.get(*name)?.as_str());
        let wanted = context.meta.get_progress_token().and(named);
        let session = wanted.and_then(|session| calling.hub.show_to(session, &calling.actor).ok());
        let (on_cancel, until) = (OnCancel::default(), heard + self.longest.saturating_sub(spent));
        let call =
            Call { context: calling, spent, heard, until, client, on_cancel: on_cancel.clone(), advisor };
        // Cancelling ends the call, never the program in the session.
        tokio::select! {
            biased;
            answer = progress::reported(&context, session, spent, tool(call, arguments)) => answer,
            Some(question) = questions.recv() => Ok(question.into()),
            () = self.gone() => Err(ErrorData::internal_error("the client is gone", None)),
            () = context.ct.cancelled() => {
                on_cancel.done().await;
                Err(ErrorData::internal_error("cancelled", None))
            }
        }
    }

    /// Returns when the client is gone, if the transport can detect that.
    async fn gone(&self) {
        match &self.transport {
            Transport::Pipe { gone, .. } => {
                let _ = gone.clone().changed().await;
            }
            // A dropped request is cancelled.
            Transport::Http { .. } => std::future::pending().await,
        }
    }
}

/// Whether the client's protocol needs no handshake and answers questions by repeating the call.
pub(super) fn modern(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// When a request arrived: a pipe notes that in the request, HTTP in the request's parts.
fn arrived(context: &RequestContext<RoleServer>) -> Instant {
    let parts = || context.extensions.get::<Parts>()?.extensions.get::<Arrived>();
    let arrived = context.extensions.get::<Arrived>().or_else(parts);
    arrived.map_or_else(Instant::now, |Arrived(at)| *at)
}

fn too_many() -> ErrorData {
    ErrorData::invalid_request("too many subscriptions", None)
}

/// Identifies a repeated request: by its id as JSON, because `5` and `"5"` are two requests, and by the tool and its
/// arguments, because some clients restart their ids.
fn identity(context: &RequestContext<RoleServer>, called: Option<&CallToolRequestParams>) -> String {
    let called = called.map(|called| (&called.name, &called.arguments));
    let known_by = serde_json::to_vec(&(&context.id, called)).unwrap_or_default();
    hex(&Sha256::digest(known_by))
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("cotty", env!("CARGO_PKG_VERSION")))
            .with_instructions(self.offer.instructions.clone())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.offer.tools().cloned().collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.offer.find(name).map(|offered| offered.described.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(Offered { entry, described, advisor }) = self.offer.find(&request.name) else {
            let names: Vec<&str> = self.offer.tools().map(|tool| tool.name.as_ref()).collect();
            let message = format!(
                "there is no tool `{}`; the tools are: {}",
                tool::short(request.name.into_owned()),
                names.join(", ")
            );
            return Err(ErrorData::invalid_params(message, None));
        };
        let tool = async |call: Call, arguments: JsonObject| {
            Ok(match validate::arguments(&described.input_schema, &arguments, entry.name) {
                Ok(()) => entry.call(call, arguments).await.into(),
                Err(error) => tool::refusal(advisor.error(error)).into(),
            })
        };
        self.run_tool(request, context, Some(&described.input_schema), advisor.clone(), tool).await
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let asking = self.context(&context)?;
        if !modern(&context) {
            let since = arrived(&context);
            let listener = Listener::Connected(context.peer);
            self.subscriptions.list(asking.hub.clone(), asking.actor.clone(), since, listener);
        }
        let listed = resources::listed(asking).await.map_err(resources::refused)?;
        Ok(ListResourcesResult::with_all_items(listed))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let asking = self.context(&context)?;
        tokio::select! {
            read = resources::read(asking, &request.uri) => Ok(read?.into()),
            // A resource may be large: stop reading if the client cancelled.
            () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
        }
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let asking = self.context(&context)?;
        let (session, part) = resources::find(&asking, &request.uri)?;
        let since = arrived(&context);
        let listener = Listener::Connected(context.peer);
        match self.subscriptions.subscribe(session, part, request.uri, since, listener) {
            true => Ok(()),
            false => Err(too_many()),
        }
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.unsubscribe(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::new();
        accepted.resources_list_changed = requested.resources_list_changed;
        accepted.resource_subscriptions = requested.resource_subscriptions.as_ref().map(|uris| {
            let mut ours: Vec<String> = Vec::new();
            for uri in uris.iter().filter(|uri| resources::parse(uri).is_some()) {
                if ours.len() < subscriptions::MOST && !ours.contains(uri) {
                    ours.push(uri.clone());
                }
            }
            ours
        });
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let asking = self.context(context.request_context())?;
        let since = arrived(context.request_context());
        // A URI that is named twice is notified once.
        let wanted: BTreeSet<&String> = context.accepted().resource_subscriptions.iter().flatten().collect();
        let Some(_place) = self.subscriptions.place_for(wanted.len()) else { return Err(too_many()) };
        let listener = || Listener::Listening(context.sink().clone());
        let mut notifiers = JoinSet::new();
        for uri in wanted {
            // A session that does not exist or belongs to another owner is never notified.
            if let Ok((session, part)) = resources::find(&asking, uri) {
                notifiers.spawn(subscriptions::notify_updates(session, part, uri.clone(), since, listener()));
            }
        }
        if context.accepted().resources_list_changed == Some(true) {
            let (hub, actor) = (asking.hub.clone(), asking.actor.clone());
            notifiers.spawn(subscriptions::notify_list(hub, actor, since, listener()));
        }
        tokio::select! {
            () = context.cancelled() => {}
            () = self.gone() => {}
        }
        Ok(())
    }

    // cotty has no prompts. An empty list would mean that there could be some.
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
