//! Guest doors: access to doors without a credential.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use axum::http::HeaderMap;

use crate::config::Config;
use crate::network::AllowedHosts;

/// State of the guest doors. Without the `guest_doors` setting, they are open only with the scripted demo model, and
/// only while no one but the users of this machine can call them: not with a `public_url`, and not after a proxy has
/// forwarded a request.
#[derive(Debug)]
pub struct GuestDoors {
    open: AtomicBool,
    /// True if the setting decides, so that proxies have no effect.
    fixed: bool,
}

impl GuestDoors {
    /// Creates the state for a server with these host names. `scripted` is true if the demo model responds.
    pub fn new(config: &Config, hosts: &AllowedHosts, scripted: bool) -> Self {
        let is_local = config.public_url.is_none() && hosts.is_loopback() && scripted;
        let open = AtomicBool::new(config.guest_doors.unwrap_or(is_local));
        Self { open, fixed: config.guest_doors.is_some() }
    }

    /// Returns whether the doors accept callers without a credential now.
    pub fn are_open(&self) -> bool {
        self.open.load(Relaxed)
    }

    /// Closes the doors if the request was forwarded, because anyone might be able to call through a proxy. Has no
    /// effect if the `guest_doors` setting decides.
    pub fn note(&self, headers: &HeaderMap) {
        if !self.fixed && is_forwarded(headers) && self.open.swap(false, Relaxed) {
            tracing::warn!(
                "a proxy forwarded a request: doors now reject callers without a credential; \
                 set guest_doors = true to accept them"
            );
        }
    }
}

fn is_forwarded(headers: &HeaderMap) -> bool {
    let forwards = |name: &str| matches!(name, "forwarded" | "via" | "x-real-ip") || name.starts_with("x-forwarded-");
    headers.keys().any(|name| forwards(name.as_str()))
}
