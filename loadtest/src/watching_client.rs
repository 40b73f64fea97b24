//! A viewer with little overhead, so that a measurement on two cores measures the server, not the viewers. It parses
//! frames itself.

use std::cell::RefCell;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use roundtable::feed::frame;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

const READ_BYTES: usize = 256 << 10;

/// Number of source addresses of viewers.
const SOURCES: u8 = 8;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BYTES]);
}

/// A connected viewer.
pub struct WatchingClient {
    tcp: TcpStream,
    /// Beginning of a frame that is still incomplete.
    cut: Vec<u8>,
    pub seq: u64,
}

impl WatchingClient {
    /// Opens a WebSocket connection to `host:port`.
    pub async fn connect(address: &str) -> anyhow::Result<Self> {
        let mut tcp = connect(address).await.context("cannot connect")?;
        tcp.set_nodelay(true)?;
        let request = format!(
            "GET /api/v1/ws HTTP/1.1\r\nhost: {address}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
             sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        tcp.write_all(request.as_bytes()).await?;
        let mut head = [0; 4096];
        let len = loop {
            // Peek, because a frame can follow the response immediately.
            let peeked = tcp.peek(&mut head).await.context("no response to the handshake")?;
            if let Some(end) = head[..peeked].windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break end + 4;
            }
            ensure!(peeked > 0 && peeked < head.len(), "no response to the handshake, or a too long one");
            tokio::task::yield_now().await;
        };
        tcp.read_exact(&mut head[..len]).await?;
        ensure!(head.starts_with(b"HTTP/1.1 101"), "rejected: {}", String::from_utf8_lossy(&head[..len]));
        Ok(Self { tcp, cut: Vec::new(), seq: 0 })
    }

    /// Connects, authenticates and joins a session. Everything after `joined` is still unread.
    pub async fn connect_and_join(
        address: &str,
        token: &str,
        session: &str,
        after: Option<u64>,
    ) -> anyhow::Result<Self> {
        let mut viewer = Self::connect(address).await?;
        viewer.send(&json!({ "type": "hello", "token": token })).await?;
        viewer.join(session, after).await?;
        viewer.seq = after.unwrap_or_default();
        Ok(viewer)
    }

    /// Connects this many viewers.
    pub async fn connect_many(address: &str, token: &str, session: &str, count: u64) -> anyhow::Result<Vec<Self>> {
        let mut viewers = Vec::new();
        for _ in 0..count {
            viewers.push(Self::connect_and_join(address, token, session, None).await?);
        }
        Ok(viewers)
    }

    /// Joins a session and waits for the confirmation.
    pub async fn join(&mut self, session: &str, after: Option<u64>) -> anyhow::Result<()> {
        let mut join = json!({ "type": "join", "session": session });
        if let Some(after) = after {
            join["after"] = after.into();
        }
        self.send(&join).await?;
        self.wait_for("joined").await?;
        Ok(())
    }

    pub async fn send(&mut self, frame: &Value) -> anyhow::Result<()> {
        self.write(0x81, frame.to_string().as_bytes()).await
    }

    async fn write(&mut self, first: u8, payload: &[u8]) -> anyhow::Result<()> {
        let mut bytes = Vec::with_capacity(payload.len() + 14);
        frame::push_header(&mut bytes, first, payload.len());
        // A mask of zeros is a valid mask.
        bytes[1] |= 0x80;
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(payload);
        Ok(self.tcp.write_all(&bytes).await?)
    }

    /// Reads frames one by one until one of this type arrives, and returns it.
    pub async fn wait_for(&mut self, kind: &str) -> anyhow::Result<Value> {
        loop {
            let frame = self.next().await?;
            if frame["type"] == kind {
                return Ok(frame);
            }
            ensure!(kind == "error" || frame["type"] != "error", "rejected: {frame}");
        }
    }

    /// Reads frames until the next acknowledgement of a command, without parsing the others. Only for clients that read
    /// nothing with [`WatchingClient::wait_for`] afterwards.
    pub async fn wait_for_ack(&mut self) -> anyhow::Result<()> {
        let (mut done, mut error) = (false, None);
        while !done {
            let on_frame = &mut |frame: &[u8]| {
                done |= frame.starts_with(b"{\"type\":\"ack\"");
                if frame.starts_with(b"{\"type\":\"error\"") {
                    error = Some(String::from_utf8_lossy(frame).into_owned());
                }
            };
            self.read(on_frame).await?;
            if let Some(frame) = error {
                bail!("rejected: {frame}");
            }
        }
        Ok(())
    }

    /// Sends a frame until the response has this type. Retries if the server allows it. Returns the number of retries.
    pub async fn send_with_retry(&mut self, frame: &Value, kind: &str) -> anyhow::Result<u64> {
        let mut retries = 0;
        loop {
            self.send(frame).await?;
            let response = loop {
                let frame = self.next().await?;
                if frame["type"] == kind || frame["type"] == "error" {
                    break frame;
                }
            };
            if response["type"] == kind {
                return Ok(retries);
            }
            let delay_ms = response["retry_after_ms"].as_u64().with_context(|| format!("rejected: {response}"))?;
            tokio::time::sleep(Duration::from_millis(delay_ms)).await;
            retries += 1;
        }
    }

