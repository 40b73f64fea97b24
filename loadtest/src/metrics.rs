//! Metrics of a server.

use anyhow::Context;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::server::Server;

/// Returns the setting that makes a server serve its metrics.
pub fn setting() -> (&'static str, String) {
    ("METRICS_LISTEN", "127.0.0.1:0".to_owned())
}

/// Address of the metrics, once the server has printed it.
pub struct Metrics(String);

/// Metrics at one point in time.
pub struct MetricsSnapshot(String);

impl Metrics {
    pub async fn of(server: &mut Server) -> anyhow::Result<Self> {
        loop {
            let line = server.read_line().await?;
            if let Some((_, rest)) = line.split_once("Metrics are at http://") {
                return Ok(Self(rest.trim_end_matches("/metrics").to_owned()));
            }
        }
    }

    pub async fn read(&self) -> anyhow::Result<MetricsSnapshot> {
        let mut tcp = TcpStream::connect(&self.0).await?;
        let request = format!("GET /metrics HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", self.0);
        tcp.write_all(request.as_bytes()).await?;
        let mut response = String::new();
        tcp.read_to_string(&mut response).await?;
        Ok(MetricsSnapshot(response))
    }
}

impl MetricsSnapshot {
    /// Returns the value of a metric without labels.
    pub fn number(&self, name: &str) -> anyhow::Result<u64> {
        let line = self.0.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|number| number.trim().parse().ok()).with_context(|| format!("no {name} in the metrics"))
    }
}
