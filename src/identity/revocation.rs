//! Ending what was opened with a credential when the credential ends, wherever and by whomever it was revoked.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::{CredentialUses, IdentityStore, SecretHash};
use crate::kernel::Timestamp;
use crate::telemetry::Trouble;

/// How far back each look goes beyond the last one. It covers what was written before that one and committed after it,
/// connections that were on their way in, and small steps of the database's clock.
const OVERLAP: u64 = 60_000;

/// What this node keeps open, by the credential that it was opened with. An idle connection costs nothing but its entry,
/// and a revocation wakes nobody but its own.
pub struct Revocations {
    held: Mutex<HashMap<SecretHash, Entry>>,
    stopping: CancellationToken,
    /// Uses that are not written yet.
    pub uses: CredentialUses,
}

struct Entry {
    over: CancellationToken,
    holders: usize,
}

/// Something that is open, while this lives.
pub struct Held {
    /// By which credential, and where that is written down; a guest has none.
    entry: Option<(Arc<Revocations>, SecretHash)>,
    over: CancellationToken,
}

impl Revocations {
    /// Nothing is open yet; with `stopping` everything ends.
    pub fn new(stopping: CancellationToken) -> Arc<Self> {
        Arc::new(Self { held: Mutex::default(), stopping, uses: CredentialUses::default() })
    }

    /// Something is opened with this credential.
    pub fn hold(self: &Arc<Self>, hash: SecretHash) -> Held {
        self.uses.note(hash, None);
        let mut held = self.held.lock();
        let entry = held.entry(hash).or_insert_with(|| Entry { over: self.stopping.child_token(), holders: 0 });
        entry.holders += 1;
        // A token of its own: looking at a shared one takes a lock that all its holders would share.
        Held { over: entry.over.child_token(), entry: Some((self.clone(), hash)) }
    }

    /// Something is opened by a guest: only the server's end is its own.
    pub fn hold_for_guest(&self) -> Held {
        Held { over: self.stopping.child_token(), entry: None }
    }

    /// These credentials are over.
    pub fn end(&self, credentials: &[SecretHash]) {
        let held = self.held.lock();
        let over: Vec<_> = credentials.iter().filter_map(|hash| Some(held.get(hash)?.over.clone())).collect();
        // What wakes may let go at once, which takes the same lock.
        drop(held);
        over.iter().for_each(CancellationToken::cancel);
    }

    /// The credentials with something open.
    pub(super) fn open(&self) -> Vec<SecretHash> {
        self.held.lock().keys().copied().collect()
    }

    pub(super) fn stopping(&self) -> &CancellationToken {
        &self.stopping
    }

    /// Number of credentials with something open.
    pub fn len(&self) -> usize {
        self.held.lock().len()
    }

    /// Whether nothing is open.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Ask the store `every` so often what has ended since, until the server stops.
    pub async fn keep_up(self: Arc<Self>, store: Arc<dyn IdentityStore>, every: Duration) {
        let (mut since, mut trouble) = (Timestamp::default(), Trouble::default());
        let looks = async {
            loop {
                match store.ended(since).await {
                    Ok(ended) => {
                        self.end(&ended.credentials);
                        if let Some(time) = trouble.over() {
                            let millis = time.as_millis();
                            tracing::info!(%millis, "looks again which credentials were revoked");
                        }
                        since = Timestamp::from_millis(ended.now.millis().saturating_sub(OVERLAP));
                    }
                    Err(error) if trouble.again() => {
                        tracing::warn!(%error, "cannot look which credentials were revoked; what is open stays open");
                    }
                    Err(_) => {}
                }
                tokio::time::sleep(every).await;
            }
        };
        self.stopping.run_until_cancelled(looks).await;
    }
}

impl Held {
    /// Cancelled when the credential is over, or the server stops.
    pub fn over(&self) -> &CancellationToken {
        &self.over
    }
}

impl Drop for Held {
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
        assert_eq!(registry.len(), 2);
        drop((first, second));
        assert_eq!(registry.len(), 1);
        stopping.cancel();
        assert!(other.over().is_cancelled());
        drop(other);
        assert!(registry.is_empty());
    }
}
