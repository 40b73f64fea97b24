//! A stranger who guesses tokens.

use reqwest::{Client, StatusCode};

use super::Bystander;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_credentials_that_nobody_has_disturbs_nobody() {
    let mut ann = Bystander::start(&[]).await;
    let url = format!("{}/api/v1/me", ann.server.url);
    let flood = async move {
        let http = Client::builder().no_proxy().build().expect("a client");
        let one = async |first: u32| {
            for n in first..first + 5_000 {
                let answer = http.get(&url).bearer_auth(format!("rt_token_{n:064x}")).send().await.expect("answers");
                let status = answer.status();
                assert!(matches!(status, StatusCode::UNAUTHORIZED | StatusCode::TOO_MANY_REQUESTS), "{status}");
            }
        };
        futures_util::future::join_all([one(0), one(5_000), one(10_000), one(15_000)]).await;
    };
    let felt = ann.endure(flood).await;
    felt.is_bearable(64 << 20);
}
