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
const ANSWER: Duration = Duration::from_secs(4);
/// Time of the first knock in milliseconds, during the faults.
const KNOCKS: (u64, u64) = (300, 5_000);

/// Returns a link that requires the approval of an owner.
pub async fn link(on: SocketAddr, owner: &Key, session: &str) -> anyhow::Result<String> {
    let wanted = json!({ "role": "viewer", "knock": true }).to_string();
    let made = request(on, &owner.token, &format!("/api/v1/sessions/{session}/invites"), Some(&wanted)).await?;
    let made: Value = serde_json::from_str(&made)?;
    let secret = made["link"].as_str().and_then(|link| link.split_once('#')).context("no secret")?.1;
    Ok(secret.to_owned())
}

/// Sessions that have not admitted the visitor, and the links to them.
pub struct Visitor {
    outside: Arc<Mutex<BTreeSet<String>>>,
    _knocking: JoinSet<()>,
}

impl Visitor {
    /// Knocks at these sessions with their links, at any node, until each has admitted the visitor.
    pub fn begin(key: &Key, addresses: &[SocketAddr], sessions: Vec<(String, String)>, seed: u64) -> Self {
        let outside =
            Arc::new(Mutex::new(sessions.iter().map(|(session, _)| session.clone()).collect::<BTreeSet<_>>()));
        let mut knocking = JoinSet::new();
        for (at, (session, secret)) in sessions.into_iter().enumerate() {
            let (key, addresses, outside) = (key.clone(), addresses.to_vec(), outside.clone());
            let mut random = Random::of(seed, 20_000 + at as u64);
            knocking.spawn(async move {
                sleep(Duration::from_millis(random.between(KNOCKS.0, KNOCKS.1))).await;
                while !is_in(addresses[random.index(addresses.len())], &key, &secret).await {
                    sleep(Duration::from_millis(random.between(50, 400))).await;
                }
                outside.lock().remove(&session);
            });
        }
        Self { outside, _knocking: knocking }
    }

    /// Returns the sessions that have not admitted the visitor.
    pub fn outside(&self) -> Vec<String> {
        self.outside.lock().iter().cloned().collect()
    }
}

/// Uses the link, which knocks until an owner admits the sender. Returns whether the sender is in.
async fn is_in(address: SocketAddr, key: &Key, secret: &str) -> bool {
    let body = json!({ "secret": secret }).to_string();
    let asked = timeout(ANSWER, request(address, &key.token, "/api/v1/invites/accept", Some(&body))).await;
    let answer = asked.ok().and_then(Result::ok).and_then(|answer| serde_json::from_str::<Value>(&answer).ok());
    answer.is_some_and(|answer| answer["session"].is_string() && answer["waiting"] != true)
}
