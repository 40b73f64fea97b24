//! `roundtable demo-model`: serves the scripted model on its own port, for clients of OpenAI-compatible servers.

use anyhow::Context;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::demo_model::{DemoModel, DemoSettings};

/// Default address.
const LISTEN: &str = "127.0.0.1:8090";

pub(super) async fn demo_model(listen: Option<String>, settings: DemoSettings) -> anyhow::Result<()> {
    let listen = listen.as_deref().unwrap_or(LISTEN);
    let listener = TcpListener::bind(listen).await.with_context(|| format!("cannot listen on {listen}"))?;
    let stop = CancellationToken::new();
    super::serve::stop_on_signal(stop.clone())?;
    let demo = DemoModel::spawn(listener, settings)?;
    super::print_text(&format!("The demo model listens on {}; its responses are scripted.\n", demo.base_url()))?;
    demo.wait(&stop).await;
    Ok(())
}
