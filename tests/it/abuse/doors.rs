//! Strangers at the doors that admit guests, and at an invite link that requires a knock.

use std::convert::Infallible;

use reqwest::StatusCode;
use serde_json::{Value, json};

use super::{AbuseCounter, LatencyProbe, http, run_concurrently};

/// Number of concurrent strangers.
const STRANGERS: usize = 4;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_guests_at_the_doors_does_not_slow_others() {
    let mut probe = LatencyProbe::start(&[("ROUNDTABLE_GUEST_DOORS", "true")]).await;
    let url = format!("{}/api/team-chat/stream", probe.server.url);
    let flood = |counter: AbuseCounter| run_concurrently([(); STRANGERS].map(|()| begin(url.clone(), counter.clone())));
    let measurement = probe.measure_during_refusals(flood).await;
    measurement.assert_within_limits(128 << 20);
    measurement.assert_rejected();
}

/// Begins runs, and keeps the streams of all of them open.
async fn begin(url: String, counter: AbuseCounter) -> Infallible {
    let (http, mut followed) = (http(), vec![]);
    loop {
        let answer = http.post(&url).json(&json!({ "message": "write test cases" })).send().await.expect("answers");
        counter.count_response(answer.status());
        if answer.status() == StatusCode::OK {
            followed.push(answer);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_knocks_does_not_slow_others() {
    let mut probe = LatencyProbe::start(&[]).await;
    let path = format!("/api/v1/sessions/{}/invites", probe.session);
    let made = probe.server.post(&path, json!({ "role": "viewer", "knock": true })).await;
    let secret = made["link"].as_str().and_then(|link| link.split_once('#')).expect("a secret").1.to_owned();
    let url = format!("{}/api/v1/invites", probe.server.url);
    let flood = |counter: AbuseCounter| {
        run_concurrently((0..STRANGERS).map(move |number| knock(url.clone(), secret.clone(), number, counter.clone())))
    };
    let measurement = probe.measure_during_refusals(flood).await;
    measurement.assert_within_limits(64 << 20);
    measurement.assert_rejected();
}

/// Previews the link and knocks, repeatedly and under new names.
async fn knock(url: String, secret: String, number: usize, counter: AbuseCounter) -> Infallible {
    let http = http();
    let post = async |path: &'static str, body: Value| {
        let answer = http.post(format!("{url}/{path}")).json(&body).send().await.expect("answers");
        counter.count_response(answer.status());
    };
    let mut knocks = 0;
    loop {
        knocks += 1;
        post("preview", json!({ "secret": secret })).await;
        post("accept", json!({ "secret": secret, "name": format!("Visitor {number} {knocks}") })).await;
    }
}
