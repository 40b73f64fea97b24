//! Tools of other programs, over the Model Context Protocol (MCP). Roundtable connects to each server of the
//! configuration, checks it and reconnects if the connection ends. The server's tools are named `mcp_<server>_<tool>`.
//!
//! Servers are not trusted. Their messages are limited in size, their hints count only if the operator trusts them, and
//! every failure becomes an error with a code for the call concerned.

mod client;
mod client_handler;
mod connect;
mod connection;
mod elicitation;
mod endpoint;
mod environment;
mod error;
mod event_limiter;
mod handshake;
mod http_client;
mod in_flight;
mod line_limiter;
mod mcp_tool;
mod oauth;
mod oversized_message;
mod program;
mod result_text;
mod secret_field;
mod server;
mod server_registry;
mod settings;
mod stderr;
mod supervise;
mod tool_list;
mod tool_name;

pub use oauth::{McpAuthorization, OAuthGrant, OAuthSettings};
pub use server::{McpServerState, McpServerStatus};
pub use server_registry::McpServerRegistry;
pub use settings::McpServerSettings;

/// Log target of the library, which must be silent, because it would log messages of servers and answers of people.
pub const LOG_TARGET: &str = "rmcp";
