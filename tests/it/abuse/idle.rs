//! Strangers who open connections and send nothing, and strangers who leave request bodies unfinished.

use std::convert::Infallible;
use std::time::Duration;

use reqwest::StatusCode;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{AbuseCounter, LatencyProbe, http, run_concurrently};

/// Number of connections that a stranger tries to hold open at the same time; the limit per address is lower.
const HELD: usize = 400;

/// Opens a connection, sends this text and holds the connection open. Opens a new one when it ends.
async fn hold(address: String, sent: String, counter: AbuseCounter) -> Infallible {
    // A rejected client pauses briefly; otherwise the test would measure how fast the machine is.
    let mut moments = tokio::time::interval(Duration::from_secs(1));
    loop {
        moments.tick().await;
        let Ok(mut tcp) = TcpStream::connect(&address).await else {
            counter.count_rejected();
            continue;
        };
        let _ = tcp.write_all(sent.as_bytes()).await;
        counter.count_accepted(1);
        let mut rest = vec![];
        let _ = tcp.read_to_end(&mut rest).await;
        counter.count_closed();
    }
}

async fn check_held_connections(sent: impl Fn(&str) -> String) {
    let mut probe = LatencyProbe::start(&[("ROUNDTABLE_HTTP__MAX_CONNECTIONS_PER_ADDRESS", "300")]).await;
    let address = probe.server.url.trim_start_matches("http://").to_owned();
    let sent = sent(&address);
    let url = probe.server.url.clone();
    let flood = |counter: AbuseCounter| {
        run_concurrently([(); HELD].map(|()| hold(address.clone(), sent.clone(), counter.clone())))
    };
    let measurement = probe.measure_during(flood).await;
    measurement.assert_within_limits(64 << 20);
    measurement.assert_closed();
    assert!(measurement.counts.accepted >= 300, "as many as an address may have were opened: {}", measurement.counts);
    let health = http().get(format!("{url}/healthz"));
    assert_eq!(health.send().await.expect("answers").status(), StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_connections_do_not_slow_others() {
    check_held_connections(|_| String::new()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn missing_bodies_do_not_slow_others() {
    let head = "POST /api/v1/sign-in HTTP/1.1\r\ncontent-length: 1000\r\nhost: ";
    check_held_connections(|address| format!("{head}{address}\r\n\r\n{{")).await;
}
