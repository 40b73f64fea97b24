//! Admission of the appends in a batch, decided in memory before any of them is written. Every store uses it, including
//! the simulated store in the tests.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{Append, AppendError, CommandReceipt};
use crate::kernel::{CommandId, SessionId};
use crate::store_error::StoreError;

/// The database's data about the sessions in a batch, read while those sessions are locked.
#[derive(Debug, Default)]
pub struct AdmissionState {
    /// Fence and head of each session that has a writer with a live lease.
    pub sessions: HashMap<SessionId, (u64, u64)>,
    /// Seq at which a participant's command was applied.
    pub receipts: HashMap<(SessionId, Arc<str>, CommandId), u64>,
}

impl AdmissionState {
    /// Decides whether to admit the next append of the batch, given the earlier ones that were admitted.
    ///
    /// # Errors
    /// Fails with the reason why the append is rejected.
    pub fn admit(&mut self, append: &Append) -> Result<(), AppendError> {
        let last = admit(append)?;
        // The session does not exist and no node has claimed it, or the lease of its writer has expired. A fence above
        // the latest claim's is from before the session was removed.
        let (fence, head) = self.sessions.get_mut(&append.session).ok_or(AppendError::Fenced)?;
        if *fence != append.fence.0 {
            return Err(AppendError::Fenced);
        }
        let key = |receipt: &CommandReceipt| (append.session, receipt.actor.clone(), receipt.command.clone());
        // Checked before the conflict: a writer that retries because the reply was lost does not know the new head.
        if let Some(&seq) = append.receipts.iter().find_map(|receipt| self.receipts.get(&key(receipt))) {
            return Err(AppendError::Repeated { seq });
        }
        if *head != append.expected {
            return Err(AppendError::Conflict { actual: *head });
        }
        *head = last;
        self.receipts.extend(append.receipts.iter().map(|receipt| (key(receipt), receipt.seq)));
        Ok(())
    }
}

/// Checks that the append is well-formed, and returns the seq of its last event.
fn admit(append: &Append) -> Result<u64, StoreError> {
    let no = |message: &str| StoreError::misuse(message);
    let mut last = append.expected;
    for recorded in append.events.iter() {
        if recorded.event.seq != last + 1 {
            return Err(no("the events of an append must follow its expected seq without a gap"));
        }
        last += 1;
        if recorded.frame.is_empty() {
            return Err(no("a frame must not be empty"));
        }
        if std::str::from_utf8(&recorded.frame).is_err() {
            return Err(no("a frame must be UTF-8 text"));
        }
    }
    if last == append.expected && append.receipts.is_empty() {
        return Err(no("an append must have at least one event or a receipt"));
    }
    if append.receipts.iter().any(|receipt| !(append.expected..=last).contains(&receipt.seq)) {
        return Err(no("a receipt must name an event of its append, or the one before them"));
    }
    let commands: HashSet<_> = append.receipts.iter().map(|receipt| (&receipt.actor, &receipt.command)).collect();
    if commands.len() < append.receipts.len() {
        return Err(no("an append must have one receipt for each command"));
    }
    Ok(last)
}
