//! The steps of one `terminal__send`: each types once, however often the call is retried.

use cotty_protocol::op::{self, Met, keyboard, send, wait};
use cotty_protocol::{ApiError, ErrorBody};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::read::undescribed;
use super::send::Mouse;
use crate::face::mcp::contract::tool::{Call, brief};
use crate::ops::{Access, Context, perform};

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Step {
    text: Option<String>,
    key: Option<String>,
    ctrl: bool,
    alt: bool,
    shift: bool,
    mouse: Option<Mouse>,
    #[schemars(schema_with = "bare_wait")]
    wait: Option<op::Wait>,
}

/// The schema of a wait without descriptions: `terminal__wait` has them.
fn bare_wait(generator: &mut SchemaGenerator) -> Schema {
    undescribed::<op::Wait>(generator)
}

/// What a step did.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct Did {
    #[serde(skip_serializing_if = "Option::is_none")]
    consumed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reacted: Option<bool>,
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pasted: bool,
    /// Which condition of a wait held.
    #[serde(skip_serializing_if = "Option::is_none")]
    met: Option<Met>,
    #[serde(skip_serializing_if = "Option::is_none")]
    elapsed_ms: Option<u64>,
    /// Why a wait timed out.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<StepError>")]
    error: Option<ErrorBody>,
    /// The same error, for a call that fails with it.
    #[serde(skip)]
    pub(super) failed: Option<ApiError>,
}

/// The schema of a step's error. An answer to a model has no `cause`, whose schema has 60 kB.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it only describes")]
struct StepError {
    code: String,
    message: String,
    hint: Option<String>,
}

impl Did {
    /// Whether the remaining steps must not be done.
    pub(super) fn stopped(&self) -> bool {
        self.error.is_some() || matches!(self.met, Some(Met::Timeout | Met::Stop))
    }
}

/// The progress of the steps.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// The seq of the first input, and of the last.
    pub(super) first: Option<u64>,
    last: Option<u64>,
    pub(super) returned: Option<keyboard::Returned>,
    /// The steps before this one were done by an earlier daemon.
    done_before: usize,
}

/// The retry id of a step, the same on every retry.
fn retry_id_of(call: &Call, at: usize) -> String {
    format!("{}#{at}", call.context.retry_id)
}

impl Progress {
    /// Where a call begins: a retried call does not repeat waits that have already ended.
    pub(super) async fn of(call: &Call, session: &str, count: usize) -> Result<Progress, ApiError> {
        if call.spent.is_zero() {
            return Ok(Progress::default());
        }
        let retry_ids = (0..count).map(|at| retry_id_of(call, at)).collect();
        let session = call.context.session(session, Access::Write).await?;
        let typed = session.last_typed(retry_ids).await;
        let done_before = typed?.unwrap_or(0);
        Ok(Progress { done_before, ..Progress::default() })
    }

    /// Runs a step.
    pub(super) async fn take(&mut self, call: &Call, session: &str, step: Step, at: usize) -> Did {
        if at < self.done_before
            && let Some(wait) = &step.wait
        {
            return Did { met: wait.first(), ..Did::default() };
        }
        let context = Context { retry_id: retry_id_of(call, at), ..call.context.clone() };
        let done = self.try_take(call, context, session, step).await;
        done.unwrap_or_else(|error| {
            let error = ApiError::Step { step: at + 1, error: Box::new(error) };
            let body = brief(call.advisor.error(error.clone()));
            Did { error: Some(body), failed: Some(error), ..Did::default() }
        })
    }

    async fn try_take(
        &mut self,
        call: &Call,
        context: Context,
        session: &str,
        step: Step,
    ) -> Result<Did, ApiError> {
        let session = session.to_owned();
        let types = step.text.is_some() || step.key.is_some() || step.mouse.is_some();
        let Some(wait) = step.wait else {
            let send = send::Params {
                session,
                text: step.text,
                key: step.key,
                ctrl: step.ctrl,
                alt: step.alt,
                shift: step.shift,
                mouse: step.mouse.map(Into::into),
                ..send::Params::default()
            };
            let sent = perform(context, send).await?;
            self.first = self.first.or(Some(sent.seq));
            self.last = Some(sent.seq);
            self.returned = self.returned.take().or(sent.returned);
            let send::Reply { consumed, reacted, pasted, .. } = sent;
            return Ok(Did { consumed, reacted, pasted, ..Did::default() });
        };
        if types {
            let message = "a step is one of text, key, mouse and wait";
            return Err(ApiError::invalid_instead(message, "split it into two steps"));
        }
        let timeout_ms = match wait.has_condition() {
            true => call.waiting(wait.timeout_ms),
            false => call.within(wait.timeout_ms),
        };
        let wait = op::Wait { since: wait.since.or(self.last), timeout_ms, ..wait };
        let waited = perform(context, wait::Params { session, wait }).await?;
        Ok(Did {
            met: Some(waited.met),
            elapsed_ms: Some(waited.elapsed_ms),
            why: waited.why,
            ..Did::default()
        })
    }
}
