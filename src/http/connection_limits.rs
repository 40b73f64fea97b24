//! Limits on the number of connections, in total and from one address. A `tower` layer sees only requests, which is too
//! late: a connection without a request also uses a file descriptor.

use std::net::IpAddr;
use std::sync::Arc;

use rustix::process::{Resource, getrlimit};

use crate::limits::{ConcurrencyLimit, ConnectionPermit};
use crate::network::{ClientAddress, HttpSettings, TrustedProxies};

/// Maximum number of file descriptors that are reserved for purposes other than client connections: the database, the
/// bus, models, programs, health checks.
const MAX_RESERVED_DESCRIPTORS: u64 = 1024;

/// Limits on the connections to the public port.
#[derive(Debug, Clone)]
pub(super) struct ConnectionLimits {
    places: Arc<ConcurrencyLimit<IpAddr>>,
    proxies: Arc<TrustedProxies>,
}

impl ConnectionLimits {
    /// Creates the limits from the settings and the process's limit of open files.
    pub(super) fn new(settings: &HttpSettings, proxies: Arc<TrustedProxies>) -> Self {
        let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let (max, per_address) = permit_limits(settings, files);
        if max < settings.max_connections {
            tracing::warn!(
                max,
                files,
                "the limit of open files allows fewer connections than http.max_connections; raise it (LimitNOFILE)"
            );
        }
        Self { places: ConcurrencyLimit::new(max, per_address), proxies }
    }

    /// Takes a slot for a connection from this peer. Returns `None` if there is no slot left. A trusted proxy forwards
    /// many clients, so the limit per address does not apply to it.
    pub(super) fn admit(&self, peer: IpAddr) -> Option<ConnectionPermit> {
        if self.proxies.trusts(peer) {
            return self.places.take_without_key().map(Arc::new);
        }
        self.places.take(ClientAddress(peer.to_canonical()).network()).map(Arc::new)
    }
}

/// Returns the maximum number of connections in total and from one address, for a process that can open `files` files.
fn permit_limits(settings: &HttpSettings, files: u64) -> (usize, usize) {
    let from_outside = usize::try_from(files - (files / 4).min(MAX_RESERVED_DESCRIPTORS)).unwrap_or(usize::MAX);
    let max = settings.max_connections.min(from_outside);
    let per_address = settings.max_connections_per_address.unwrap_or((max / 4).max(1));
    (max, per_address.min(max))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_of_open_files_leaves_a_reserve() {
        let settings = HttpSettings::default();
        assert_eq!(permit_limits(&settings, 1024), (768, 192));
        assert_eq!(permit_limits(&settings, 65_536), (25_000, 6_250));
        assert_eq!(permit_limits(&settings, u64::MAX), (25_000, 6_250));
        let settings = HttpSettings { max_connections: 100, max_connections_per_address: Some(500), ..settings };
        assert_eq!(permit_limits(&settings, 1024), (100, 100));
    }
}
