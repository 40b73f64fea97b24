//! Revocation: ends connections when the credential that opened them ends, regardless of which node revoked it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::{CredentialUses, IdentityStore, SecretHash};
use crate::kernel::Timestamp;
use crate::telemetry::LogThrottle;

/// Overlap of two consecutive checks, in milliseconds. It covers revocations that were written before the last check
/// and committed after it, connections that were being set up, and small steps of the database's clock.
const OVERLAP_MS: u64 = 60_000;

/// Open connections of this node, by the credential that opened them. An idle connection costs only its entry, and a
/// revocation wakes only its own connections.
pub struct Revocations {
    held: Mutex<HashMap<SecretHash, RevocationEntry>>,
    stopping: CancellationToken,
    /// Uses that are not written to the store yet.
    pub uses: CredentialUses,
}

struct RevocationEntry {
    over: CancellationToken,
    holders: usize,
}

/// Registration of an open connection. Dropping it ends the registration.
pub struct RevocationGuard {
    /// Registry, and hash of the credential. `None` for a guest, who has no credential.
    entry: Option<(Arc<Revocations>, SecretHash)>,
    over: CancellationToken,
}

impl Revocations {
    /// Creates an empty registry. Cancelling `stopping` ends all connections.
    pub fn new(stopping: CancellationToken) -> Arc<Self> {
        Arc::new(Self { held: Mutex::default(), stopping, uses: CredentialUses::default() })
    }

    /// Registers a connection that this credential opens.
    pub fn hold(self: &Arc<Self>, hash: SecretHash) -> RevocationGuard {
        self.uses.note(hash, None);
        let mut held = self.held.lock();
        let entry =
            held.entry(hash).or_insert_with(|| RevocationEntry { over: self.stopping.child_token(), holders: 0 });
        entry.holders += 1;
        // Each connection has its own token, because reading a shared token takes a lock that all of its holders share.
        RevocationGuard { over: entry.over.child_token(), entry: Some((self.clone(), hash)) }
    }

    /// Registers a connection of a guest, which ends only when the server stops.
    pub fn hold_for_guest(&self) -> RevocationGuard {
        RevocationGuard { over: self.stopping.child_token(), entry: None }
    }

    /// Ends all connections of these credentials.
    pub fn end(&self, credentials: &[SecretHash]) {
        let held = self.held.lock();
        let over: Vec<_> = credentials.iter().filter_map(|hash| Some(held.get(hash)?.over.clone())).collect();
        // A woken connection can be dropped immediately, and dropping it takes the same lock.
        drop(held);
        over.iter().for_each(CancellationToken::cancel);
    }

    /// Returns the credentials with open connections.
    pub(super) fn open(&self) -> Vec<SecretHash> {
        self.held.lock().keys().copied().collect()
    }

    pub(super) fn stopping(&self) -> &CancellationToken {
        &self.stopping
    }

    /// Returns the number of credentials with open connections.
    pub fn len(&self) -> usize {
        self.held.lock().len()
    }

    /// Returns whether no credential has an open connection.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads ended credentials from the store, at the interval `every`, and ends their connections, until the server
    /// stops.
    pub async fn keep_up(self: Arc<Self>, store: Arc<dyn IdentityStore>, every: Duration) {
        let (mut since, mut trouble) = (Timestamp::default(), LogThrottle::default());
        let checks = async {
            loop {
                match store.ended(since).await {
                    Ok(ended) => {
                        self.end(&ended.credentials);
                        if let Some(time) = trouble.over() {
                            let duration_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
                            tracing::info!(duration_ms, "revocation checks work again");
                        }
                        since = Timestamp::from_millis(ended.now.millis().saturating_sub(OVERLAP_MS));
                    }
                    Err(error) if trouble.again() => {
                        tracing::warn!(%error, "cannot check for revoked credentials; open connections stay open");
                    }
                    Err(_) => {}
                }
                tokio::time::sleep(every).await;
            }
        };
        self.stopping.run_until_cancelled(checks).await;
    }
}

impl RevocationGuard {
    /// Returns a token that is cancelled when the credential ends or the server stops.
    pub fn over(&self) -> &CancellationToken {
        &self.over
    }

    /// Returns whether the credential has ended. Returns false while the server is stopping, which also cancels the
    /// token.
    pub fn is_revoked(&self) -> bool {
        match &self.entry {
            Some((registry, _)) => self.over.is_cancelled() && !registry.stopping.is_cancelled(),
            None => false,
        }
    }
}

impl Drop for RevocationGuard {
    fn drop(&mut self) {
        let Some((registry, hash)) = &self.entry else { return };
        let mut held = registry.held.lock();
        if let Some(entry) = held.get_mut(hash) {
            entry.holders -= 1;
            if entry.holders == 0 {
                held.remove(hash);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_takes_its_own_with_it_and_nothing_stays_behind() {
        let stopping = CancellationToken::new();
        let registry = Revocations::new(stopping.clone());
        let (ann, bob) = (SecretHash::of("ann"), SecretHash::of("bob"));
        let (first, second, other) = (registry.hold(ann), registry.hold(ann), registry.hold(bob));
        registry.end(&[ann, SecretHash::of("nobody")]);
        assert!(first.over().is_cancelled() && second.over().is_cancelled() && !other.over().is_cancelled());
        assert!(first.is_revoked() && !other.is_revoked());
        assert_eq!(registry.len(), 2);
        drop((first, second));
        assert_eq!(registry.len(), 1);
        stopping.cancel();
        let guest = registry.hold_for_guest();
        assert!(other.over().is_cancelled() && guest.over().is_cancelled());
        assert!(!other.is_revoked() && !guest.is_revoked(), "the server stops");
        drop(other);
        assert!(registry.is_empty());
    }
}
