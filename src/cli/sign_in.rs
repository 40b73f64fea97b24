//! `roundtable sign-in`: another link for the person at the server's terminal; works beside a running server.

use std::io::Write;
use std::net::SocketAddr;

use anyhow::{Context, bail};

use super::place::Place;
use crate::audit::{AuditAction, NewAuditEntry};
use crate::config::Config;
use crate::http::Hosts;
use crate::identity::{operator, operator_code};
use crate::store::{self, Engines};

/// With `told`, the person has said where the server listens.
pub(super) async fn sign_in(config: Config, told: bool) -> anyhow::Result<()> {
    let Engines { identities, audit, .. } = store::open_existing(&config.database(), &config.store).await?;
    let address = match Place::find(&config).filter(|_| !told) {
        Some(running) => running,
        None => configured(&config).await?,
    };
    let you = operator(&*identities).await?;
    if identities.is_disabled(you.id).await? {
        bail!(
            "you were disabled as {}: no link would let you in; `roundtable participant enable {}` first",
            you.name,
            you.id
        );
    }
    let code = operator_code(&*identities, config.identity.sign_in_minutes).await?;
    let entry = NewAuditEntry::new(AuditAction::SignInLinkCreated).by_terminal().subject(code.hash().id());
    audit.add_audit_entries(&[entry]).await?;
    super::say(&format!("{}\n", Hosts::new(&config, address).sign_in_link(&code)))
}

/// Where the settings say that it listens.
async fn configured(config: &Config) -> anyhow::Result<SocketAddr> {
    let listen = &config.listen;
    let looked_up = tokio::net::lookup_host(listen).await.with_context(|| format!("cannot look {listen} up"))?;
    let address = looked_up.into_iter().next().with_context(|| format!("{listen} stands for no address"))?;
    if config.public_url.is_none() && address.port() == 0 {
        bail!("the server's port is not known here; say with --listen where it listens, or set public_url");
    }
    if config.public_url.is_none() {
        let _ = writeln!(
            std::io::stderr(),
            "no running server was found from here; the link is for one that listens on {address}, as the settings say. \
             Where yours does not, say it with --listen or --public-url"
        );
    }
    Ok(address)
}
