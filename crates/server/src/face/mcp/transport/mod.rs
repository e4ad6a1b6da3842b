//! How clients connect: by a pipe ([`pipe`]) or by HTTP ([`http`]); and limits for unread large answers.

pub(crate) mod http;
pub(crate) mod http_sessions;
mod large;
pub(crate) mod pipe;
mod posted;
pub(crate) mod unread_http;
mod unread_stdio;
