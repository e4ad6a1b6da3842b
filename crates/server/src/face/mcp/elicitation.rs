//! Asks the person behind an agent, through the agent's own client: [`Call::ask`].
//!
//! Up to 2025-11-25 the server sends the client a request, and the call waits for its answer. Since 2026-07-28 a
//! server sends no requests: it answers the call with the question, and the client repeats the call with the answer.
//! So a tool must ask before it does anything. The client carries earlier answers, sealed and bound to the caller,
//! the tool and its arguments.

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

/// How long a person may take to answer if the client repeats the call.
const ANSWER_TTL: Duration = Duration::from_secs(30 * 60);

/// A person's answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer<T> {
    /// Accepted, with this content.
    Given(T),
    /// Declined.
    Declined,
    /// Closed, or not answered in time. Counts as declined.
    Dismissed,
    /// The client cannot ask a person.
    Nobody,
}

/// The client that called.
#[derive(Debug, Clone)]
pub(super) struct Client {
    context: RequestContext<RoleServer>,
    /// Questions that are sent instead of an answer, if the client repeats calls.
    questions: mpsc::UnboundedSender<InputRequiredResult>,
    /// Set if the client repeats calls.
    repeated: Option<Arc<Repeated>>,
}

/// What came with a repeated call.
#[derive(Debug)]
struct Repeated {
    codec: RequestStateCodec,
    /// Hash of the caller, the tool and its arguments.
    bound_to: Vec<u8>,
    answers: BTreeMap<String, ElicitResult>,
}

/// State that the client carries.
#[derive(Debug, Default, Serialize, Deserialize)]
struct CarriedState {
    asked: String,
    answers: BTreeMap<String, ElicitResult>,
}

impl Client {
    /// The client of a call, and the question that the call may be answered with.
    pub(super) fn new(
        context: &RequestContext<RoleServer>,
        calling: &ops::Context,
        request: &mut CallToolRequestParams,
    ) -> Result<(Client, mpsc::UnboundedReceiver<InputRequiredResult>), ErrorData> {
        let (questions, asked) = mpsc::unbounded_channel();
        let mut client = Client { context: context.clone(), questions, repeated: None };
        // Most calls ask nothing, and skip this.
        if modern(context) && (client.can_ask() || request.request_state.is_some()) {
            client.repeated = Some(Arc::new(Repeated::new(calling, request)?));
        }
        Ok((client, asked))
    }

    fn can_ask(&self) -> bool {
        let can = self.context.client_capabilities().and_then(|can| can.elicitation);
        // A client that names no mode supports forms.
        can.is_some_and(|can| can.form.is_some() || can.url.is_none())
    }

    async fn ask(
        &self,
        question: &str,
        form: ElicitRequestParams,
        longest: Duration,
    ) -> Result<ElicitResult, ApiError> {
        let Some(repeated) = &self.repeated else {
            let asked = self.context.peer.create_elicitation_with_timeout(form, Some(longest)).await;
            return match asked {
                Ok(answer) => Ok(answer),
                Err(ServiceError::Timeout { .. }) => Ok(ElicitResult::new(ElicitationAction::Cancel)),
                Err(error) => Err(ApiError::Broken { error: format!("the client could not ask: {error}") }),
            };
        };
        if let Some(answer) = repeated.answers.get(question) {
            return Ok(answer.clone());
        }
        let carried = CarriedState { asked: question.to_owned(), answers: repeated.answers.clone() };
        let options = SealOptions::new().ttl(ANSWER_TTL).associated_data(&repeated.bound_to);
        let sealed = repeated.codec.seal_json_with(&carried, &options);
        let sealed = sealed.map_err(|error| ApiError::Broken { error: error.to_string() })?;
        let request = InputRequest::Elicitation(ElicitRequest::new(form));
        let requests = BTreeMap::from([(question.to_owned(), request)]);
        let _ = self.questions.send(InputRequiredResult::new(Some(requests), Some(sealed)));
        // The call is answered with the question, and this future is dropped.
        std::future::pending().await
    }
}

impl Repeated {
    fn new(calling: &ops::Context, request: &mut CallToolRequestParams) -> Result<Repeated, ErrorData> {
        let codec = RequestStateCodec::try_new(key(&calling.daemon.page.key()));
        let codec = codec.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let bound_to = bound_to(&calling.actor.owner, request);
        let Some(sealed) = request.request_state.take() else {
            return Ok(Repeated { codec, bound_to, answers: BTreeMap::new() });
        };
        let CarriedState { asked, mut answers } = codec.open_json_with(&sealed, &bound_to).map_err(|_| {
            ErrorData::invalid_params("requestState is invalid, expired or of another call", None)
        })?;
        let answer = request.input_responses.take().and_then(|mut responses| responses.remove(&asked));
        if let Some(answer) = answer {
            let answer = serde_json::from_value(answer).map_err(|error| {
                ErrorData::invalid_params(format!("inputResponses.{asked}: {error}"), None)
            })?;
            answers.insert(asked, answer);
        }
        Ok(Repeated { codec, bound_to, answers })
    }
}

/// The key is the same for every daemon of a keeper, so that an answer is valid after a crash, too.
fn key(page: &str) -> Vec<u8> {
    Sha256::new().chain_update("cotty: what is asked through MCP\0").chain_update(page).finalize().to_vec()
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
    /// Asks the person behind the agent, who fills in a form: the fields of `T`, each a text, a number, a yes or no,
    /// or a choice. `question` names the question within the tool. Ask before doing anything: the call may end here
    /// and be repeated with the answer.
    pub(super) async fn ask<T>(&self, question: &str, message: &str) -> Result<Answer<T>, ApiError>
    where
        T: JsonSchema + DeserializeOwned,
    {
        let form = ElicitationSchema::from_type::<T>();
        let form = form.map_err(|error| ApiError::Broken { error: error.to_string() })?;
        Ok(match self.ask_form(question, message, form).await? {
            Answer::Given(given) => {
                Answer::Given(serde_json::from_value(given).map_err(|error| {
                    ApiError::invalid(format!("the answer does not fit the form: {error}"))
                })?)
            }
            Answer::Declined => Answer::Declined,
            Answer::Dismissed => Answer::Dismissed,
            Answer::Nobody => Answer::Nobody,
        })
    }

    /// Like [`Call::ask`], with a form that no type describes.
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
