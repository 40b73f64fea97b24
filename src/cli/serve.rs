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
    let address = listener.local_addr()?;
    let node = Node::start(config, address).await?;
    stop_on_signal(node.stopping.clone())?;
    super::say(&greeting(&node, &format!("http://{address}")).await?)?;
    http::serve(node, listener).await
}

async fn greeting(node: &Node, address: &str) -> anyhow::Result<String> {
    let link = node.sign_in_link().await?;
    let minutes = node.config.identity.sign_in_minutes;
    let model = if node.model.scripted {
        "Answers come from the demo model: they are scripted, no model thinks. For a real one set OPENAI_API_KEY,\n\
         start Ollama, or name a provider in roundtable.toml."
            .to_owned()
    } else {
        format!("Answers come from {}.", node.model.name)
    };
    Ok(format!("Roundtable listens on {address}\nSign in, once, within {minutes} minutes: {link}\n{model}\n"))
}

/// The first signal asks for an orderly stop; a second one ends the process at once.
pub(super) fn stop_on_signal(stop: CancellationToken) -> anyhow::Result<()> {
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
