//! Messages of a server that are larger than `max_message_bytes`. Only the message is dropped, and the call that is
//! waiting for it gets an error.

use std::fmt;

use rmcp::model::{ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

/// JSON-RPC error code that replaces a dropped response, from the range reserved for implementations.
pub(super) const TOO_LARGE: ErrorCode = ErrorCode(-32_091);

/// Number of bytes that are kept from the beginning and from the end of a dropped message, to identify it.
const EDGE_BYTES: usize = 1024;

/// Beginning and end of a message that was dropped.
pub(super) struct OversizedMessage {
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl OversizedMessage {
    /// Creates the value from the part of the message that has been received so far.
    pub(super) fn new(so_far: &[u8]) -> Self {
        let (head, tail) = (so_far.len().min(EDGE_BYTES), so_far.len().saturating_sub(EDGE_BYTES));
        Self { head: so_far[..head].to_vec(), tail: so_far[tail..].to_vec() }
    }

    pub(super) fn push(&mut self, byte: u8) {
        if self.tail.len() >= 2 * EDGE_BYTES {
            self.tail.drain(..EDGE_BYTES);
        }
        self.tail.push(byte);
    }

    /// Returns the id of the request that the message responds to, if the edges contain the id, which comes before or
    /// after the result. Returns `None` for a request or notification from the server.
    pub(super) fn answered(&self) -> Option<RequestId> {
        let seen = self.members();
        if seen.method { None } else { seen.id.or_else(|| last_id(&self.tail)) }
    }

    /// Returns whether the message is a request or a notification from the server, for which no call waits.
    pub(super) fn is_server_initiated(&self) -> bool {
        self.members().method
    }

    fn members(&self) -> MessageMembers {
        let mut seen = MessageMembers::default();
        let start = self.head.iter().position(|byte| *byte == b'{').unwrap_or(self.head.len());
        // The head ends in the middle of the message, so this fails, but the members before that point are kept.
        let _ = serde_json::Deserializer::from_slice(&self.head[start..]).deserialize_map(&mut seen);
        seen
    }
}

/// Returns the error that a call gets instead of a response of more than `max_bytes`.
pub(super) fn too_large_response(request: RequestId, max_bytes: usize) -> ServerJsonRpcMessage {
    let error = ErrorData::new(TOO_LARGE, "the response is too large", Some(max_bytes.into()));
    JsonRpcMessage::error(error, Some(request))
}

/// Members of a JSON-RPC message that identify its kind.
#[derive(Default)]
struct MessageMembers {
    method: bool,
    id: Option<RequestId>,
}

impl<'de> Visitor<'de> for &mut MessageMembers {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON-RPC message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            match &*name {
                "method" => {
                    self.method = true;
                    map.next_value::<IgnoredAny>()?;
                }
                "id" => self.id = Some(map.next_value()?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// Returns the `id` that is the last member of the outermost object. In a string, its quotes would be escaped; in an
/// inner object, another brace would follow.
fn last_id(tail: &[u8]) -> Option<RequestId> {
    let text = String::from_utf8_lossy(tail);
    let members = text.trim_end().strip_suffix('}')?;
    let (_, value) = members.rsplit_once("\"id\"")?;
    serde_json::from_str(value.trim_start().strip_prefix(':')?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(message: &str) -> OversizedMessage {
        let (so_far, rest) = message.as_bytes().split_at(2 * EDGE_BYTES);
        let mut oversized = OversizedMessage::new(so_far);
        rest.iter().for_each(|byte| oversized.push(*byte));
        oversized
    }

    #[test]
    fn the_request_is_found_on_either_side_of_the_result() {
        let long = "x".repeat(10 * EDGE_BYTES);
        let first = of(&format!(r#"data: {{"jsonrpc":"2.0","id":7,"result":{{"text":"{long}"}}}}"#));
        assert_eq!(first.answered(), Some(RequestId::Number(7)));
        let last = of(&format!(r#"{{"result":{{"text":"{long}"}},"jsonrpc":"2.0","id":"a"}}{}"#, "\n\n"));
        assert_eq!(last.answered(), Some(RequestId::String("a".into())));
    }

    #[test]
    fn a_result_that_looks_like_an_id_is_none() {
        let long = "x".repeat(10 * EDGE_BYTES);
        for end in [r#""id":7}}"#, r#""t":"\"id\":7}"}}"#] {
            let nested = of(&format!(r#"{{"jsonrpc":"2.0","result":{{"text":"{long}",{end}"#));
            assert_eq!(nested.answered(), None, "{end}");
        }
    }

    #[test]
    fn an_oversized_message_without_a_pending_call_is_ignored() {
        let long = "x".repeat(10 * EDGE_BYTES);
        let note = of(&format!(r#"{{"method":"notifications/message","params":{{"data":"{long}"}},"jsonrpc":"2.0"}}"#));
        assert!(note.is_server_initiated() && note.answered().is_none());
    }
}
