//! Tools of other programs, over the Model Context Protocol (MCP). Roundtable connects to each server of the
//! configuration, checks it and reconnects. Its tools are named `mcp_<server>_<tool>`.
//!
//! Servers are not trusted. Their messages are limited in size, their hints count only if the operator allows it, and
//! every failure is an error with a code for the call concerned.

mod asker;
mod contact;
mod ear;
mod endpoint;
mod event_bound;
mod failure;
mod greeting;
mod http_client;
mod line_bound;
mod link;
mod listing;
mod mcp_tool;
mod name;
mod oauth;
mod opening;
mod oversized;
mod program;
mod secret_field;
mod secrets;
mod server;
mod servers;
mod settings;
mod stderr;
mod supervision;
mod under_way;
mod words;

pub use oauth::{Authorization, OAuthGrant, OAuthSettings};
pub use server::{Condition, Status};
pub use servers::Servers;
pub use settings::McpServer;

/// Log directive that silences the library, which would log messages of servers and answers of people.
pub const LOG_DIRECTIVE: &str = "rmcp=off";
