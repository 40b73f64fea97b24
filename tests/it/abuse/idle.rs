//! Strangers who open connections and send nothing, and who leave bodies unfinished.

use std::time::Duration;

use reqwest::StatusCode;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::Bystander;

/// Connections that a stranger holds open at once.
const HELD: usize = 400;

/// Hold connections that have sent this, and open others in place of those that end.
async fn hold(address: String, sent: String) {
    let one = async || {
        // Whoever is refused at once comes again in a moment, or the machine would be what is measured.
        let mut moments = tokio::time::interval(Duration::from_secs(1));
        loop {
            moments.tick().await;
            let Ok(mut tcp) = TcpStream::connect(&address).await else { continue };
            let _ = tcp.write_all(sent.as_bytes()).await;
            let mut rest = vec![];
            let _ = tokio::io::AsyncReadExt::read_to_end(&mut tcp, &mut rest).await;
        }
    };
    futures_util::future::join_all((0..HELD).map(|_| one())).await;
}

async fn endure(sent: impl Fn(&str) -> String) {
    let mut ann = Bystander::start(&[("ROUNDTABLE_HTTP__MAX_CONNECTIONS_PER_ADDRESS", "300")]).await;
    let address = ann.server.url.trim_start_matches("http://").to_owned();
    let sent = sent(&address);
    let url = ann.server.url.clone();
    let felt = ann.endure(hold(address, sent)).await;
    felt.is_bearable(64 << 20);
    let health = reqwest::Client::builder().no_proxy().build().expect("a client").get(format!("{url}/healthz"));
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
