//! Asking the person behind an agent, through the agent's own client: [`Call::ask`].
//!
//! Up to 2025-11-25 the client is sent a request and the call waits for its answer. Since 2026-07-28 a server asks
//! nothing: the call itself is answered with the question, and comes again with the answer. So a tool asks before it does
//! anything. What was answered before travels with the client, sealed and bound to who called which tool with what.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use cotty_protocol::ApiError;
use rmcp::model::{
    CallToolRequestParams, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, InputRequest, InputRequiredResult, RequestStateCodec, SealOptions,
};
use rmcp::service::{RequestContext, ServiceError};
use rmcp::{ErrorData, RoleServer};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::sync::mpsc;

use super::server::modern;
use crate::face::mcp::contract::tool::Call;
use crate::ops;

/// How long a person may take to answer where the client comes again with it.
const STANDS: Duration = Duration::from_secs(30 * 60);

/// What a person said.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer<T> {
    /// Yes, and this.
    Given(T),
    /// No.
    Declined,
    /// Neither: it was closed, or nobody answered in time. No is meant.
    Dismissed,
    /// The client cannot ask anybody.
    Nobody,
}

/// The client that called, and whoever sits before it.
#[derive(Debug, Clone)]
pub(super) struct Client {
    context: RequestContext<RoleServer>,
    /// What is asked for instead of an answer, where calls come again.
    questions: mpsc::UnboundedSender<InputRequiredResult>,
    /// Where calls come again.
    said: Option<Arc<Said>>,
}

/// What came with a call that comes again.
#[derive(Debug)]
struct Said {
    codec: RequestStateCodec,
    /// Who calls what with what.
    bound_to: Vec<u8>,
    answers: BTreeMap<String, ElicitResult>,
}

/// What travels with the client.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Travelling {
    asked: String,
    answers: BTreeMap<String, ElicitResult>,
}

impl Client {
    /// The client behind a call, and the question that the call may have to be answered with.
    pub(super) fn new(
        context: &RequestContext<RoleServer>,
        calling: &ops::Context,
        request: &mut CallToolRequestParams,
    ) -> Result<(Client, mpsc::UnboundedReceiver<InputRequiredResult>), ErrorData> {
        let (questions, asked) = mpsc::unbounded_channel();
        let mut client = Client { context: context.clone(), questions, said: None };
        // Most calls ask nothing and pay nothing.
        if modern(context) && (client.can_ask() || request.request_state.is_some()) {
            client.said = Some(Arc::new(Said::new(calling, request)?));
        }
        Ok((client, asked))
    }

    fn can_ask(&self) -> bool {
        let can = self.context.client_capabilities().and_then(|can| can.elicitation);
        // Saying nothing of how means: by a form.
        can.is_some_and(|can| can.form.is_some() || can.url.is_none())
    }

    async fn ask(
        &self,
        question: &str,
        form: ElicitRequestParams,
        longest: Duration,
    ) -> Result<ElicitResult, ApiError> {
        let Some(said) = &self.said else {
            let asked = self.context.peer.create_elicitation_with_timeout(form, Some(longest)).await;
            return match asked {
                Ok(answer) => Ok(answer),
                Err(ServiceError::Timeout { .. }) => Ok(ElicitResult::new(ElicitationAction::Cancel)),
                Err(error) => Err(ApiError::Broken { error: format!("the client did not ask: {error}") }),
            };
        };
        if let Some(answer) = said.answers.get(question) {
            return Ok(answer.clone());
        }
        let travelling = Travelling { asked: question.to_owned(), answers: said.answers.clone() };
        let options = SealOptions::new().ttl(STANDS).associated_data(&said.bound_to);
        let sealed = said.codec.seal_json_with(&travelling, &options);
        let sealed = sealed.map_err(|error| ApiError::Broken { error: error.to_string() })?;
        let request = InputRequest::Elicitation(ElicitRequest::new(form));
        let requests = BTreeMap::from([(question.to_owned(), request)]);
        let _ = self.questions.send(InputRequiredResult::new(Some(requests), Some(sealed)));
        // The call is answered with the question, and this ends here.
        std::future::pending().await
    }
}

impl Said {
    fn new(calling: &ops::Context, request: &mut CallToolRequestParams) -> Result<Said, ErrorData> {
        let codec = RequestStateCodec::try_new(key(calling.daemon.token.as_str()));
        let codec = codec.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let bound_to = bound_to(&calling.actor.owner, request);
        let Some(sealed) = request.request_state.take() else {
            return Ok(Said { codec, bound_to, answers: BTreeMap::new() });
        };
        let Travelling { asked, mut answers } = codec.open_json_with(&sealed, &bound_to).map_err(|_| {
            ErrorData::invalid_params("requestState is not ours, not for this call, or too old", None)
        })?;
        let answer = request.input_responses.take().and_then(|mut responses| responses.remove(&asked));
        if let Some(answer) = answer {
            let answer = serde_json::from_value(answer).map_err(|error| {
                ErrorData::invalid_params(format!("inputResponses.{asked}: {error}"), None)
            })?;
            answers.insert(asked, answer);
        }
        Ok(Said { codec, bound_to, answers })
    }
}

/// The same for every daemon of a home, so that an answer finds the daemon that comes after a crash, too.
fn key(token: &str) -> Vec<u8> {
    Sha256::new().chain_update("cotty: what is asked through MCP\0").chain_update(token).finalize().to_vec()
}

fn bound_to(owner: &str, request: &CallToolRequestParams) -> Vec<u8> {
    let arguments = serde_json::to_string(&request.arguments).unwrap_or_default();
    let parts = [owner, &request.name, &arguments];
    let hash = parts
        .iter()
        .fold(Sha256::new(), |hash, part| hash.chain_update(part.len().to_be_bytes()).chain_update(part));
    hash.finalize().to_vec()
}

impl Call {
    /// Asks the person behind the agent, who fills in a form: the fields of `T`, each a text, a number, a yes or no, or a
    /// choice. `question` names the question within the tool. Ask before anything is done: the call may end here and
    /// begin anew with the answer.
    pub(super) async fn ask<T>(&self, question: &str, message: &str) -> Result<Answer<T>, ApiError>
    where
        T: JsonSchema + DeserializeOwned,
    {
        let form = ElicitationSchema::from_type::<T>();
        let form = form.map_err(|error| ApiError::Broken { error: error.to_string() })?;
        Ok(match self.ask_form(question, message, form).await? {
            Answer::Given(given) => Answer::Given(serde_json::from_value(given).map_err(|error| {
                ApiError::invalid(format!("what was answered does not fit the form: {error}"))
            })?),
            Answer::Declined => Answer::Declined,
            Answer::Dismissed => Answer::Dismissed,
            Answer::Nobody => Answer::Nobody,
        })
    }

    /// The same with a form that no type describes.
    pub(super) async fn ask_form(
        &self,
        question: &str,
        message: &str,
        form: ElicitationSchema,
    ) -> Result<Answer<Value>, ApiError> {
        if !self.client.can_ask() {
            return Ok(Answer::Nobody);
        }
        let form = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: message.to_owned(),
            requested_schema: form,
        };
        let answer = self.client.ask(question, form, Duration::from_millis(self.left_ms())).await?;
        Ok(match answer.action {
            ElicitationAction::Accept => Answer::Given(answer.content.unwrap_or_default()),
            ElicitationAction::Decline => Answer::Declined,
            _ => Answer::Dismissed,
        })
    }
}
