//! HTTP client for requests of the server itself: to model providers, MCP servers, search engines and collectors.

use futures_util::StreamExt;

/// Returns the whole body, or `None` if it is larger than `max_bytes`.
pub(crate) async fn read_body(
    response: reqwest::Response,
    max_bytes: usize,
) -> Result<Option<Vec<u8>>, reqwest::Error> {
    if response.content_length().is_some_and(|length| length > max_bytes as u64) {
        return Ok(None);
    }
    let (mut chunks, mut body) = (response.bytes_stream(), vec![]);
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk?;
        if chunk.len() > max_bytes - body.len() {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}

/// Returns a builder of an HTTP client for the server at `url`.
pub(crate) fn client(url: &reqwest::Url) -> reqwest::ClientBuilder {
    // reqwest uses the process's default cryptography provider. Installing it a second time has no effect.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // A redirect would send the key to another host.
    let mut client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    if url.scheme() == "http" {
        // Without this, plain HTTP would fail on machines without root certificates.
        client = client.tls_certs_only([]);
    }
    if matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]")) {
        // A proxy cannot reach this machine's loopback address.
        client = client.no_proxy();
    }
    client
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn a_body_without_end_is_read_so_far() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let endless = tokio::spawn(async move {
            let (mut tcp, _) = listener.accept().await.expect("accepts");
            let len = tcp.read(&mut [0; 4096]).await.expect("reads");
            assert!(len > 0);
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n[";
            tcp.write_all(head.as_bytes()).await.expect("writes");
            while tcp.write_all(&[b' '; 4096]).await.is_ok() {}
        });
        let url = reqwest::Url::parse(&url).expect("a URL");
        let answer = client(&url).build().expect("a client").get(url).send().await.expect("answers");
        assert_eq!(read_body(answer, 64 << 10).await.expect("reads"), None);
        endless.await.expect("ends when its reader is dropped");
    }
}
