//! Streams a response as server-sent events at the configured number of tokens per second.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, stream};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};

use super::reply::DemoReply;
use super::state::{DemoState, OpenStream};
use super::{DemoSettings, Fault};

/// Tokens that are due within this time are sent together, because a timer per token would cost more than writing the
/// token.
const TICK: Duration = Duration::from_millis(10);

/// Maximum number of events in one chunk of the body. If tokens per second are not limited, this maximum keeps one
/// stream from starving others.
const MAX_BATCH_EVENTS: usize = 64;

/// Content of one event.
enum ReplyToken {
    /// Fragment of the text.
    Text(String),
    /// Start of a tool call: index of the call and name of the tool.
    Call(usize, String),
    /// Fragment of a call's arguments, after the index of the call.
    Arguments(usize, String),
}

/// A response that is being streamed.
pub(super) struct ReplyStream {
    state: Arc<DemoState>,
    open: OpenStream,
    settings: DemoSettings,
    fault: Option<Fault>,
    model: String,
    /// Tokens that have not been written yet.
    tokens: VecDeque<ReplyToken>,
    written: u32,
    due: Instant,
    ending: Vec<Value>,
    has_started: bool,
    over: bool,
}

impl ReplyStream {
    pub(super) fn new(
        state: Arc<DemoState>,
        settings: DemoSettings,
        fault: Option<Fault>,
        model: &str,
        reply: DemoReply,
        with_usage: bool,
    ) -> Self {
        let finish = json!([{ "index": 0, "delta": {}, "finish_reason": reply.finish_reason() }]);
        let mut ending = vec![chunk(model, finish, Value::Null)];
        if with_usage {
            ending.push(chunk(model, json!([]), reply.usage()));
        }
        Self {
            open: OpenStream::new(state.clone()),
            due: Instant::now() + Duration::from_millis(settings.delay_ms),
            state,
            settings,
            fault,
            model: model.to_owned(),
            tokens: tokens(reply),
            written: 0,
            ending,
            has_started: false,
            over: false,
        }
    }

    pub(super) fn into_stream(self) -> impl Stream<Item = io::Result<Bytes>> + Send {
        stream::unfold(self, |mut writing| async move {
            let piece = writing.next().await?;
            Some((piece, writing))
        })
    }

    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        if self.over {
            return None;
        }
        if !self.has_started {
            self.has_started = true;
            return Some(Ok(self.opening()));
        }
        if self.settings.hold_after_tokens == Some(self.written) {
            self.settings.hold_after_tokens = None;
            self.state.clone().hold().await;
            self.due = Instant::now();
        }
        let is_fault_due = self.written >= self.settings.fault_after_tokens || self.tokens.is_empty();
        if let Some(fault) = self.fault.filter(|_| is_fault_due) {
            self.over = true;
            return self.go_wrong(fault).await;
        }
        if self.tokens.is_empty() {
            self.over = true;
            self.open.complete();
            return Some(Ok(self.ending()));
        }
        sleep_until(self.due).await;
        let now = Instant::now();
        let mut out = Vec::with_capacity(256);
        for _ in 0..MAX_BATCH_EVENTS {
            // A batch must not skip the token at which the stream is held or fails.
            let stop = self.settings.hold_after_tokens == Some(self.written)
                || (self.fault.is_some() && self.written >= self.settings.fault_after_tokens);
            if (stop || self.due > now + TICK / 2) && !out.is_empty() {
                break;
            }
            let Some(token) = self.tokens.pop_front() else { break };
            self.event(&mut out, token);
            self.written += 1;
            if self.settings.tokens_per_second > 0.0 {
                self.due += Duration::from_secs_f64((1.0 / self.settings.tokens_per_second).min(3_600.0));
            }
        }
        Some(Ok(out.into()))
    }

    /// Returns the first event, with the role.
    fn opening(&self) -> Bytes {
        let delta = json!({ "role": "assistant", "content": "" });
        event(&chunk(&self.model, json!([{ "index": 0, "delta": delta, "finish_reason": null }]), Value::Null))
    }

    /// Writes the event for a token. The JSON is formatted by hand, because load tests spend most of their time here.
    fn event(&self, out: &mut Vec<u8>, token: ReplyToken) {
        let model = Value::from(self.model.as_str());
        let delta = match token {
            ReplyToken::Text(text) => format!(r#"{{"content":{}}}"#, Value::from(text)),
            ReplyToken::Call(index, name) => {
                let function = json!({ "name": name, "arguments": "" });
                let id = format!("call_demo_{index}");
                json!({ "tool_calls": [{ "index": index, "id": id, "type": "function", "function": function }] })
                    .to_string()
            }
            ReplyToken::Arguments(index, text) => {
                let text = Value::from(text);
                format!(r#"{{"tool_calls":[{{"index":{index},"function":{{"arguments":{text}}}}}]}}"#)
            }
        };
        let _ = io::Write::write_fmt(
            out,
            format_args!(
                "data: {{\"id\":\"chatcmpl-demo\",\"object\":\"chat.completion.chunk\",\"created\":0,\"model\":{model},\
                 \"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":null}}]}}\n\n"
            ),
        );
    }

    fn ending(&self) -> Bytes {
        let mut out: Vec<u8> = self.ending.iter().flat_map(|chunk| event(chunk).to_vec()).collect();
        out.extend_from_slice(b"data: [DONE]\n\n");
        out.into()
    }

    async fn go_wrong(&mut self, fault: Fault) -> Option<io::Result<Bytes>> {
        if fault == Fault::Stall {
            // Only the client ends a stalled stream.
            std::future::pending::<()>().await;
        }
        self.open.complete();
        match fault {
            Fault::Garbage => Some(Ok(Bytes::from_static(b"data: <html>scripted garbage</html>\n\n"))),
            Fault::Error => {
                let error = json!({ "message": "scripted: model error", "type": "server_error", "code": 503 });
                Some(Ok(event(&json!({ "error": error }))))
            }
            Fault::End => None,
            _ => Some(Err(io::Error::other("scripted: connection reset"))),
        }
    }
}

/// Returns the tokens of the text, followed by those of each call.
fn tokens(reply: DemoReply) -> VecDeque<ReplyToken> {
    let calls = reply.calls.into_iter().enumerate().flat_map(|(place, call)| {
        let arguments = call.arguments.into_iter().map(move |text| ReplyToken::Arguments(place, text));
        std::iter::once(ReplyToken::Call(place, call.name)).chain(arguments)
    });
    reply.text.into_iter().map(ReplyToken::Text).chain(calls).collect()
}

fn chunk(model: &str, choices: Value, usage: Value) -> Value {
    json!({
        "id": "chatcmpl-demo", "object": "chat.completion.chunk", "created": 0, "model": model,
        "choices": choices, "usage": usage,
    })
}

fn event(chunk: &Value) -> Bytes {
    format!("data: {chunk}\n\n").into()
}
