//! A member who creates sessions, begins runs, and adds files and documents as fast as possible.

use std::convert::Infallible;

use reqwest::Client;
use serde_json::{Value, json};

use super::{AbuseCounter, LatencyProbe};

/// Quotas of the abuser.
const QUOTAS: [(&str, &str); 4] = [
    ("ROUNDTABLE_QUOTAS__MAX_SESSIONS", "10"),
    ("ROUNDTABLE_QUOTAS__MAX_RUNS", "2"),
    ("ROUNDTABLE_QUOTAS__MAX_FILE_BYTES", "1000000"),
    ("ROUNDTABLE_QUOTAS__MAX_KNOWLEDGE_BYTES", "200000"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_use_of_a_quota_does_not_affect_others() {
    let mut probe = LatencyProbe::start(&QUOTAS).await;
    let token = probe.token("eve", "member").await;
    let abuser = QuotaAbuser {
        http: Client::builder().no_proxy().build().expect("a client"),
        url: probe.server.url.clone(),
        token,
    };
    // Use up every quota at least once.
    let mut session = String::new();
    for attempt in 0..12 {
        abuser.attempt(attempt, &mut session).await;
    }
    let measurement = probe.measure_during(|counter| abuser.run_forever(counter)).await;
    measurement.assert_within_limits(96 << 20);

    // Read as an administrator, because Eve has used up her rate limit.
    let read = async |path: String| {
        let http = Client::builder().no_proxy().build().expect("a client");
        let answer =
            http.get(format!("{}/api/v1/{path}", probe.server.url)).bearer_auth(&probe.server.token).send().await;
        answer.expect("answers").json::<Value>().await.expect("JSON")
    };
    let listed = read("sessions?limit=1000".into()).await["sessions"].take();
    let all: Vec<&str> = listed.as_array().expect("a list").iter().filter_map(|one| one["session"].as_str()).collect();
    let of_eve: Vec<&str> = all.into_iter().filter(|session| *session != probe.session).collect();
    assert!((1..=10).contains(&of_eve.len()), "{} sessions", of_eve.len());
    let mut bytes = 0;
    for session in of_eve {
        bytes += sum(&read(format!("sessions/{session}/files")).await["files"]);
    }
    assert!((1..=1_000_000).contains(&bytes), "{bytes} bytes of files");
    let bytes = sum(&read("knowledge/1/documents".into()).await["documents"]);
    assert!((1..=200_000).contains(&bytes), "{bytes} bytes of documents");
}

fn sum(listed: &Value) -> u64 {
    listed.as_array().expect("a list").iter().map(|one| one["bytes"].as_u64().expect("a number")).sum()
}

struct QuotaAbuser {
    http: Client,
    url: String,
    token: String,
}

impl QuotaAbuser {
    /// Makes one attempt after another, even if they are rejected.
    async fn run_forever(self, counter: AbuseCounter) -> Infallible {
        let (mut attempt, mut session) = (100, String::new());
        loop {
            self.attempt(attempt, &mut session).await;
            attempt += 1;
            counter.count_accepted(1);
        }
    }

    /// Adds a file to her newest session, adds a document and creates a session, all concurrently.
    async fn attempt(&self, attempt: usize, session: &mut String) {
        if attempt == 0 {
            self.post("/api/v1/knowledge", json!({ "name": "All" })).await;
        }
        let body = |bytes: usize| format!("{attempt:09} ").repeat(bytes / 10);
        let file = self.put(format!("/api/v1/sessions/{session}/files/{attempt}.txt"), body(150_000));
        let document = self.put(format!("/api/v1/knowledge/1/documents/{attempt}.md"), body(30_000));
        let new = self.post("/api/v1/sessions", json!({ "message": "write on" }));
        let (made, ..) = tokio::join!(new, file, document);
        if let Some(id) = made["session"].as_str() {
            *session = id.to_owned();
        }
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        let sent = self.http.post(format!("{}{path}", self.url)).bearer_auth(&self.token).json(&body).send().await;
        match sent {
            Ok(answer) => answer.json().await.unwrap_or_default(),
            Err(_) => Value::Null,
        }
    }

    async fn put(&self, path: String, body: String) {
        let _ = self.http.put(format!("{}{path}", self.url)).bearer_auth(&self.token).body(body).send().await;
    }
}
