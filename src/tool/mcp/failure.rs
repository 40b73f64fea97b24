//! Why a call of a server brought nothing, in words for the agent.

use rmcp::ServiceError;
use rmcp::transport::{DynamicTransportError, streamable_http_client::StreamableHttpError};
use serde_json::Value;

use super::super::ToolError;
use super::oversized::TOO_LARGE;
use super::words::at_most;

/// Bytes of a server's own words in an error.
pub(super) const WORDS: usize = 2048;

/// Why a server is away that has to be authorized first, for the operator.
pub(super) const UNAUTHORIZED: &str = "it asks for authorization: run  roundtable mcp authorize  with its name, or give it a \
     token with token_env or headers_from";

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

/// The server refused the call; nothing was done.
pub(super) fn unauthorized(server: &str) -> ToolError {
    let message = format!(
        "the MCP server {server} is not authorized for this call; an administrator authorizes it with: \
         roundtable mcp authorize {server}"
    );
    ToolError::new("tool_unauthorized", message)
}

/// The result was dropped.
fn too_large(server: &str, max_bytes: Option<&Value>) -> ToolError {
    let limit = max_bytes.and_then(Value::as_u64).map(|bytes| format!("{bytes} bytes, ")).unwrap_or_default();
    let message = format!(
        "the result of the MCP server {server} is larger than {limit}its message_bytes, and was dropped; ask it for less"
    );
    ToolError::new("tool_result_too_large", message)
}

/// What the server itself calls an error.
pub(super) fn failed(server: &str, words: &str) -> ToolError {
    let words = if words.trim().is_empty() { "an error without words" } else { words };
    ToolError::new("tool_failed", format!("the MCP server {server} answered: {}", at_most(words, WORDS)))
}

/// What the library reports. Its own words can hold addresses and headers, so they stay out but for the server's.
pub(super) fn of(server: &str, error: &ServiceError) -> ToolError {
    match error {
        ServiceError::McpError(error) if error.code == TOO_LARGE => too_large(server, error.data.as_ref()),
        ServiceError::McpError(error) => failed(server, &error.message),
        ServiceError::TransportSend(error) if wants_authorization(error) => unauthorized(server),
        ServiceError::TransportSend(error) if never_arrived(error) => away(server),
        ServiceError::TransportSend(error) => match over_http(error) {
            Some(StreamableHttpError::HttpStatus(status)) => failed(server, &format!("HTTP {}", status.status)),
            Some(StreamableHttpError::UnexpectedServerResponse(words)) => failed(server, words),
            Some(StreamableHttpError::UnexpectedContentType(_)) => failed(server, "neither JSON nor events"),
            _ => lost(server),
        },
        ServiceError::TransportClosed => lost(server),
        ServiceError::UnexpectedResponse => failed(server, "something that is no result of a tool"),
        _ => failed(server, "nothing, and the call was ended; whether it took effect is not known"),
    }
}

/// Whether the server cannot have acted on a request: it did not know the session, or was not reached.
fn never_arrived(error: &DynamicTransportError) -> bool {
    match over_http(error) {
        Some(StreamableHttpError::SessionExpired) => true,
        Some(StreamableHttpError::Client(error)) => error.is_connect(),
        _ => false,
    }
}

/// Whether nothing more is to be expected of the connection. Over HTTP each request fails by itself: one that was answered with
/// nonsense must not end the calls of other sessions.
pub(super) fn breaks(error: &ServiceError, connection_is_closed: bool) -> bool {
    match error {
        ServiceError::TransportSend(error) => over_http(error).is_none() || never_arrived(error),
        ServiceError::TransportClosed => connection_is_closed,
        _ => false,
    }
}

/// Whether a person has to authorize the server, or to authorize it for more.
pub(super) fn wants_authorization(error: &DynamicTransportError) -> bool {
    use StreamableHttpError::{AuthRequired, InsufficientScope};
    matches!(over_http(error), Some(AuthRequired(_) | InsufficientScope(_)))
}

fn over_http(error: &DynamicTransportError) -> Option<&StreamableHttpError<reqwest::Error>> {
    error.error.downcast_ref()
}
