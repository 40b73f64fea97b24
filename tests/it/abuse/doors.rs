//! Strangers at the doors that admit guests, and at an invite link that requires a knock.

use std::convert::Infallible;

use reqwest::StatusCode;
use serde_json::{Value, json};

use super::{Bystander, Tally, http, together};

/// Number of concurrent strangers.
const STRANGERS: usize = 4;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_guests_at_the_doors_disturbs_nobody() {
    let mut ann = Bystander::start(&[("ROUNDTABLE_GUEST_DOORS", "true")]).await;
    let url = format!("{}/api/team-chat/stream", ann.server.url);
    let flood = |tally: Tally| together([(); STRANGERS].map(|()| begin(url.clone(), tally.clone())));
    let felt = ann.endure_refused(flood).await;
    felt.is_bearable(128 << 20);
    felt.was_refused();
}

/// Begins runs and follows all of them.
async fn begin(url: String, tally: Tally) -> Infallible {
    let (http, mut followed) = (http(), vec![]);
    loop {
        let answer = http.post(&url).json(&json!({ "message": "write test cases" })).send().await.expect("answers");
        tally.answered(answer.status());
        if answer.status() == StatusCode::OK {
            followed.push(answer);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_knocks_disturbs_nobody() {
    let mut ann = Bystander::start(&[]).await;
    let path = format!("/api/v1/sessions/{}/invites", ann.session);
    let made = ann.server.post(&path, json!({ "role": "viewer", "knock": true })).await;
    let secret = made["link"].as_str().and_then(|link| link.split_once('#')).expect("a secret").1.to_owned();
    let url = format!("{}/api/v1/invites", ann.server.url);
    let flood = |tally: Tally| {
        together((0..STRANGERS).map(move |number| knock(url.clone(), secret.clone(), number, tally.clone())))
    };
    let felt = ann.endure_refused(flood).await;
    felt.is_bearable(64 << 20);
    felt.was_refused();
}

/// Previews the link and knocks, repeatedly and under new names.
async fn knock(url: String, secret: String, number: usize, tally: Tally) -> Infallible {
    let http = http();
    let post = async |path: &'static str, body: Value| {
        let answer = http.post(format!("{url}/{path}")).json(&body).send().await.expect("answers");
        tally.answered(answer.status());
    };
    let mut knocks = 0;
    loop {
        knocks += 1;
        post("preview", json!({ "secret": secret })).await;
        post("accept", json!({ "secret": secret, "name": format!("Visitor {number} {knocks}") })).await;
    }
}
