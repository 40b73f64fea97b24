//! Tools of other programs, over the Model Context Protocol: each server of the configuration is connected to, watched
//! and connected to again; what it lists stands among the tools as `mcp_<server>_<tool>`.
//!
//! A server is not trusted: what it says is bounded, what it hints at counts only where the operator says so, and whatever
//! goes wrong with it is a coded error of the call concerned.

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

/// Directive for the log's filter: the library writes what servers send and people answer.
pub const LOG_DIRECTIVE: &str = "rmcp=off";
