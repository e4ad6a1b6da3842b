//! Hand-off requests: what `request_user_input` does in every set.

use cotty_protocol::op::{ask, requests, withdraw};
use cotty_protocol::{ApiError, Code};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::face::mcp::contract::state::State;
use crate::face::mcp::contract::tool::Call;
use crate::ops;

/// Title and description of the tool, in every set.
pub(super) const TITLE: &str = "Ask a person to take over";
pub(super) const DESCRIPTION: &str = "Hand the terminal to a person: they see your message and the screen, take the keyboard, and give it back when done. Use it for passwords, decisions and anything you cannot do yourself. After at most 50 s the outcome is \"waiting\": call again with request_id. Cancelling the call withdraws the request.";

/// The request.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Asking {
    /// What the person should do, and how you see that it is done. Up to 2000 characters. Not needed with request_id.
    message: Option<String>,
    /// Give up after this many seconds. Default: 300.
    timeout_seconds: Option<f64>,
    /// After outcome "waiting": the id from that answer, to keep waiting.
    request_id: Option<String>,
    /// With request_id: withdraw that request; people are told.
    #[serde(default)]
    withdraw: bool,
}

/// The answer; a set names its session by id or by number.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Reply")]
pub(super) struct Reply<S> {
    pub(super) session_id: S,
    #[serde(flatten)]
    pub(super) asked: HandoffAnswer,
}

/// The outcome.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct HandoffAnswer {
    /// "waiting": call again with request_id.
    outcome: Outcome,
    request_id: String,
    screen: String,
    duration_seconds: f64,
    /// Who answered, or has the keyboard.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    /// That person's note to you.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// How many bytes people typed meanwhile, but not what.
    typed_bytes: u64,
    #[serde(flatten)]
    state: State,
    /// Output before this is older than the request.
    since: u64,
    next_since: u64,
}

#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    Completed,
    Declined,
    Timeout,
    Cancelled,
    Waiting,
}

impl Asking {
    /// Makes a request or continues one, for as long as a call may last. Also returns the session's id and number.
    pub(super) async fn ask(
        self,
        call: Call,
        session: String,
    ) -> Result<(String, u32, HandoffAnswer), ApiError> {
        let context = call.context.clone();
        let withdraw = |request_id: &str| withdraw::Params {
            session: session.clone(),
            request_id: request_id.to_owned(),
        };
        let mut wait_ms = call.left_ms();
        if self.withdraw {
            let Some(request_id) = &self.request_id else {
                let message = "withdraw needs a request_id";
                return Err(ApiError::invalid(message));
            };
            match ops::perform(context.clone(), withdraw(request_id)).await {
                // A request that has ended meanwhile is reported below.
                Err(error) if error.code() != Code::RequestEnded => return Err(error),
                _ => wait_ms = 0,
            }
        }
        // Set before the request is made: without a request_id, the retry id of this call names it.
        let cancelled = withdraw(self.request_id.as_ref().unwrap_or(&context.retry_id));
        let canceller = context.clone();
        call.on_cancel.set(async move {
            // A request that has ended or was never made need not be withdrawn.
            let _ = ops::perform(canceller, cancelled).await;
        });
        let timeout_ms = self.timeout_seconds.map(|seconds| (seconds * 1000.0).max(0.0) as u64);
        let Asking { message, request_id, .. } = self;
        let params = ask::Params { session, message, timeout_ms, request_id, wait_ms: Some(wait_ms) };
        let ask::Reply { request, screen, activity, keyboard, seq } = ops::perform(context, params).await?;
        let asked = HandoffAnswer {
            outcome: match request.state {
                requests::State::Waiting | requests::State::Taken => Outcome::Waiting,
                requests::State::Completed => Outcome::Completed,
                requests::State::Declined => Outcome::Declined,
                requests::State::Timeout => Outcome::Timeout,
                requests::State::Cancelled => Outcome::Cancelled,
            },
            request_id: request.request_id,
            screen,
            duration_seconds: request.open_ms as f64 / 1000.0,
            by: request.by,
            note: request.note,
            typed_bytes: request.typed_bytes,
            state: State::new(activity, Some(keyboard)),
            since: request.since,
            next_since: seq,
        };
        Ok((request.session_id, request.number, asked))
    }
}
