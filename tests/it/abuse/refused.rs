//! A bot that sends commands over REST as fast as they are refused.

use reqwest::Client;
use serde_json::json;

use super::Bystander;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_commands_that_are_refused_disturbs_nobody() {
    let mut ann = Bystander::start(&[]).await;
    let token = ann.token("flooder", "bot").await;
    let url = format!("{}/api/v1/sessions/{}/commands", ann.server.url, ann.session);
    let flood = async move {
        let http = Client::builder().no_proxy().build().expect("a client");
        for sent in 0..20_000 {
            let body = json!({ "id": format!("c{sent}"), "do": "say", "data": { "text": "hello" } });
            let answer = http.post(&url).bearer_auth(&token).json(&body).send().await.expect("answers");
            assert!(answer.status().is_client_error(), "a bot that is not in the session is refused");
        }
    };
    let felt = ann.endure(flood).await;
    felt.is_bearable(32 << 20);
}
