//! `roundtable serve`: runs the server until a signal stops it.

use anyhow::Context;
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use tokio::net::{TcpListener, TcpSocket};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::database_lock::DatabaseLock;
use crate::audit::{AuditAction, NewAuditEntry};
use crate::config::Config;
use crate::http::monitoring::MonitoringServer;
use crate::identity::operator_code;
use crate::node::Node;
use crate::tool::mcp;
use crate::{agent, doors, http, store, telemetry};

/// Libraries whose log lines can contain the content of messages.
const SILENT_LIBRARIES: [&str; 2] = [agent::LOG_TARGET, mcp::LOG_TARGET];

pub(super) async fn serve(config: Config) -> anyhow::Result<()> {
    telemetry::init(&config.log, &[store::LOG_DIRECTIVE], &SILENT_LIBRARIES).map_err(anyhow::Error::msg)?;
    // Otherwise, programs of the same user could read this process's memory and environment, which contain tokens and
    // keys.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).context("cannot protect the memory of the process")?;
    let endpoint = config.log.otlp_endpoint.as_deref();
    let exporter = endpoint.map(|url| telemetry::Exporter::start(url, &config.node_name())).transpose()?;
    let listener = listen(&config.listen).await.with_context(|| {
        format!("cannot listen on {}; stop the other server, or use --listen 127.0.0.1:0", config.listen)
    })?;
    let address = listener.local_addr()?;
    let _place = DatabaseLock::take(&config, address)?;
    let node = Node::start(config, address).await?;
    stop_on_signal(node.stopping.clone())?;
    let monitoring = MonitoringServer::start(&node).await?;
    super::print_text(&print_greeting(&node, &format!("http://{address}")).await?)?;
    if let Some(MonitoringServer { address, .. }) = &monitoring {
        super::print_text(&format!("Metrics are at http://{address}/metrics\n"))?;
    }
    let served = http::serve(node, doors::routes(), listener).await;
    if let Some(exporter) = exporter {
        exporter.finish().await;
    }
    served
}

/// Maximum number of connections that wait to be accepted. Thousands of clients can reconnect at the same moment, and a
/// connection that does not fit is retried only seconds later. The system can allow fewer (`net.core.somaxconn`).
const BACKLOG: u32 = 8192;

async fn listen(address: &str) -> std::io::Result<TcpListener> {
    let mut refused = std::io::Error::other("the name has no address");
    for address in tokio::net::lookup_host(address).await? {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.set_reuseaddr(true)?;
        match socket.bind(address).and_then(|()| socket.listen(BACKLOG)) {
            Ok(listener) => return Ok(listener),
            Err(error) => refused = error,
        }
    }
    Err(refused)
}

async fn print_greeting(node: &Node, address: &str) -> anyhow::Result<String> {
    let sign_in = if node.identities.has_administrator().await? {
        // No link here: a secret at each start would end up in the journals of service managers. Print the program's
        // path as it was called, because after `make run` it is not in PATH.
        let program = std::env::args().next().unwrap_or_else(|| "roundtable".to_owned());
        format!("To sign an administrator in, run `{program} sign-in` with the same settings; it prints a link.")
    } else {
        let minutes = node.config.identity.sign_in_minutes;
        let code = operator_code(&*node.identities, minutes).await?;
        node.audit.record(NewAuditEntry::new(AuditAction::SignInLinkCreated).by_terminal().subject(code.hash().id()));
        format!("Sign in, once, within {minutes} minutes: {}", node.hosts.sign_in_link(&code))
    };
    let model = if node.model.scripted {
        "Answers come from the demo model, which is scripted. For a real model set OPENAI_API_KEY or\n\
         ANTHROPIC_API_KEY, start Ollama, or configure a provider in roundtable.toml."
            .to_owned()
    } else {
        format!("Answers come from {}.", node.model.name)
    };
    Ok(format!("Roundtable listens on {address}\n{sign_in}\n{model}\n"))
}

/// Starts a task that handles signals: the first one starts a graceful shutdown, a second one ends the process
/// immediately.
pub(super) fn stop_on_signal(stop: CancellationToken) -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::spawn(async move {
        let mut one = async || tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} };
        one().await;
        tracing::info!("stopping; a second signal stops immediately");
        stop.cancel();
        one().await;
        std::process::exit(130);
    });
    Ok(())
}
