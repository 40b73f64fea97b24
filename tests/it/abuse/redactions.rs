//! Owners who redact one message after another, and an owner who redacts a large session, while others append to
//! theirs.

use std::convert::Infallible;

use reqwest::Client;
use serde_json::{Value, json};

use super::{AbuseCounter, LatencyProbe, http, run_concurrently};
use crate::process::server::ServerProcess;

/// Number of owners who redact message by message.
const OWNERS: usize = 3;
/// Number of messages in each of their sessions.
const MESSAGES: usize = 300;
/// Number of messages in the session that is redacted as a whole.
const MANY_MESSAGES: usize = 1500;
/// Number of concurrent redactions per owner.
const AT_ONCE: usize = 16;
/// Size of each message, in bytes.
const MESSAGE_BYTES: usize = 4 << 10;
/// Rate limits that allow sessions of this size to be prepared; the limits on redactions stay at their defaults.
const SETTINGS: [(&str, &str); 6] = [
    ("ROUNDTABLE_RATE_LIMITS__CHAT__BURST", "10000"),
    ("ROUNDTABLE_RATE_LIMITS__CHAT__PER_SECOND", "10000"),
    ("ROUNDTABLE_RATE_LIMITS__REQUEST__BURST", "10000"),
    ("ROUNDTABLE_RATE_LIMITS__REQUEST__PER_SECOND", "10000"),
    ("ROUNDTABLE_RATE_LIMITS__ADDRESS__BURST", "10000"),
    ("ROUNDTABLE_RATE_LIMITS__ADDRESS__PER_SECOND", "10000"),
];

/// A session with many long messages.
struct LargeSession {
    commands: String,
    token: String,
    messages: Vec<Value>,
}

impl LargeSession {
    async fn create(server: &ServerProcess, name: &str, messages: usize) -> Self {
        let token = super::token(server, name, "member").await;
        let session = server.create_as(&token).await;
        let commands = format!("{}/api/v1/sessions/{session}/commands", server.url);
        let mut large_session = Self { commands, token, messages: vec![] };
        let http = http();
        let text = format!("@people {}", "word ".repeat(MESSAGE_BYTES / 5));
        let one = async |first: usize| {
            for number in (first..messages).step_by(8) {
                let answer = large_session.send(&http, &format!("c{number}"), "say", json!({ "text": text })).await;
                answer.error_for_status().expect("is said");
            }
        };
        futures_util::future::join_all((0..8).map(one)).await;
        let log = server.log(&session).await;
        let posted = log.into_iter().filter(|event| event["event"] == "message.posted");
        large_session.messages = posted.map(|event| event["data"]["message"].clone()).collect();
        assert_eq!(large_session.messages.len(), messages);
        large_session
    }

    async fn send(&self, http: &Client, id: &str, name: &str, data: Value) -> reqwest::Response {
        let body = json!({ "id": id, "do": name, "data": data });
        http.post(&self.commands).bearer_auth(&self.token).json(&body).send().await.expect("answers")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redactions_do_not_delay_appends_of_others() {
    let server = super::server(&SETTINGS).await;
    let large = LargeSession::create(&server, "owner", MANY_MESSAGES).await;
    let mut hoards = vec![];
    for number in 0..OWNERS {
        hoards.push(LargeSession::create(&server, &format!("owner {number}"), MESSAGES).await);
    }
    let whole = AbuseCounter::default();
    let redact = |counter: AbuseCounter| {
        let whole = whole.clone();
        let at_once = async move {
            let path = large.commands.replace("/commands", "/redact");
            let redacted = http().post(path).bearer_auth(&large.token).json(&json!({})).send().await.expect("answers");
            whole.count_response(redacted.error_for_status().expect("is redacted").status());
            std::future::pending::<Infallible>().await
        };
        let one_by_one =
            run_concurrently(hoards.into_iter().map(move |large_session| redact(large_session, counter.clone())));
        async move {
            tokio::select! {
                never = at_once => never,
                never = one_by_one => never,
            }
        }
    };
    let measurement = LatencyProbe::on(server).await.measure_during(redact).await;
    measurement.assert_within_limits(96 << 20);
    measurement.assert_rejected();
    assert_eq!(whole.counts().accepted, 1, "the large session was redacted meanwhile");
}

/// Redacts message by message, as fast as the server allows. Several redactions run concurrently, so that even a slow
/// machine reaches the limit.
async fn redact(large_session: LargeSession, counter: AbuseCounter) -> Infallible {
    let (http, mut rounds) = (http(), 0);
    loop {
        for (at, messages) in large_session.messages.chunks(AT_ONCE).enumerate() {
            let one = async |(number, message): (usize, &Value)| {
                let id = format!("r{rounds}-{at}-{number}");
                let answer = large_session.send(&http, &id, "redact", json!({ "message": message })).await;
                counter.count_response(answer.status());
            };
            futures_util::future::join_all(messages.iter().enumerate().map(one)).await;
        }
        rounds += 1;
    }
}
