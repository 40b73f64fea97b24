//! `roundtable sign-in`: prints another link for the person at the server's terminal. A server can run at the same
//! time.

use std::io::Write;
use std::net::SocketAddr;

use anyhow::{Context, bail};

use super::database_lock::DatabaseLock;
use crate::audit::{AuditAction, NewAuditEntry};
use crate::config::Config;
use crate::identity::{operator, operator_code};
use crate::network::AllowedHosts;
use crate::store::{self, Stores};

/// Prints a sign-in link. If `is_address_given` is true, the address of the server comes from the settings, otherwise
/// from the running server, if there is one.
pub(super) async fn sign_in(config: Config, is_address_given: bool) -> anyhow::Result<()> {
    let Stores { identities, audit, .. } = store::open_existing(&config.database(), &config.store).await?;
    let address = match DatabaseLock::find(&config).filter(|_| !is_address_given) {
        Some(running) => running,
        None => configured_address(&config).await?,
    };
    let you = operator(&*identities).await?;
    if identities.is_disabled(you.id).await? {
        bail!("your participant {} is disabled; run `roundtable participant enable {}` first", you.name, you.id);
    }
    let code = operator_code(&*identities, config.identity.sign_in_minutes).await?;
    let entry = NewAuditEntry::new(AuditAction::SignInLinkCreated).by_terminal().subject(code.hash().id());
    audit.add_audit_entries(&[entry]).await?;
    super::print_text(&format!(
        "{}\n",
        AllowedHosts::new(config.public_url.as_deref(), &config.allowed_hosts, address).sign_in_link(&code)
    ))
}

/// Returns the address of the server according to the settings.
async fn configured_address(config: &Config) -> anyhow::Result<SocketAddr> {
    let listen = &config.listen;
    let looked_up = tokio::net::lookup_host(listen).await.with_context(|| format!("cannot look up {listen}"))?;
    let address = looked_up.into_iter().next().with_context(|| format!("{listen} has no address"))?;
    if config.public_url.is_none() && address.port() == 0 {
        bail!("the server's port is not known here; pass its address with --listen, or set public_url");
    }
    if config.public_url.is_none() {
        let _ = writeln!(
            std::io::stderr(),
            "found no running server; the link is for one that listens on {address}, according to the settings. If yours \
             has another address, pass it with --listen or --public-url"
        );
    }
    Ok(address)
}
