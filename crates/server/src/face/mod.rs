//! The faces: each knows its protocol, translates it into operations, and nothing else.

pub(crate) mod http;
pub(crate) mod mcp;
mod metrics;
mod rest;
mod updates;
mod view;
mod web;
