//! A bot that sends commands over REST as fast as the server refuses them.

use std::convert::Infallible;

use serde_json::json;

use super::{Bystander, Tally, http};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_commands_that_are_refused_disturbs_nobody() {
    // A slow machine sends fewer commands than the default limit allows.
    let limits =
        [("ROUNDTABLE_RATE_LIMITS__REQUEST__BURST", "60"), ("ROUNDTABLE_RATE_LIMITS__REQUEST__PER_SECOND", "10")];
    let mut ann = Bystander::start(&limits).await;
    let token = ann.token("flooder", "bot").await;
    let url = format!("{}/api/v1/sessions/{}/commands", ann.server.url, ann.session);
    let felt = ann.endure_refused(|tally| send(url, token, tally)).await;
    felt.is_bearable(32 << 20);
    felt.was_refused();
}

async fn send(url: String, token: String, tally: Tally) -> Infallible {
    let (http, mut sent) = (http(), 0);
    loop {
        sent += 1;
        let body = json!({ "id": format!("c{sent}"), "do": "say", "data": { "text": "hello" } });
        let answer = http.post(&url).bearer_auth(&token).json(&body).send().await.expect("answers");
        assert!(answer.status().is_client_error(), "a bot that is not in the session is refused");
        tally.answered(answer.status());
    }
}
