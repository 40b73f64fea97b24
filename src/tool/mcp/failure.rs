//! Why a call of a server brought nothing, in words for the agent.

use rmcp::ServiceError;
use rmcp::transport::{DynamicTransportError, streamable_http_client::StreamableHttpError};

use super::super::ToolError;
use super::words::at_most;

/// Bytes of a server's own words in an error.
pub(super) const WORDS: usize = 2048;

/// The server is not connected, so the call was not made.
pub(super) fn away(server: &str) -> ToolError {
    let message =
        format!("the MCP server {server} is away; it is connected to again by itself, try later or do without");
    ToolError::new("tool_unavailable", message)
}

/// The connection ended while the call was under way.
pub(super) fn lost(server: &str) -> ToolError {
    let message =
        format!("the MCP server {server} went away during the call; whether the call took effect is not known");
    ToolError::new("tool_unavailable", message)
}

/// What the server itself calls an error.
pub(super) fn failed(server: &str, words: &str) -> ToolError {
    let words = if words.trim().is_empty() { "an error without words" } else { words };
    ToolError::new("tool_failed", format!("the MCP server {server} answered: {}", at_most(words, WORDS)))
}

/// What the library reports. Its own words can hold addresses and headers, so they stay out but for the server's.
pub(super) fn of(server: &str, error: &ServiceError) -> ToolError {
    match error {
        ServiceError::McpError(error) => failed(server, &error.message),
        ServiceError::TransportSend(error) if never_arrived(error) => away(server),
        ServiceError::TransportSend(_) | ServiceError::TransportClosed => lost(server),
        ServiceError::UnexpectedResponse => failed(server, "something that is no result of a tool"),
        _ => failed(server, "nothing, and the call was ended; whether it took effect is not known"),
    }
}

/// Whether the server cannot have acted on a request: it did not know the session, or was not reached.
fn never_arrived(error: &DynamicTransportError) -> bool {
    match error.error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        Some(StreamableHttpError::SessionExpired) => true,
        Some(StreamableHttpError::Client(error)) => error.is_connect(),
        _ => false,
    }
}

/// Whether nothing more is to be expected of the connection.
pub(super) fn breaks(error: &ServiceError) -> bool {
    matches!(error, ServiceError::TransportSend(_) | ServiceError::TransportClosed)
}
