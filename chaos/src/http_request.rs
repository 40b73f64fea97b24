//! One HTTP request to a node on this machine.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, ensure};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;

/// Timeout of a request, longer than any response takes even on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Sends a request, with a JSON body if there is one, and returns the body of the response. The host name of every node
/// is `chaos`, whatever link leads to it.
pub async fn request(address: SocketAddr, token: &str, path: &str, body: Option<&str>) -> anyhow::Result<String> {
    send(address, token, if body.is_some() { "POST" } else { "GET" }, path, body.unwrap_or_default()).await
}

/// Sends a `PUT` request with this content.
pub async fn put(address: SocketAddr, token: &str, path: &str, content: &str) -> anyhow::Result<String> {
    send(address, token, "PUT", path, content).await
}

async fn send(address: SocketAddr, token: &str, method: &str, path: &str, body: &str) -> anyhow::Result<String> {
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: chaos\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    let response = tokio::time::timeout(TIMEOUT, async {
        let mut tcp = TcpStream::connect(address).await?;
        tcp.write_all(request.as_bytes()).await?;
        let mut response = String::new();
        tcp.take(1 << 20).read_to_string(&mut response).await?;
        std::io::Result::Ok(response)
    });
    let response = response.await.with_context(|| format!("{path}: no response"))??;
    let (head, body) = response.split_once("\r\n\r\n").context("no response")?;
    ensure!(head.starts_with("HTTP/1.1 2"), "{path}: {} {body}", head.lines().next().unwrap_or_default());
    Ok(body.to_owned())
}

/// A response whose body arrives line by line.
pub struct LineResponse {
    pub status: u16,
    pub location: Option<String>,
    lines: Lines<BufReader<TcpStream>>,
}

impl LineResponse {
    /// Sends a request with these additional header lines, each with its line ending, and reads the head of the
    /// response.
    pub async fn send(
        address: SocketAddr,
        token: &str,
        path: &str,
        headers: &str,
        body: Option<&str>,
    ) -> anyhow::Result<Self> {
        let (method, body) = (if body.is_some() { "POST" } else { "GET" }, body.unwrap_or_default());
        // Responses to HTTP/1.0 requests are not chunked.
        let request = format!(
            "{method} {path} HTTP/1.0\r\nhost: chaos\r\nauthorization: Bearer {token}\r\n{headers}\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut tcp = TcpStream::connect(address).await?;
        tcp.write_all(request.as_bytes()).await?;
        let mut lines = BufReader::new(tcp).lines();
        let first = lines.next_line().await?.context("no response")?;
        let status = first.split(' ').nth(1).context("no status")?.parse()?;
        let mut location = None;
        while let Some(line) = lines.next_line().await?.filter(|line| !line.is_empty()) {
            location = location.or_else(|| line.strip_prefix("location: ").map(str::to_owned));
        }
        Ok(Self { status, location, lines })
    }

    /// Returns the next line of the body; `None` at its end.
    pub async fn next(&mut self) -> anyhow::Result<Option<String>> {
        Ok(self.lines.next_line().await?)
    }

    /// Returns the rest of the body.
    pub async fn rest(mut self) -> anyhow::Result<String> {
        let mut body = String::new();
        while let Some(line) = self.next().await? {
            body += &line;
        }
        Ok(body)
    }
}
