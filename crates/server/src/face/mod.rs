//! The faces: each knows its protocol, translates it into operations, and nothing else.

pub(crate) mod http;
mod mcp;
mod metrics;
mod rest;
mod updates;
mod view;
mod web;
