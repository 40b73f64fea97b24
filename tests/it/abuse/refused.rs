//! A bot that sends commands over REST as fast as the server can refuse them.

use std::convert::Infallible;

use serde_json::json;

use super::{AbuseCounter, LatencyProbe, http};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_refused_commands_does_not_slow_others() {
    // A slow machine sends fewer commands than the default limit allows.
    let limits =
        [("ROUNDTABLE_RATE_LIMITS__REQUEST__BURST", "60"), ("ROUNDTABLE_RATE_LIMITS__REQUEST__PER_SECOND", "10")];
    let mut probe = LatencyProbe::start(&limits).await;
    let token = probe.token("flooder", "bot").await;
    let url = format!("{}/api/v1/sessions/{}/commands", probe.server.url, probe.session);
    let measurement = probe.measure_during_refusals(|counter| send(url, token, counter)).await;
    measurement.assert_within_limits(32 << 20);
    measurement.assert_rejected();
}

async fn send(url: String, token: String, counter: AbuseCounter) -> Infallible {
    let (http, mut sent) = (http(), 0);
    loop {
        sent += 1;
        let body = json!({ "id": format!("c{sent}"), "do": "say", "data": { "text": "hello" } });
        let answer = http.post(&url).bearer_auth(&token).json(&body).send().await.expect("answers");
        assert!(answer.status().is_client_error(), "a bot that is not in the session is refused");
        counter.count_response(answer.status());
    }
}
