use cotty_protocol::ApiError;
use cotty_protocol::op::read::{self, Format, View};
use cotty_protocol::op::{self, Dimensions, Images, LeftOut, Met, Place};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::face::mcp::contract::state::State;
use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

/// Default limit of a text in bytes: of a longer one an agent gets head and tail.
pub(super) const MAX_BYTES: usize = 16 << 10;

pub(super) struct Read;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// The session.
    session_id: String,
    #[serde(flatten)]
    how: How,
}

/// How to read; `send` takes the same as `read`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct How {
    /// "screen": what a person sees (default). "new": output since your last read or run. "scrollback": lines that left the screen. "changes": rows that changed. "whole": all lines, unwrapped.
    #[schemars(schema_with = "views")]
    view: View,
    /// "plain" (default) or "raw" with colours as escape sequences.
    #[schemars(schema_with = "formats")]
    format: Format,
    /// Longest wait in ms; 0 answers at once. Default: 30000 if a condition is given.
    timeout_ms: Option<u64>,
    /// Wait until no output came for this many ms.
    wait_idle_ms: u64,
    /// Wait for the shell's prompt.
    wait_for_prompt: bool,
    /// Wait for this text.
    wait_for_text: Option<String>,
    /// For new: read from here (`since` or `next_since` of another answer); your position stays.
    since: Option<u64>,
    /// For scrollback: lines to skip, from the newest. For new: bytes to skip, to page through what was left out.
    offset: usize,
    /// Most bytes; longer content is cut to head and tail, and left_out says how to read the rest. Default: 16384. 0: all.
    max_bytes: Option<usize>,
    /// Name of another reader of yours, with its own position.
    reader: Option<String>,
    /// For scrollback: most lines. Default: 1000.
    limit: Option<usize>,
}

fn views(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "enum": ["screen", "new", "changes", "scrollback", "whole"] })
}

fn formats(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "enum": ["plain", "raw"] })
}

/// The schema of [`How`] without descriptions: `terminal__read` has them.
pub(super) fn bare(generator: &mut SchemaGenerator) -> Schema {
    undescribed::<How>(generator)
}

/// A schema without descriptions and defaults.
pub(super) fn undescribed<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = T::json_schema(generator).to_value();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        for property in properties.values_mut().filter_map(Value::as_object_mut) {
            property.retain(|key, _| !matches!(key.as_str(), "description" | "default"));
        }
    }
    schema.as_object_mut().map(|schema| schema.remove("description"));
    Schema::try_from(schema).unwrap_or_default()
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    content: String,
    lines: usize,
    /// What is missing between head and tail of content; offset and since only for view "new".
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut>,
    /// Which condition held, or "timeout".
    #[serde(skip_serializing_if = "Option::is_none")]
    met: Option<Met>,
    /// Why the wait timed out.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    /// 1-based; for the screen view.
    cursor: Option<Place>,
    dimensions: Dimensions,
    has_new_content: bool,
    prompt_detected: bool,
    idle: bool,
    exited: bool,
    exit_code: Option<i32>,
    #[serde(flatten)]
    state: State,
    /// Images in the output, which have no text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    images: Vec<Images>,
    #[serde(skip_serializing_if = "is_zero")]
    dropped_lines: u64,
    /// What to do if nothing is new or content was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    pub(super) next_since: u64,
}

pub(super) fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl How {
    /// Waits if asked to, then reads a session. `since` is the seq of the input of the same call.
    pub(super) async fn read(
        self,
        call: Call,
        session: String,
        since: Option<u64>,
    ) -> Result<Reply, ApiError> {
        let conditions = self.wait_idle_ms > 0 || self.wait_for_prompt || self.wait_for_text.is_some();
        // A timeout alone waits for the exit, at most that long.
        let waits = self.timeout_ms != Some(0) && (conditions || self.timeout_ms.is_some());
        let wait = waits.then(|| op::Wait {
            idle_ms: Some(self.wait_idle_ms).filter(|&ms| ms > 0),
            prompt: self.wait_for_prompt,
            text: self.wait_for_text,
            since,
            timeout_ms: call.waiting(self.timeout_ms),
            ..op::Wait::default()
        });
        let params = read::Params {
            session,
            view: self.view,
            format: self.format,
            since: self.since,
            offset: self.offset,
            limit: self.limit,
            max_bytes: Some(self.max_bytes.unwrap_or(MAX_BYTES)),
            wait,
            reader: self.reader,
            ..read::Params::default()
        };
        // These read older output on purpose.
        let pages = self.since.is_some() || matches!(self.view, View::Scrollback | View::Whole);
        let read = perform(call.context.clone(), params).await?;
        let state = State::new(read.activity, read.keyboard);
        let repeats = !read.has_new_content && !pages;
        let next = || call.advisor.in_words(&state.advice()).unwrap_or_default();
        let again = repeats.then(|| format!("nothing new since your last read or run; {}", next()));
        let unpaged = read.left_out.is_some_and(|out| out.offset.is_none());
        let more = unpaged.then(|| "not all is shown: raise max_bytes or lower limit".to_owned());
        let lost = read.history_lost.map(|lost| lost.to_string());
        let notes: Vec<String> = lost.into_iter().chain(again).chain(more).collect();
        Ok(Reply {
            content: read.content,
            lines: read.lines,
            left_out: read.left_out,
            met: read.met.filter(|_| conditions),
            why: read.why.filter(|_| conditions),
            cursor: read.cursor,
            dimensions: read.dimensions,
            has_new_content: read.has_new_content,
            prompt_detected: read.prompt_detected,
            idle: read.idle,
            exited: read.exited,
            exit_code: read.exit_code,
            state,
            images: read.images,
            dropped_lines: read.dropped_lines,
            note: (!notes.is_empty()).then(|| notes.join("; ")),
            next_since: read.seq,
        })
    }
}

impl McpTool for Read {
    const NAME: &'static str = "terminal__read";
    const TITLE: &'static str = "Read a terminal";
    const DESCRIPTION: &'static str = "Read a session, optionally after waiting for a pause, the prompt or text. A timeout is not an error.";
    const ACCESS: Access = Access::Read;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, ApiError> {
        params.how.read(call, params.session_id, None).await
    }
}
