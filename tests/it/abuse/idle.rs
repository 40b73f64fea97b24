//! Strangers who open connections and send nothing, and strangers who leave bodies unfinished.

use std::convert::Infallible;
use std::time::Duration;

use reqwest::StatusCode;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{Bystander, Tally, http, together};

/// Connections that a stranger holds open at the same time, more than one address may have.
const HELD: usize = 400;

/// Holds a connection that has sent this text, and replaces it when it ends.
async fn hold(address: String, sent: String, tally: Tally) -> Infallible {
    // A rejected client pauses briefly; otherwise the test would measure the machine.
    let mut moments = tokio::time::interval(Duration::from_secs(1));
    loop {
        moments.tick().await;
        let Ok(mut tcp) = TcpStream::connect(&address).await else {
            tally.refused();
            continue;
        };
        let _ = tcp.write_all(sent.as_bytes()).await;
        tally.taken(1);
        let mut rest = vec![];
        let _ = tcp.read_to_end(&mut rest).await;
        tally.closed();
    }
}

async fn endure(sent: impl Fn(&str) -> String) {
    let mut ann = Bystander::start(&[("ROUNDTABLE_HTTP__MAX_CONNECTIONS_PER_ADDRESS", "300")]).await;
    let address = ann.server.url.trim_start_matches("http://").to_owned();
    let sent = sent(&address);
    let url = ann.server.url.clone();
    let flood = |tally: Tally| together([(); HELD].map(|()| hold(address.clone(), sent.clone(), tally.clone())));
    let felt = ann.endure(flood).await;
    felt.is_bearable(64 << 20);
    felt.was_closed();
    assert!(felt.acts.taken >= 300, "as many as an address may have were opened: {}", felt.acts);
    let health = http().get(format!("{url}/healthz"));
    assert_eq!(health.send().await.expect("answers").status(), StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_send_nothing_disturb_nobody() {
    endure(|_| String::new()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_that_never_come_disturb_nobody() {
    let head = "POST /api/v1/sign-in HTTP/1.1\r\ncontent-length: 1000\r\nhost: ";
    endure(|address| format!("{head}{address}\r\n\r\n{{")).await;
}
