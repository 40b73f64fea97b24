//! Upgrade of an HTTP request to a WebSocket connection.

use std::future::poll_fn;
use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use hyper_util::server::conn::auto::upgrade::downcast;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tracing::Instrument;

use super::client::SocketClient;
use super::connection::WebSocketConnection;
use super::connection_log::ConnectionLog;
use super::stall_timeout::StallTimeout;
use super::{SocketContext, SocketSettings};
use crate::audit::RequestOrigin;
use crate::identity::{CredentialProof, Participant};
use crate::limits::ConnectionPermit;
use crate::network::ClientAddress;
use crate::protocol::{Code, Problem};
use crate::telemetry::log_spans::ConnectionId;

/// Handles `GET /api/v1/ws` and upgrades the request to a WebSocket. If the HTTP layer has identified the client, the
/// participant is in an extension of the request.
pub async fn upgrade(
    State(server): State<Arc<SocketContext>>,
    who: Option<Extension<Participant>>,
    proof: Option<Extension<CredentialProof>>,
    address: Option<Extension<ClientAddress>>,
    request: Request,
) -> Response {
    if server.stopping.is_cancelled() {
        let problem = Problem::new(Code::ShuttingDown, "this server is shutting down; reconnect");
        return error_response(StatusCode::SERVICE_UNAVAILABLE, problem.retry_after(1_000));
    }
    let counted = match server.admit() {
        Ok(counted) => counted,
        Err(problem) => return error_response(StatusCode::SERVICE_UNAVAILABLE, problem),
    };
    let log = ConnectionLog(request.extensions().get().copied().unwrap_or_else(ConnectionId::next));
    let counted_connection = request.extensions().get::<ConnectionPermit>().cloned();
    let stranger = address.filter(|_| who.is_none()).map(|Extension(address)| address.network());
    let place = stranger.map(|address| server.traffic.unidentified.admit(address, server.settings.max_unidentified));
    let place = match place.transpose() {
        Ok(place) => place,
        Err(problem) => return error_response(StatusCode::TOO_MANY_REQUESTS, problem),
    };
    let who = who.zip(proof).map(|(Extension(who), Extension(proof))| (who, proof));
    let origin = RequestOrigin::current();
    accept(request, |upgrade| {
        let tasks = server.tasks.clone();
        // Boxed, so that its memory is freed before the client is served, which can take days.
        let opening = Box::pin(async move {
            let (tcp, leftover) = socket(upgrade).instrument(log.span()).await?;
            let connection =
                WebSocketConnection::guarded(tcp, leftover, server.settings.clone(), server.traffic.unfinished.clone());
            Some(Box::new(SocketClient::new(server, connection, who, log, (counted, place))))
        });
        tasks.spawn(async move {
            let Some(mut client) = opening.await else { return };
            origin.scope(poll_fn(|cx| client.poll(cx))).await;
            // The connection counts toward its peer's limit while the socket is open.
            drop(counted_connection);
        });
    })
}

/// Handles `GET` on any path and returns every message unchanged. Only for conformance suites.
pub async fn echo(State(settings): State<Arc<SocketSettings>>, request: Request) -> Response {
    accept(request, |upgrade| {
        tokio::spawn(async move {
            let Some((tcp, leftover)) = socket(upgrade).await else { return };
            let mut echo = super::echo::Echo::new(WebSocketConnection::new(tcp, leftover, &settings));
            poll_fn(|cx| echo.poll(cx)).await;
        });
    })
}

fn accept(mut request: Request, begin: impl FnOnce(OnUpgrade)) -> Response {
    let key = match check(request.headers()) {
        Ok(key) => derive_accept_key(key.as_bytes()),
        Err(problem) => {
            let mut response = problem.into_response();
            if response.status() == StatusCode::UPGRADE_REQUIRED {
                let headers = response.headers_mut();
                headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
                headers.insert(header::SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
            }
            return response;
        }
    };
    begin(hyper::upgrade::on(&mut request));
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    if let Ok(key) = HeaderValue::from_str(&key) {
        headers.insert(header::SEC_WEBSOCKET_ACCEPT, key);
    }
    response
}

fn check(headers: &HeaderMap) -> Result<&HeaderValue, Problem> {
    let has = |name, word: &str| {
        headers
            .get_all(name)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .any(|value| value.split(',').any(|part| part.trim().eq_ignore_ascii_case(word)))
    };
    let no = |message: &str| Problem::new(Code::UpgradeRequired, message);
    if !has(header::UPGRADE, "websocket") || !has(header::CONNECTION, "upgrade") {
        return Err(no("this path serves WebSocket only; request an upgrade over HTTP/1.1"));
    }
    if !has(header::SEC_WEBSOCKET_VERSION, "13") {
        return Err(no("the WebSocket version must be 13"));
    }
    headers
        .get(header::SEC_WEBSOCKET_KEY)
        .ok_or_else(|| Problem::new(Code::BadFrame, "Sec-WebSocket-Key is missing; add the header"))
}

fn error_response(status: StatusCode, problem: Problem) -> Response {
    let mut response = problem.into_response();
    *response.status_mut() = status;
    response
}

/// Returns the TCP socket of an upgraded connection, and the bytes that the HTTP server read past the handshake.
async fn socket(upgrade: OnUpgrade) -> Option<(TcpStream, Bytes)> {
    let (tcp, read) = match downcast::<TokioIo<StallTimeout>>(upgrade.await.ok()?) {
        Ok(parts) => (parts.io.into_inner().into_tcp(), parts.read_buf),
        Err(upgraded) => {
            let parts = downcast::<TokioIo<TcpStream>>(upgraded)
                .inspect_err(|_| tracing::error!("the connection is not a TCP socket"))
                .ok()?;
            (parts.io.into_inner(), parts.read_buf)
        }
    };
    // Frames are gathered before a write, so Nagle's algorithm would only add delay.
    let _ = tcp.set_nodelay(true);
    tracing::debug!("socket opened");
    // Copied, because the slice would keep hyper's whole read buffer alive.
    Some((tcp, Bytes::copy_from_slice(&read)))
}
