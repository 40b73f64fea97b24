//! Last uses of credentials. They are collected in memory and written once a minute, so that no request waits for a
//! write.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::{CredentialUse, IdentityStore, Revocations, SecretHash};
use crate::store_error::StoreError;

/// Maximum number of credentials with a use that has not been written yet. Uses of further credentials are not
/// recorded.
const MAX_PENDING_USES: usize = 100_000;
/// Interval between two writes.
const WRITE_INTERVAL: Duration = Duration::from_secs(60);
/// Number of writes after which each open connection counts as a use. Otherwise, a page that stays open would be signed
/// out as idle.
const OPEN_WRITE_INTERVALS: u32 = 60;

/// Uses of credentials that are not written yet.
#[derive(Debug, Default)]
pub struct CredentialUses(Mutex<HashMap<SecretHash, Option<IpAddr>>>);

impl CredentialUses {
    /// Records a use of a credential, from this address if it is known.
    pub fn note(&self, hash: SecretHash, address: Option<IpAddr>) {
        let mut noted = self.0.lock();
        if noted.len() < MAX_PENDING_USES || noted.contains_key(&hash) {
            let known = noted.entry(hash).or_default();
            *known = address.or(*known);
        }
    }

    /// Returns the credentials among these ids that were used since the last write, each with the address of its last
    /// use, if it is known.
    pub fn noted(&self, ids: &HashSet<&str>) -> HashMap<String, Option<IpAddr>> {
        let noted = self.0.lock();
        let noted = noted.iter().map(|(hash, address)| (hash.id(), *address));
        noted.filter(|(id, _)| ids.contains(&**id)).collect()
    }

    fn take(&self) -> HashMap<SecretHash, Option<IpAddr>> {
        std::mem::take(&mut *self.0.lock())
    }
}

impl Revocations {
    /// Writes the recorded uses to the store. With `open`, each open connection counts as a use.
    ///
    /// # Errors
    /// Fails if the store does not respond. The uses are then lost.
    pub async fn write_uses(&self, store: &dyn IdentityStore, open: bool) -> Result<(), StoreError> {
        let mut noted = self.uses.take();
        if open {
            for hash in self.open() {
                noted.entry(hash).or_default();
            }
        }
        let mut uses: Vec<_> = noted.into_iter().map(|(hash, address)| CredentialUse { hash, address }).collect();
        // Every node writes in the same order, so that two concurrent writes cannot deadlock.
        uses.sort_unstable_by_key(|one| one.hash.0);
        if uses.is_empty() { Ok(()) } else { store.record_uses(&uses).await }
    }

    /// Writes uses once a minute until the server stops.
    pub async fn keep_writing_uses(self: Arc<Self>, store: Arc<dyn IdentityStore>) {
        let writes = async {
            for count in 1_u32.. {
                tokio::time::sleep(WRITE_INTERVAL).await;
                if let Err(error) = self.write_uses(&*store, count.is_multiple_of(OPEN_WRITE_INTERVALS)).await {
                    tracing::warn!(%error, "last uses of credentials not saved");
                }
            }
        };
        self.stopping().run_until_cancelled(writes).await;
    }
}
