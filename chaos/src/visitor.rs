//! A visitor who knocks at every session during the faults, and waits until the lead admits them.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::http_request::request;
use crate::socket::Key;
use servers::random::Random;

/// Time without a response before the request goes to another node.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(4);
/// Range of the delay before the first knock, in milliseconds. The visitor knocks during the faults.
const FIRST_KNOCK_MS: (u64, u64) = (300, 5_000);

/// Creates an invite link that requires an owner's approval. Returns the secret of the link.
pub async fn create_link(address: SocketAddr, owner: &Key, session: &str) -> anyhow::Result<String> {
    let body = json!({ "role": "viewer", "knock": true }).to_string();
    let response = request(address, &owner.token, &format!("/api/v1/sessions/{session}/invites"), Some(&body)).await?;
    let created: Value = serde_json::from_str(&response)?;
    let secret = created["link"].as_str().and_then(|link| link.split_once('#')).context("no secret")?.1;
    Ok(secret.to_owned())
}

/// The visitor, and the sessions that have not admitted them.
pub struct Visitor {
    not_admitted: Arc<Mutex<BTreeSet<String>>>,
    _tasks: JoinSet<()>,
}

impl Visitor {
    /// Knocks at these sessions with the secrets of their links, on any node, until each session has admitted the
    /// visitor.
    pub fn start(key: &Key, addresses: &[SocketAddr], sessions: Vec<(String, String)>, seed: u64) -> Self {
        let not_admitted =
            Arc::new(Mutex::new(sessions.iter().map(|(session, _)| session.clone()).collect::<BTreeSet<_>>()));
        let mut tasks = JoinSet::new();
        for (at, (session, secret)) in sessions.into_iter().enumerate() {
            let (key, addresses, not_admitted) = (key.clone(), addresses.to_vec(), not_admitted.clone());
            let mut random = Random::of(seed, 20_000 + at as u64);
            tasks.spawn(async move {
                sleep(Duration::from_millis(random.between(FIRST_KNOCK_MS.0, FIRST_KNOCK_MS.1))).await;
                while !knock(addresses[random.index(addresses.len())], &key, &secret).await {
                    sleep(Duration::from_millis(random.between(50, 400))).await;
                }
                not_admitted.lock().remove(&session);
            });
        }
        Self { not_admitted, _tasks: tasks }
    }

    /// Returns the sessions that have not admitted the visitor.
    pub fn not_admitted(&self) -> Vec<String> {
        self.not_admitted.lock().iter().cloned().collect()
    }
}

/// Uses the link, which counts as a knock until an owner admits the visitor. Returns whether the visitor has been
/// admitted.
async fn knock(address: SocketAddr, key: &Key, secret: &str) -> bool {
    let body = json!({ "secret": secret }).to_string();
    let response = timeout(RESPONSE_TIMEOUT, request(address, &key.token, "/api/v1/invites/accept", Some(&body))).await;
    let body = response.ok().and_then(Result::ok).and_then(|body| serde_json::from_str::<Value>(&body).ok());
    body.is_some_and(|body| body["session"].is_string() && body["waiting"] != true)
}
