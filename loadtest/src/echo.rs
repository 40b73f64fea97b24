//! The server's socket layer as a plain echo.

use std::sync::Arc;

use axum::routing::any;
use roundtable::socket::{self, SocketSettings};

/// Maximum number of bytes in a message from a conformance suite.
const FRAME: usize = 64 << 20;

/// Serves until the process is stopped.
pub async fn serve(listen: &str) -> anyhow::Result<()> {
    let bounds = SocketSettings { max_frame_bytes: FRAME, read_buffer_bytes: 64 << 10, ..SocketSettings::default() };
    let app = axum::Router::new().fallback(any(socket::echo)).with_state(Arc::new(bounds));
    let listener = tokio::net::TcpListener::bind(listen).await?;
    crate::server::print_line(&format!("echo on ws://{}", listener.local_addr()?))?;
    Ok(axum::serve(listener, app).await?)
}
