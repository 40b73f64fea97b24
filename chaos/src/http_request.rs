//! One HTTP request to a node of this machine.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Longer than any response takes, also on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Sends a request, with a JSON body if there is one, and returns the body of the response. Nodes are known as `chaos`,
/// whatever link leads to them.
pub async fn request(address: SocketAddr, token: &str, path: &str, body: Option<&str>) -> anyhow::Result<String> {
    let (verb, body) = (if body.is_some() { "POST" } else { "GET" }, body.unwrap_or_default());
    let request = format!(
        "{verb} {path} HTTP/1.1\r\nhost: chaos\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    let answer = tokio::time::timeout(TIMEOUT, async {
        let mut tcp = TcpStream::connect(address).await?;
        tcp.write_all(request.as_bytes()).await?;
        let mut answer = String::new();
        tcp.take(1 << 20).read_to_string(&mut answer).await?;
        std::io::Result::Ok(answer)
    });
    let answer = answer.await.with_context(|| format!("{path}: no answer"))??;
    let (head, body) = answer.split_once("\r\n\r\n").context("no answer")?;
    ensure!(head.starts_with("HTTP/1.1 2"), "{path}: {} {body}", head.lines().next().unwrap_or_default());
    Ok(body.to_owned())
}
