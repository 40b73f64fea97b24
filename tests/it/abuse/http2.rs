//! A client that opens requests over HTTP/2 and cancels them.

use std::convert::Infallible;

use super::{Bystander, Tally, together};
use crate::http2;

/// Number of concurrent connections.
const CONNECTIONS: usize = 4;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_requests_that_are_taken_back_disturbs_nobody() {
    let mut ann = Bystander::start(&[]).await;
    let url = ann.server.url.clone();
    let flood = |tally: Tally| together([(); CONNECTIONS].map(|()| take_back(url.clone(), tally.clone())));
    let felt = ann.endure(flood).await;
    felt.is_bearable(64 << 20);
    felt.was_closed();
}

/// Cancels requests until the connection is closed, then reconnects.
async fn take_back(url: String, tally: Tally) -> Infallible {
    loop {
        let client = http2::connect(&url).await;
        http2::take_back_requests(client, &url, || tally.taken(1)).await;
        tally.closed();
    }
}
