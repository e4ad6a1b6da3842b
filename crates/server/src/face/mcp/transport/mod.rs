//! How clients come: by a pipe ([`pipe`]) or by HTTP ([`http`]); and large answers that nobody reads.

pub(crate) mod http;
pub(crate) mod http_sessions;
pub(crate) mod pipe;
mod posted;
pub(crate) mod unread_http;
mod unread_stdio;
