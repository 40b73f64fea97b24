//! Somebody who knocks at every session while things go wrong, and waits there until the lead lets them in.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::ask::ask;
use crate::socket::Key;
use servers::random::Random;

/// Time that an answer may take before the same is asked elsewhere.
const ANSWER: Duration = Duration::from_secs(4);
/// Time of the first knock, in milliseconds: among the faults.
const KNOCKS: (u64, u64) = (300, 5_000);

/// A link that lets nobody in before an owner has said so.
pub async fn link(on: SocketAddr, owner: &Key, session: &str) -> anyhow::Result<String> {
    let wanted = json!({ "role": "viewer", "knock": true }).to_string();
    let made = ask(on, &owner.token, &format!("/api/v1/sessions/{session}/invites"), Some(&wanted)).await?;
    let made: Value = serde_json::from_str(&made)?;
    let secret = made["link"].as_str().and_then(|link| link.split_once('#')).context("no secret")?.1;
    Ok(secret.to_owned())
}

/// The sessions that a visitor is not in yet, and their way there.
pub struct Visitor {
    outside: Arc<Mutex<BTreeSet<String>>>,
    _knocking: JoinSet<()>,
}

impl Visitor {
    /// Knock at these sessions, each with its link, by any of the doors, until each has let them in.
    pub fn begin(key: &Key, doors: &[SocketAddr], sessions: Vec<(String, String)>, seed: u64) -> Self {
        let outside =
            Arc::new(Mutex::new(sessions.iter().map(|(session, _)| session.clone()).collect::<BTreeSet<_>>()));
        let mut knocking = JoinSet::new();
        for (at, (session, secret)) in sessions.into_iter().enumerate() {
            let (key, doors, outside) = (key.clone(), doors.to_vec(), outside.clone());
            let mut random = Random::of(seed, 20_000 + at as u64);
            knocking.spawn(async move {
                sleep(Duration::from_millis(random.between(KNOCKS.0, KNOCKS.1))).await;
                while !is_in(doors[random.index(doors.len())], &key, &secret).await {
                    sleep(Duration::from_millis(random.between(50, 400))).await;
                }
                outside.lock().remove(&session);
            });
        }
        Self { outside, _knocking: knocking }
    }

    /// The sessions that have not let them in.
    pub fn outside(&self) -> Vec<String> {
        self.outside.lock().iter().cloned().collect()
    }
}

/// Use the link, which is a knock until an owner admits its sender; whether they are in.
async fn is_in(door: SocketAddr, key: &Key, secret: &str) -> bool {
    let body = json!({ "secret": secret }).to_string();
    let asked = timeout(ANSWER, ask(door, &key.token, "/api/v1/invites/accept", Some(&body))).await;
    let answer = asked.ok().and_then(Result::ok).and_then(|answer| serde_json::from_str::<Value>(&answer).ok());
    answer.is_some_and(|answer| answer["session"].is_string() && answer["waiting"] != true)
}
