//! A stranger who guesses tokens.

use std::convert::Infallible;

use reqwest::StatusCode;

use super::{Bystander, Tally, http, together};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_credentials_that_nobody_has_disturbs_nobody() {
    let mut ann = Bystander::start(&[]).await;
    let url = format!("{}/api/v1/me", ann.server.url);
    let flood = |tally: Tally| together([0, 1, 2, 3].map(|number| guess(url.clone(), number, tally.clone())));
    let felt = ann.endure(flood).await;
    felt.is_bearable(64 << 20);
}

async fn guess(url: String, number: u64, tally: Tally) -> Infallible {
    let http = http();
    let mut tried = number << 48;
    loop {
        tried += 1;
        let answer = http.get(&url).bearer_auth(format!("rt_token_{tried:064x}")).send().await.expect("answers");
        let status = answer.status();
        assert!(matches!(status, StatusCode::UNAUTHORIZED | StatusCode::TOO_MANY_REQUESTS), "{status}");
        tally.answered(status);
    }
}
