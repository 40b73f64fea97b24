//! `roundtable mcp`: authorizes MCP servers, with or without a running server.

use std::io::{BufRead, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use anyhow::Context;
use axum::{Router, extract::OriginalUri, routing::get};
use clap::Subcommand;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::audit::{AuditAction, NewAuditEntry};
use crate::config::Config;
use crate::store;
use crate::tool::mcp::{McpAuthorization, McpServerSettings};

#[derive(Debug, Subcommand)]
pub(super) enum McpCommand {
    /// Authorize a server: print a link to open, and wait for consent.
    Authorize {
        /// Name of the server in the configuration.
        name: String,
    },
    /// Delete the stored credentials of a server.
    Forget {
        /// Name of the server in the configuration.
        name: String,
    },
}

pub(super) async fn mcp(config: Config, verb: McpCommand) -> anyhow::Result<()> {
    let (McpCommand::Authorize { name } | McpCommand::Forget { name }) = &verb;
    let server = config.tools.mcp.get(name);
    let server =
        server.with_context(|| format!("there is no MCP server {name}; see [tools.mcp] in the configuration"))?;
    if matches!(verb, McpCommand::Authorize { .. }) {
        check_user(&config.data_dir)?;
    }
    // Open the database first: an action that cannot be recorded in the audit log must not happen.
    let engines = store::open(&config.database(), &config.store).await?;
    let act = match &verb {
        McpCommand::Authorize { .. } => {
            authorize(&config, name, server).await?;
            "authorize"
        }
        McpCommand::Forget { .. } => {
            McpAuthorization::forget(name, server, &config.mcp_folder())?;
            "forget"
        }
    };
    let entry = NewAuditEntry::new(AuditAction::McpAuthorization).by_terminal().subject(name).detail("act", act);
    Ok(engines.audit.add_audit_entries(&[entry]).await?)
}

/// Checks that the server can read the credentials that this process stores. Fails if root stores them in the folder of
/// another user, because only the user who stores credentials can read them.
fn check_user(data_dir: &Path) -> anyhow::Result<()> {
    let owner = std::fs::metadata(data_dir).map_or(0, |known| known.uid());
    anyhow::ensure!(
        owner == 0 || !rustix::process::geteuid().is_root(),
        "{} belongs to the user with the id {owner}, who could not read the credentials that root stores; run the command \
         as the server's user: sudo -u '#{owner}' roundtable mcp authorize …",
        data_dir.display()
    );
    Ok(())
}

async fn authorize(config: &Config, name: &str, server: &McpServerSettings) -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let home = format!("http://{}", listener.local_addr()?);
    let (folder, redirect) = (config.mcp_folder(), format!("{home}/callback"));
    let environment = |variable: &str| std::env::var(variable).ok();
    let started = McpAuthorization::begin(name, server, &folder, environment, &redirect).await;
    let started = started.map_err(|why| anyhow::anyhow!("{name} cannot be authorized: {why}"))?;
    note("open this link and give consent; if the browser then shows no page, paste its URL here:");
    super::print_text(&format!("{}\n", started.url()))?;
    let (tell, mut answers) = mpsc::channel(1);
    listen(listener, home, tell.clone());
    read_lines(tell);
    // Any program on this machine can request the callback URL, so wait until a valid response arrives.
    while let Some(answer) = answers.recv().await {
        match started.finish(&answer).await {
            Ok(()) => {
                let seconds = server.max_restart_ms.div_ceil(1000);
                note(&format!("{name} is authorized; a running server uses the token within {seconds} s"));
                return Ok(());
            }
            Err(why) => note(&format!("not authorized: {why}; try again")),
        }
    }
    anyhow::bail!("no response arrived; run the command again")
}

/// Sends the URLs to which the authorization server redirects browsers on this machine.
fn listen(listener: TcpListener, home: String, tell: mpsc::Sender<String>) {
    let answered = async move |OriginalUri(uri): OriginalUri| {
        let _ = tell.send(format!("{home}{uri}")).await;
        "Roundtable received the response. You can close this page."
    };
    let page = Router::new().route("/callback", get(answered));
    tokio::spawn(async move { axum::serve(listener, page).await });
}

/// Sends the URLs that a person pastes, for browsers on other machines.
fn read_lines(tell: mpsc::Sender<String>) {
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if !line.trim().is_empty() && tell.blocking_send(line).is_err() {
                return;
            }
        }
    });
}

fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
