//! The faces. Each translates one protocol into operations, and does nothing else.

pub(crate) mod call;
pub(crate) mod mcp;
pub(crate) mod metrics;
pub(crate) mod prove;
pub(crate) mod rest;
pub(crate) mod updates;
pub(crate) mod view;
pub(crate) mod web;
