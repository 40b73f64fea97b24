//! A client that opens requests over HTTP/2 and cancels them.

use std::convert::Infallible;

use super::{AbuseCounter, LatencyProbe, run_concurrently};
use crate::http2;

/// Number of concurrent connections.
const CONNECTIONS: usize = 4;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_cancelled_requests_does_not_slow_others() {
    let mut probe = LatencyProbe::start(&[]).await;
    let url = probe.server.url.clone();
    let flood = |counter: AbuseCounter| {
        run_concurrently([(); CONNECTIONS].map(|()| cancel_requests_forever(url.clone(), counter.clone())))
    };
    let measurement = probe.measure_during(flood).await;
    measurement.assert_within_limits(64 << 20);
    measurement.assert_closed();
}

/// Cancels requests until the connection is closed, then reconnects.
async fn cancel_requests_forever(url: String, counter: AbuseCounter) -> Infallible {
    loop {
        let client = http2::connect(&url).await;
        http2::cancel_requests(client, &url, || counter.count_accepted(1)).await;
        counter.count_closed();
    }
}
