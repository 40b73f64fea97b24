//! Roundtable: one run, many hands.

pub mod agent;
pub mod cli;
pub mod clock;
pub mod config;
pub mod demo_model;
pub mod doors;
pub mod feed;
pub mod http;
pub mod identity;
pub mod kernel;
pub mod node;
pub mod orchestrator;
pub mod protocol;
pub mod socket;
pub mod store;
mod sweep;
pub mod telemetry;

/// Run a server on this listener until `shutdown` is done, then stop it in order.
pub async fn run(
    config: config::Config,
    listener: tokio::net::TcpListener,
    shutdown: impl Future<Output = ()>,
) -> anyhow::Result<()> {
    let node = node::Node::start(config, listener.local_addr()?).await?;
    let stopping = node.stopping.clone();
    let serving = http::serve(node, listener);
    tokio::pin!(serving);
    tokio::select! {
        ended = &mut serving => return ended,
        () = shutdown => stopping.cancel(),
    }
    serving.await
}
