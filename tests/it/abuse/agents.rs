//! Members whose agents call tools in an endless loop.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::{AbuseCounter, http, run_concurrently};
use crate::process::server::ServerProcess;
use crate::sse::SseReader;

/// Number of the abuser's sessions.
const SESSIONS: usize = 4;

/// Tool calls per turn.
const CALLS: usize = 16;

/// Settings with which the demo model writes its calls fast (240 tokens per second) and its text at normal length. No
/// call starts before the model has written all of them.
pub const SETTINGS: [(&str, &str); 2] =
    [("ROUNDTABLE_DEMO__RESPONSE_TOKENS", "0"), ("ROUNDTABLE_DEMO__TOKENS_PER_SECOND", "240")];

/// A flood of calls by the agents of several sessions: sixteen calls per run, in one run after another.
pub struct AgentCallFlood {
    url: String,
    tokens: Vec<String>,
    text: String,
}

impl AgentCallFlood {
    /// Returns a flood of this call, such as `code_list {}`, on this server.
    pub async fn of(server: &ServerProcess, call: &str) -> Self {
        let mut tokens = vec![];
        for number in 0..SESSIONS {
            tokens.push(super::token(server, &format!("abuser {number}"), "member").await);
        }
        let url = format!("{}/api/v1/sessions", server.url);
        Self { url, tokens, text: vec![format!("/tool {call}"); CALLS].join("\n") }
    }

    /// Makes the calls in an endless loop. Once the calls of a run have ended, the run is cancelled to make room for
    /// the next one. Each end of a call for which `counts` returns true is an act.
    pub async fn run_forever(self, counts: fn(&Value) -> bool, counter: AbuseCounter) -> Infallible {
        let calls = Arc::new(self);
        run_concurrently((0..SESSIONS).map(move |number| calls.clone().session(number, counts, counter.clone()))).await
    }

    async fn session(self: Arc<Self>, number: usize, counts: fn(&Value) -> bool, counter: AbuseCounter) -> Infallible {
        let (http, url, token, text) = (http(), &self.url, &self.tokens[number], &self.text);
        let body = json!({ "team": "assistant-en", "message": text });
        let answer = http.post(url).bearer_auth(token).json(&body).send().await.expect("answers");
        let created: Value = answer.error_for_status().expect("is begun").json().await.expect("JSON");
        let path = format!("{url}/{}", created["session"].as_str().expect("an id"));
        let events = http.get(format!("{path}/events")).bearer_auth(token).send().await.expect("answers");
        let mut events = SseReader::of(events);
        let send = async |event: Value, name: &'static str, data: Value| {
            let command = json!({ "id": format!("c_{}", event["seq"]), "do": name, "data": data });
            let answer = http.post(format!("{path}/commands")).bearer_auth(token).json(&command).send().await;
            answer.expect("answers").error_for_status().expect("is taken");
        };
        let (mut over, mut moments) = (0, tokio::time::interval(Duration::from_millis(250)));
        loop {
            let event = events.next().await.expect("goes on").data;
            match event["event"].as_str() {
                Some("tool.completed" | "tool.failed") => {
                    counter.count_accepted(u64::from(counts(&event)));
                    over += 1;
                    if over % CALLS == 0 {
                        let run = json!({ "run": event["run"] });
                        send(event, "cancel", run).await;
                    }
                }
                Some("run.finished" | "run.cancelled") => {
                    // Do not exceed the rate limit for messages.
                    moments.tick().await;
                    send(event, "say", json!({ "text": text })).await;
                }
                _ => {}
            }
        }
    }
}
