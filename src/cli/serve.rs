//! `roundtable serve`.

use anyhow::Context;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::node::Node;
use crate::{http, telemetry};

pub(super) async fn serve(config: Config) -> anyhow::Result<()> {
    telemetry::init(&config.log);
    let listener = TcpListener::bind(&config.listen).await.with_context(|| {
        format!("cannot listen on {}; is another server there? Choose another with --listen 127.0.0.1:0", config.listen)
    })?;
    let stop = CancellationToken::new();
    stop_on_signal(stop.clone())?;
    let node = Node::start(config, listener.local_addr()?).await?;
    super::say(&format!("Roundtable listens on http://{}\n", listener.local_addr()?))?;
    http::serve(node, listener, stop).await
}

/// The first signal asks for an orderly stop; a second one ends the process at once.
fn stop_on_signal(stop: CancellationToken) -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::spawn(async move {
        let mut one = async || tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} };
        one().await;
        tracing::info!("stopping; a second signal stops at once");
        stop.cancel();
        one().await;
        std::process::exit(130);
    });
    Ok(())
}
