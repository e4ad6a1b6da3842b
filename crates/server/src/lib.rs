//! The daemon: operations over the hub, and the faces that translate protocols into them.
//!
//! [`daemon::run`] is given everything from outside (directories, listeners, the keeper's socket). `ops/` holds one
//! file per operation and the table that lists them; `face/` one module per protocol. A face never holds a rule.

mod app;
mod auth;
pub mod config;
pub mod daemon;
pub mod describe;
mod face;
mod metrics;
mod near;
pub mod ops;
mod router;
mod tokens;
mod trust;
mod updates;

pub use daemon::DaemonOptions;
pub use face::mcp::check as check_tools;
pub use ops::formats;
