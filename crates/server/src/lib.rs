//! The daemon: operations on the hub, and faces that translate protocols into operations.
//!
//! [`daemon::run`] gets everything from outside (directories, configuration, the keeper's socket). `ops/` has one
//! file per operation and the table that lists them; `face/` has one module per protocol. A face contains no rules.

mod app;
mod auth;
pub mod config;
mod connections;
pub mod daemon;
pub mod describe;
mod face;
mod metrics;
mod near;
pub mod ops;
mod page;
mod pipe;
mod proof;
mod restore;
mod retries;
mod router;
mod tokens;
mod trust;
mod updates;

pub use daemon::DaemonOptions;
pub use face::mcp::check as check_tools;
pub use ops::formats;
