//! One connection, HTTP/1.1 or HTTP/2. It ends when it is idle for too long, when its client reads nothing, or when the
//! server stops.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;
use tower::Service;
use tracing::Instrument;

use super::idle_timeout::{ConnectionActivity, OpenBody};
use super::stream_stall::StreamExecutor;
use crate::config::Config;
use crate::limits::ConnectionPermit;
use crate::network::{PeerAddress, TrustedProxies};
use crate::socket::StallTimeout;
use crate::telemetry::log_spans::ConnectionId;

/// Size of a buffer, in bytes. One buffer is for the head of a request, and another for one read or write.
const BUFFER_BYTES: usize = 64 << 10;
/// Maximum size of the decoded header fields of an HTTP/2 request, in bytes.
const HEAD_BYTES: u32 = 16 << 10;
/// HTTP/2 flow control windows in bytes: how much body data a client can send ahead, on one stream and on one
/// connection.
const STREAM_WINDOW: u32 = 64 << 10;
const CONNECTION_WINDOW: u32 = 1 << 20;
/// Maximum number of streams that a client can reset before the server accepts them. More than that ends the connection
/// (CVE-2023-44487).
const MAX_RESET_STREAMS: usize = 20;
/// Timeout for closing an idle connection gracefully.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// HTTP configuration of connections.
#[derive(Clone)]
pub(super) struct HttpConnectionServer {
    builder: Builder<StreamExecutor>,
    quiet: Duration,
    stall: Duration,
}

/// Handler of the requests of one connection.
#[derive(Clone)]
pub(super) struct ConnectionService {
    /// Router for the requests.
    pub(super) router: Router,
    /// Proxies whose forwarding headers are trusted.
    pub(super) proxies: Arc<TrustedProxies>,
    /// IP address of the other end of the connection.
    pub(super) peer: IpAddr,
    /// Permit of the connection. `None` for a connection without a slot.
    pub(super) place: Option<ConnectionPermit>,
    /// Id of the connection, for the log.
    pub(super) id: ConnectionId,
}

impl HttpConnectionServer {
    /// Creates the configuration from the settings.
    pub(super) fn new(config: &Config) -> Self {
        let stall = Duration::from_secs(config.socket.stall_seconds);
        let mut builder = Builder::new(StreamExecutor { stall });
        builder.http1().timer(TokioTimer::new()).header_read_timeout(None).max_buf_size(BUFFER_BYTES);
        builder
            .http2()
            .timer(TokioTimer::new())
            .max_concurrent_streams(config.http.max_streams)
            .max_header_list_size(HEAD_BYTES)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_send_buf_size(BUFFER_BYTES)
            .max_pending_accept_reset_streams(MAX_RESET_STREAMS)
            .keep_alive_interval(Duration::from_secs(config.socket.ping_seconds))
            .keep_alive_timeout(stall);
        Self { builder, quiet: Duration::from_secs(config.http.header_timeout_seconds), stall }
    }

    /// Serves one connection until it ends.
    pub(super) async fn serve(self, tcp: TcpStream, requests: ConnectionService, stop: CancellationToken) {
        let span = requests.id.span();
        self.serve_in_span(tcp, requests, stop).instrument(span).await;
    }

    async fn serve_in_span(self, tcp: TcpStream, requests: ConnectionService, stop: CancellationToken) {
        tracing::debug!(peer = %requests.peer, has_place = requests.place.is_some(), "connection accepted");
        // Frames are written whole, so Nagle's algorithm would only delay each one until the previous one is
        // acknowledged.
        let _ = tcp.set_nodelay(true);
        let tcp = StallTimeout::new(tcp, self.stall);
        let activity = ConnectionActivity::new(tcp.blocked());
        let service = hyper::service::service_fn(|request| requests.clone().answer(request, activity.clone()));
        let connection = self.builder.serve_connection_with_upgrades(TokioIo::new(tcp), service);
        tokio::pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = stop.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
            () = activity.quiet(self.quiet) => {
                connection.as_mut().graceful_shutdown();
                tokio::select! {
                    ended = connection => ended,
                    () = activity.quiet(CLOSE_TIMEOUT) => return tracing::debug!("idle connection closed"),
                }
            }
        };
        match ended {
            // A WebSocket continues after the end of HTTP.
            Ok(()) => tracing::debug!("HTTP ended"),
            Err(error) => tracing::debug!(%error, "connection ended early"),
        }
    }
}

impl ConnectionService {
    async fn answer(
        mut self,
        mut request: hyper::Request<Incoming>,
        activity: Arc<ConnectionActivity>,
    ) -> Result<hyper::Response<OpenBody>, Infallible> {
        let open = activity.open();
        let (address, scheme) = self.proxies.client(self.peer, request.headers());
        request.extensions_mut().insert(PeerAddress(self.peer));
        request.extensions_mut().insert(address);
        request.extensions_mut().insert(scheme);
        request.extensions_mut().insert(self.id);
        if let Some(place) = self.place {
            request.extensions_mut().insert(place);
        }
        let response = self.router.call(request.map(Body::new)).await?;
        Ok(response.map(|body| OpenBody::new(body, open)))
    }
}
