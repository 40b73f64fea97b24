//! A listener that records the arrival time of the first byte of a request, which an HTTP server does not report.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use axum::Router;
use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

use crate::machine;

/// Arrival time of the first byte of the connection's current request; 0 between two requests.
#[derive(Clone, Default)]
pub struct Arrival(Arc<AtomicU64>);

impl Arrival {
    /// Returns the arrival time, in nanoseconds since 1970.
    pub fn at(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Serves on a free port until this process ends. Handlers receive an [`Arrival`] with each request. Returns the
/// address.
pub async fn serve(app: Router) -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let app = app.into_make_service_with_connect_info::<Arrival>();
    tokio::spawn(async move { axum::serve(TimestampedListener(listener), app).await });
    Ok(address)
}

struct TimestampedListener(TcpListener);

impl Listener for TimestampedListener {
    type Io = TimestampedStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TimestampedStream, SocketAddr) {
        let (tcp, from) = Listener::accept(&mut self.0).await;
        let _ = tcp.set_nodelay(true);
        (TimestampedStream { tcp, arrival: Arrival::default() }, from)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

impl Connected<IncomingStream<'_, TimestampedListener>> for Arrival {
    fn connect_info(stream: IncomingStream<'_, TimestampedListener>) -> Self {
        stream.io().arrival.clone()
    }
}

/// A connection on which each request arrives after the response to the previous one.
struct TimestampedStream {
    tcp: TcpStream,
    arrival: Arrival,
}

impl AsyncRead for TimestampedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.tcp).poll_read(context, buffer);
        if buffer.filled().len() > before && self.arrival.at() == 0 {
            self.arrival.0.store(machine::nanos(), Ordering::Relaxed);
        }
        read
    }
}

impl AsyncWrite for TimestampedStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.arrival.0.store(0, Ordering::Relaxed);
        Pin::new(&mut self.tcp).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_shutdown(context)
    }
}
