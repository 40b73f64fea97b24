//! Size limit for each event of a server-sent event stream. An event that is too large is dropped, and the stream
//! continues.

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use rmcp::model::RequestId;

use super::oversized_message::{self, OversizedMessage};

/// Returns the complete events of a byte stream. `request` is the request that the stream responds to, if known.
pub(super) fn limit_events<E>(
    bytes: impl Stream<Item = Result<Bytes, E>>,
    max_bytes: usize,
    request: Option<RequestId>,
) -> impl Stream<Item = Result<Bytes, E>> {
    let mut bound = EventLimiter { max_bytes, request, event: vec![], line: 0, dropped: None, after_cr: false };
    bytes.map(move |chunk| chunk.map(|chunk| Bytes::from(bound.take(&chunk))))
}

struct EventLimiter {
    max_bytes: usize,
    request: Option<RequestId>,
    /// The event that is being received.
    event: Vec<u8>,
    /// Index of the start of the event's last line. Not used while an event is being dropped.
    line: usize,
    dropped: Option<DroppedEvent>,
    after_cr: bool,
}

struct DroppedEvent {
    edges: OversizedMessage,
    line_is_empty: bool,
    /// True if the call of the event has already received an error.
    answered: bool,
}

impl EventLimiter {
    /// Returns the events that this chunk completes.
    fn take(&mut self, chunk: &[u8]) -> Vec<u8> {
        let mut whole = vec![];
        for &byte in chunk {
            let newline = matches!(byte, b'\r' | b'\n');
            if std::mem::replace(&mut self.after_cr, byte == b'\r') && byte == b'\n' {
                continue;
            }
            match &mut self.dropped {
                Some(dropped) if newline && dropped.line_is_empty => self.finish_drop(&mut whole),
                Some(dropped) => {
                    dropped.line_is_empty = newline;
                    dropped.edges.push(byte);
                }
                None if newline => self.end_line(&mut whole),
                None => {
                    self.event.push(byte);
                    if self.event.len() > self.max_bytes {
                        self.start_drop(&mut whole);
                    }
                }
            }
        }
        whole
    }

    fn end_line(&mut self, whole: &mut Vec<u8>) {
        let (empty, comment) = (self.event.len() == self.line, self.event.get(self.line) == Some(&b':'));
        if comment {
            self.event.truncate(self.line);
        } else {
            self.event.push(b'\n');
        }
        self.line = self.event.len();
        if empty {
            whole.append(&mut self.event);
            self.line = 0;
        }
    }

    fn start_drop(&mut self, whole: &mut Vec<u8>) {
        let edges = OversizedMessage::new(&self.event);
        self.event.clear();
        self.line = 0;
        // On the stream of a request, an event that the server did not initiate must be the response, so the request
        // gets its error before the event ends.
        let request = self.request.clone().filter(|_| !edges.is_server_initiated());
        let answered = request.map(|request| self.answer(request, whole)).is_some();
        self.dropped = Some(DroppedEvent { edges, line_is_empty: false, answered });
    }

    fn finish_drop(&mut self, whole: &mut Vec<u8>) {
        let request =
            self.dropped.take().filter(|dropped| !dropped.answered).and_then(|dropped| dropped.edges.answered());
        if let Some(request) = request {
            self.answer(request, whole);
        }
    }

    fn answer(&self, request: RequestId, whole: &mut Vec<u8>) {
        let error = oversized_message::too_large_response(request, self.max_bytes);
        let error = serde_json::to_string(&error).expect("a response serializes: its keys are strings");
        whole.extend_from_slice(format!("data: {error}\n\n").as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(request: Option<RequestId>, text: &str) -> String {
        let mut bound = EventLimiter { max_bytes: 64, request, event: vec![], line: 0, dropped: None, after_cr: false };
        // The result must not depend on how the bytes are split into chunks.
        let by_byte: Vec<u8> = text.bytes().flat_map(|byte| bound.take(&[byte])).collect();
        assert_eq!(bound.take(text.as_bytes()), by_byte, "chunks make no difference");
        String::from_utf8(by_byte).expect("valid UTF-8")
    }

    #[test]
    fn events_pass_whole_and_comments_do_not_count() {
        let ping = ":ping\n".repeat(100);
        assert_eq!(run(None, &format!("{ping}id: 1\r\ndata: a\r\n\r\ndata: b\r\r")), "id: 1\ndata: a\n\ndata: b\n\n");
        assert_eq!(run(None, "data: never ended"), "");
    }

    #[test]
    fn one_that_is_too_large_goes_alone_and_its_call_is_told() {
        let long = "x".repeat(100);
        let huge = format!("data: {{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{{\"a\":\"{long}\"}}}}\n\n");
        for request in [None, Some(RequestId::Number(3))] {
            let out = run(request, &format!("data: a\n\n{huge}data: b\n\n"));
            assert!(out.starts_with("data: a\n\n") && out.ends_with("\n\ndata: b\n\n"), "{out}");
            assert_eq!(out.matches("\"id\":3").count(), 1, "{out}");
            assert!(out.contains("-32091") && !out.contains("xxx"), "{out}");
        }
    }

    #[test]
    fn a_notification_that_is_too_large_is_no_answer() {
        let note = format!("data: {{\"method\":\"n\",\"params\":\"{}\"}}\n\n", "x".repeat(100));
        assert_eq!(run(Some(RequestId::Number(3)), &format!("{note}data: b\n\n")), "data: b\n\n");
    }
}
