//! The state that a feed keeps for its viewers, read from the store when it is first needed.

use super::Feed;
use super::fold::Fold;
use crate::kernel::{Right, Role, Settings};
use crate::store;
use crate::store_error::StoreError;

impl Feed {
    /// Returns the rights of a role under the session's current settings: those that it has, and those that it must
    /// request.
    ///
    /// # Errors
    /// Fails if the state cannot be read from the store, or the log advanced without this node.
    pub async fn rights_of(&self, role: Role) -> Result<(Vec<Right>, Vec<Right>), StoreError> {
        // Lock the snapshot, because only one caller at a time can restore.
        let _restoring = self.snapshot.lock().await;
        self.restore().await?;
        let of_role = |settings: &Settings| (settings.rights_of(role), settings.rights_to_ask_for(role));
        let rights = self.core.read().fold.settings().map(of_role);
        rights.ok_or_else(|| StoreError::Conflict("the log advanced without this node".into()))
    }

    /// Reads the state from the store if no viewer has needed it yet. The caller holds the lock of the snapshot.
    pub(super) async fn restore(&self) -> Result<(), StoreError> {
        let head = {
            let mut core = self.core.write();
            if matches!(core.fold, Fold::Current(_)) {
                return Ok(());
            }
            core.fold = Fold::Restoring(Vec::new());
            core.ring.seq()
        };
        let unfinished = RestoreGuard(self);
        let state = store::restore(&*self.store, self.session, Some(head)).await?;
        self.core.write().fold.install(state);
        drop(unfinished);
        Ok(())
    }
}

/// Guard of a restore. If it is dropped before the restore completes, it resets the fold; otherwise, events would
/// accumulate for the cancelled restore.
struct RestoreGuard<'a>(&'a Feed);

impl Drop for RestoreGuard<'_> {
    fn drop(&mut self) {
        let mut core = self.0.core.write();
        if matches!(core.fold, Fold::Restoring(_)) {
            core.fold = Fold::Absent;
        }
    }
}
