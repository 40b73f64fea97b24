//! Guest doors: whether somebody without a credential may come in.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use axum::http::HeaderMap;

use crate::config::Config;
use crate::http::Hosts;
use crate::kernel::Team;
use crate::kernel::call::Permission;
use crate::kernel::rule::CallRule;

/// Whether the doors take callers without a credential. Unless the setting says so, they do only where nobody but the
/// people at this machine can call: not with a `public_url`, and no longer once a proxy has passed a request on.
#[derive(Debug)]
pub struct GuestDoors {
    open: AtomicBool,
    /// The setting says so: proxies change nothing.
    fixed: bool,
}

impl GuestDoors {
    /// The doors of a server under these names, whose answers are `scripted` or a model's.
    pub fn new(config: &Config, hosts: &Hosts, scripted: bool) -> Self {
        let is_local = config.public_url.is_none() && hosts.is_loopback() && scripted;
        let open = AtomicBool::new(config.guest_doors.unwrap_or(is_local));
        Self { open, fixed: config.guest_doors.is_some() }
    }

    /// Whether they are open now.
    pub fn are_open(&self) -> bool {
        self.open.load(Relaxed)
    }

    /// Close the doors where a request was forwarded: whoever calls through a proxy can be anybody.
    pub fn note(&self, headers: &HeaderMap) {
        if !self.fixed && is_forwarded(headers) && self.open.swap(false, Relaxed) {
            tracing::warn!(
                "a request came through a proxy: callers without a credential are refused from now on; \
                 set guest_doors = true to let them in all the same"
            );
        }
    }
}

fn is_forwarded(headers: &HeaderMap) -> bool {
    let forwards = |name: &str| matches!(name, "forwarded" | "via" | "x-real-ip") || name.starts_with("x-forwarded-");
    headers.keys().any(|name| forwards(name.as_str()))
}

/// Take Python from a team that a guest begins with.
pub(super) fn without_python(team: &mut Team) {
    for agent in &mut team.agents {
        let rule = CallRule { tool: "python".into(), arguments: None, permission: Permission::Deny };
        agent.permissions.insert(0, rule);
    }
}
