//! A stranger who guesses tokens.

use std::convert::Infallible;

use reqwest::StatusCode;

use super::{AbuseCounter, LatencyProbe, http, run_concurrently};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_unknown_credentials_does_not_slow_others() {
    let mut probe = LatencyProbe::start(&[]).await;
    let url = format!("{}/api/v1/me", probe.server.url);
    let flood = |counter: AbuseCounter| {
        run_concurrently([0, 1, 2, 3].map(|number| guess(url.clone(), number, counter.clone())))
    };
    let measurement = probe.measure_during(flood).await;
    measurement.assert_within_limits(64 << 20);
}

async fn guess(url: String, number: u64, counter: AbuseCounter) -> Infallible {
    let http = http();
    let mut tried = number << 48;
    loop {
        tried += 1;
        let answer = http.get(&url).bearer_auth(format!("rt_token_{tried:064x}")).send().await.expect("answers");
        let status = answer.status();
        assert!(matches!(status, StatusCode::UNAUTHORIZED | StatusCode::TOO_MANY_REQUESTS), "{status}");
        counter.count_response(status);
    }
}