    /// Returns the next frame.
    pub async fn next(&mut self) -> anyhow::Result<Value> {
        loop {
            let mut head = [0; 2];
            self.tcp.read_exact(&mut head).await.context("closed")?;
            let len = match head[1] {
                126 => u64::from(self.tcp.read_u16().await?),
                127 => self.tcp.read_u64().await?,
                short => u64::from(short),
            };
            ensure!(len < 64 << 20, "a frame of {len} bytes");
            let mut payload = vec![0; usize::try_from(len)?];
            self.tcp.read_exact(&mut payload).await?;
            if head[0] != 0x81 {
                self.control(head[0], &payload).await?;
                continue;
            }
            return Ok(serde_json::from_slice(&payload)?);
        }
    }

    async fn control(&mut self, first: u8, payload: &[u8]) -> anyhow::Result<()> {
        match first {
            0x89 => self.write(0x8a, payload).await,
            0x88 => bail!("closed: {}", String::from_utf8_lossy(payload.get(2..).unwrap_or_default())),
            _ => Ok(()),
        }
    }

    /// Returns the underlying connection, for direct writes.
    pub fn into_tcp(self) -> TcpStream {
        self.tcp
    }

    /// Reads everything that is available and discards it. The server's pings are not answered.
    pub async fn discard(&mut self) -> anyhow::Result<()> {
        self.tcp.readable().await?;
        BUFFER.with_borrow_mut(|buffer| match self.tcp.try_read(buffer) {
            Ok(0) => bail!("closed without a close frame"),
            Err(error) if error.kind() != std::io::ErrorKind::WouldBlock => Err(error.into()),
            _ => Ok(()),
        })
    }

    /// Reads everything that is available. `on_frame` receives the payloads of text frames.
    pub async fn read(&mut self, on_frame: &mut impl FnMut(&[u8])) -> anyhow::Result<()> {
        self.tcp.readable().await?;
        let controls = BUFFER.with_borrow_mut(|buffer| -> anyhow::Result<Vec<(u8, Vec<u8>)>> {
            let n = match self.tcp.try_read(buffer) {
                Ok(0) => bail!("closed without a close frame"),
                Ok(n) => n,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => 0,
                Err(error) => return Err(error.into()),
            };
            let mut controls = Vec::new();
            let mut bytes = &buffer[..n];
            if !self.cut.is_empty() {
                // Complete only the cut frame: copying everything after it would double the work.
                let missing = loop {
                    let missing = match frame::first_frame_lengths(&self.cut) {
                        Some((header, payload)) => (header + payload).saturating_sub(self.cut.len()),
                        None => 1,
                    };
                    let step = missing.min(bytes.len());
                    self.cut.extend_from_slice(&bytes[..step]);
                    bytes = &bytes[step..];
                    let whole = frame::first_frame_lengths(&self.cut).is_some_and(|(h, p)| h + p == self.cut.len());
                    if whole || step == 0 {
                        break !whole;
                    }
                };
                if missing {
                    return Ok(controls);
                }
                split(&self.cut, on_frame, &mut controls);
                self.cut.clear();
            }
            let rest = split(bytes, on_frame, &mut controls);
            self.cut.extend_from_slice(rest);
            Ok(controls)
        })?;
        for (first, payload) in controls {
            self.control(first, &payload).await?;
        }
        Ok(())
    }
}

/// Connects from several addresses of this machine in turn. Each address has its own ports; the ports of a single
/// address would not suffice for tens of thousands of viewers.
async fn connect(address: &str) -> std::io::Result<TcpStream> {
    static NEXT: AtomicU8 = AtomicU8::new(0);
    let Ok(SocketAddr::V4(target)) = address.parse() else { return TcpStream::connect(address).await };
    let socket = TcpSocket::new_v4()?;
    let source = Ipv4Addr::new(127, 0, 0, 1 + NEXT.fetch_add(1, Ordering::Relaxed) % SOURCES);
    socket.bind((source, 0).into())?;
    socket.connect(target.into()).await
}

/// Removes complete frames from the front. Returns the rest.
fn split<'a>(mut bytes: &'a [u8], on_frame: &mut impl FnMut(&[u8]), controls: &mut Vec<(u8, Vec<u8>)>) -> &'a [u8] {
    while let Some((header, payload)) = frame::first_frame_lengths(bytes)
        && bytes.len() >= header + payload
    {
        let text = &bytes[header..header + payload];
        if bytes[0] == 0x81 {
            on_frame(text);
        } else {
            controls.push((bytes[0], text.to_vec()));
        }
        bytes = &bytes[header + payload..];
    }
    bytes
}

/// Returns the seq of an event frame, which is at a fixed position after the type and the session.
pub fn seq(event: &[u8]) -> Option<u64> {
    const PREFIX: usize = "{\"type\":\"event\",\"session\":\"s_0190f3c07a1b7c3d8e5f60718293a4b5\",\"seq\":".len();
    let digits = event.get(PREFIX..)?.iter().take_while(|byte| byte.is_ascii_digit());
    Some(digits.fold(0, |seq, digit| seq * 10 + u64::from(digit - b'0')))
}

/// Returns the timestamp between the first two `@` signs of a text.
pub fn sent_at(frame: &[u8]) -> Option<u64> {
    let begin = frame.iter().position(|byte| *byte == b'@')? + 1;
    let len = frame.get(begin..)?.iter().position(|byte| *byte == b'@')?;
    std::str::from_utf8(&frame[begin..begin + len]).ok()?.parse().ok()
}
