//! A reader of server-sent events.

use reqwest::Response;
use serde_json::Value;

use crate::server::with_timeout;

/// One event: its id, if it has one, and its data.
#[derive(Debug, Clone, PartialEq)]
pub struct SseEvent {
    /// The `id:` field.
    pub id: Option<String>,
    /// The `data:` field as JSON.
    pub data: Value,
    /// The data, as sent.
    pub text: String,
}

/// An open stream.
pub struct SseReader {
    answer: Response,
    buffer: String,
    bytes: Vec<u8>,
}

impl SseReader {
    /// Returns a reader of this response.
    pub fn of(answer: Response) -> Self {
        let kind = answer.headers().get("content-type").and_then(|kind| kind.to_str().ok());
        assert_eq!(kind, Some("text/event-stream"), "status {}", answer.status());
        Self { answer, buffer: String::new(), bytes: vec![] }
    }

    /// Returns the next event, or `None` at the end of the stream.
    pub async fn next(&mut self) -> Option<SseEvent> {
        loop {
            if let Some((block, rest)) = self.buffer.split_once("\n\n") {
                let sent = event(block);
                self.buffer = rest.to_owned();
                match sent {
                    Some(sent) => return Some(sent),
                    None => continue,
                }
            }
            self.bytes.extend(with_timeout(self.answer.chunk()).await.expect("goes on")?);
            // A chunk can end in the middle of a character.
            let whole = match std::str::from_utf8(&self.bytes) {
                Ok(text) => text.len(),
                Err(error) => error.valid_up_to(),
            };
            let text: Vec<u8> = self.bytes.drain(..whole).collect();
            self.buffer.push_str(&String::from_utf8(text).expect("UTF-8"));
        }
    }

    /// Returns all events until the end of the stream.
    pub async fn rest(mut self) -> Vec<SseEvent> {
        let mut all = vec![];
        while let Some(sent) = self.next().await {
            all.push(sent);
        }
        all
    }
}

/// Parses the fields of an event. Returns `None` for a comment.
fn event(block: &str) -> Option<SseEvent> {
    let field = |name: &str| {
        let lines: Vec<_> = block.lines().filter_map(|line| line.strip_prefix(name)).map(str::trim_start).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    };
    let text = field("data:")?;
    Some(SseEvent { id: field("id:"), data: serde_json::from_str(&text).expect("JSON"), text })
}
