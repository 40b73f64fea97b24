//! Supervision of one server: connects, keeps the list of tools current, and reconnects with backoff each time the
//! connection ends.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::connect::McpServerTransport;
use super::connection::McpConnection;
use super::elicitation::Elicitor;
use super::error::UNAUTHORIZED;
use super::handshake::Handshake;
use super::server::McpServerHandle;
use crate::backoff;

/// Supervises the server until `stopping` is cancelled.
pub(super) async fn supervise(
    server: Arc<McpServerHandle>,
    transport: McpServerTransport,
    stopping: CancellationToken,
) {
    let (name, settings) = (Arc::clone(&server.switch.server), &server.settings);
    let asker = Arc::new(Elicitor { server: Arc::clone(&name) });
    let (mut failures, mut handshake) = (0, Handshake::Newest);
    loop {
        let opening = timeout(settings.start(), McpConnection::open(&server, &transport, &asker, handshake));
        let Some(opened) = stopping.run_until_cancelled(opening).await else { return };
        let why = match opened.unwrap_or_else(|_| Err("its start timed out".into())) {
            Ok((mut connection, listed)) => {
                let began = Instant::now();
                info!(server = &*name, tools = listed.len(), "MCP server connected");
                server.ready(connection.client(), listed);
                let ended = stopping.run_until_cancelled(connection.hold(&server)).await;
                server.away(ended.as_deref().unwrap_or("the server is stopping"));
                connection.end().await;
                let Some(ended) = ended else { return };
                if began.elapsed() >= Duration::from_millis(settings.max_restart_ms) {
                    failures = 0;
                }
                ended
            }
            Err(why) => {
                // A server that asks for authorization must have understood the handshake.
                if why != UNAUTHORIZED {
                    handshake = handshake.other();
                }
                server.away(&why);
                why
            }
        };
        failures += 1;
        // Retry immediately the first time, because a server that was replaced is available again, and a server that
        // did not understand the handshake is offered the other one.
        let pause = if failures == 1 {
            0
        } else {
            backoff::delay_ms(failures - 1, settings.restart_ms, settings.max_restart_ms)
        };
        warn!(server = &*name, why, again_in_ms = pause, "MCP server unavailable");
        if stopping.run_until_cancelled(sleep(Duration::from_millis(pause))).await.is_none() {
            return;
        }
    }
}
