//! The faces: each knows its protocol, translates it into operations, and nothing else.

pub(crate) mod http;
mod mcp;
mod updates;
mod view;
mod web;
