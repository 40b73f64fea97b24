//! Errors in calls to a server, with messages for the agent.

use std::error::Error;
use std::io;

use rmcp::ServiceError;
use rmcp::transport::{DynamicTransportError, streamable_http_client::StreamableHttpError};
use serde_json::Value;

use super::super::ToolError;
use super::oversized_message::TOO_LARGE;
use crate::kernel::first_bytes;

/// Maximum number of bytes of a server's own text in an error.
pub(super) const MAX_ERROR_TEXT_BYTES: usize = 2048;

/// Reason, for the operator, why a server that needs authorization is unavailable.
pub(super) const UNAUTHORIZED: &str = "it requires authorization; run `roundtable mcp authorize` with its name, or set \
     a token with token_env or headers_from";

/// Returns the error for a call that was not made because the server is not connected.
pub(super) fn not_connected(server: &str) -> ToolError {
    let message = format!(
        "the MCP server {server} is unavailable and is reconnected automatically; retry later or do without it"
    );
    ToolError::new("tool_unavailable", message)
}

/// Returns the error for a call that was in progress when the connection ended.
pub(super) fn connection_lost(server: &str) -> ToolError {
    let message =
        format!("the connection to the MCP server {server} ended; it is not known whether the call took effect");
    ToolError::new("tool_unavailable", message)
}

/// Returns the error for a call that the server rejected because authorization is missing. The call had no effect.
pub(super) fn unauthorized(server: &str) -> ToolError {
    let message = format!(
        "the MCP server {server} is not authorized for this call; an administrator must run: \
         roundtable mcp authorize {server}"
    );
    ToolError::new("tool_unauthorized", message)
}

/// Returns the error for a result that was dropped because of its size.
fn too_large(server: &str, max_bytes: Option<&Value>) -> ToolError {
    let limit = max_bytes.and_then(Value::as_u64).map(|bytes| format!("{bytes} bytes, ")).unwrap_or_default();
    let message = format!(
        "the result of the MCP server {server} is larger than {limit}its max_message_bytes, and was dropped; request less"
    );
    ToolError::new("tool_result_too_large", message)
}

/// Returns the error for a call that the server itself reports as failed.
pub(super) fn server_error(server: &str, message: &str) -> ToolError {
    let message = if message.trim().is_empty() { "an error without a message" } else { message };
    ToolError::new(
        "tool_failed",
        format!("the MCP server {server} failed: {}", first_bytes(message, MAX_ERROR_TEXT_BYTES)),
    )
}

/// Returns the tool error for an error from the library, with its cause.
pub(super) fn from_service_error(server: &str, error: ServiceError) -> ToolError {
    let seen = visible_error(server, &error);
    match cause_of(error) {
        Some(cause) => seen.caused_by(cause),
        None => seen,
    }
}

/// Returns the cause of an error from the library, for the operator. It contains no text from the server.
fn cause_of(error: ServiceError) -> Option<Box<dyn Error + Send + Sync>> {
    let transport = match error {
        ServiceError::McpError(error) => return Some(format!("JSON-RPC error {}", error.code.0).into()),
        ServiceError::TransportSend(error) => error.error,
        ServiceError::TransportClosed => return Some("the transport is closed".into()),
        _ => return None,
    };
    match transport.downcast::<StreamableHttpError<reqwest::Error>>() {
        Ok(error) => match *error {
            StreamableHttpError::Client(error) => Some(error.without_url().into()),
            StreamableHttpError::Io(error) => Some(error.into()),
            StreamableHttpError::HttpStatus(error) => Some(format!("HTTP status {}", error.status).into()),
            StreamableHttpError::UnexpectedServerResponse(text) => {
                let status = text.strip_prefix("HTTP ")?.get(..3)?.parse::<u16>().ok()?;
                Some(format!("HTTP status {status}").into())
            }
            StreamableHttpError::SessionExpired => Some("the server does not know the MCP session".into()),
            StreamableHttpError::UnexpectedEndOfStream => Some("unexpected end of stream".into()),
            // Other errors can quote headers or the response.
            _ => None,
        },
        Err(other) => other.downcast::<io::Error>().ok().map(Into::into),
    }
}

/// Returns the error that the agent and people see. The library's own messages can contain URLs and headers, so only
/// the server's messages are included.
fn visible_error(server: &str, error: &ServiceError) -> ToolError {
    match error {
        ServiceError::McpError(error) if error.code == TOO_LARGE => too_large(server, error.data.as_ref()),
        ServiceError::McpError(error) => server_error(server, &error.message),
        ServiceError::TransportSend(error) if wants_authorization(error) => unauthorized(server),
        ServiceError::TransportSend(error) if was_not_delivered(error) => not_connected(server),
        ServiceError::TransportSend(error) => match http_error(error) {
            Some(StreamableHttpError::HttpStatus(status)) => server_error(server, &format!("HTTP {}", status.status)),
            Some(StreamableHttpError::UnexpectedServerResponse(text)) => server_error(server, text),
            Some(StreamableHttpError::UnexpectedContentType(_)) => {
                server_error(server, "the response is neither JSON nor events")
            }
            _ => connection_lost(server),
        },
        ServiceError::TransportClosed => connection_lost(server),
        ServiceError::UnexpectedResponse => server_error(server, "the response is not a tool result"),
        _ => server_error(server, "no response; it is not known whether the call took effect"),
    }
}

/// Returns whether the server cannot have acted on a request, because it did not know the session or was not reached.
fn was_not_delivered(error: &DynamicTransportError) -> bool {
    match http_error(error) {
        Some(StreamableHttpError::SessionExpired) => true,
        Some(StreamableHttpError::Client(error)) => error.is_connect(),
        _ => false,
    }
}

/// Returns whether the connection is unusable. Over HTTP, each request fails separately, because an invalid response to
/// one of them must not end the calls of other sessions.
pub(super) fn ends_connection(error: &ServiceError, connection_is_closed: bool) -> bool {
    match error {
        ServiceError::TransportSend(error) => http_error(error).is_none() || was_not_delivered(error),
        ServiceError::TransportClosed => connection_is_closed,
        _ => false,
    }
}

/// Returns whether a person must authorize the server, for the first time or for more scopes.
pub(super) fn wants_authorization(error: &DynamicTransportError) -> bool {
    use StreamableHttpError::{AuthRequired, InsufficientScope};
    matches!(http_error(error), Some(AuthRequired(_) | InsufficientScope(_)))
}

fn http_error(error: &DynamicTransportError) -> Option<&StreamableHttpError<reqwest::Error>> {
    error.error.downcast_ref()
}
