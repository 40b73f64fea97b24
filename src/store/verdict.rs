//! Which appends of a batch may happen: decided in memory, before any of them is written. Every store decides by it, the
//! simulated one of the tests too.

use std::{collections::HashMap, sync::Arc};

use super::{Append, AppendError, StoreError};
use crate::kernel::{CommandId, SessionId};

/// What the database knows of the sessions of a batch, under a lock on them.
#[derive(Debug, Default)]
pub struct Known {
    /// Fence and head of each session that has a writer whose lease has not lapsed.
    pub sessions: HashMap<SessionId, (u64, u64)>,
    /// The seq at which a participant's command counted.
    pub receipts: HashMap<(SessionId, Arc<str>, CommandId), u64>,
}

impl Known {
    /// Judge the next append of the batch, as if those before it that may happen had happened.
    ///
    /// # Errors
    /// Why it may not.
    pub fn judge(&mut self, append: &Append) -> Result<(), AppendError> {
        let last = check(append)?;
        // Nobody has claimed a session that is not there, or its writer's lease is over. A fence above the latest claim's
        // is one from before the session was removed.
        let (fence, head) = self.sessions.get_mut(&append.session).ok_or(AppendError::Fenced)?;
        if *fence != append.fence.0 {
            return Err(AppendError::Fenced);
        }
        let receipt = append.receipt.as_ref().map(|(actor, command)| (append.session, actor.clone(), command.clone()));
        // Before the conflict: who asks again because the answer was lost does not know the new head.
        if let Some(&seq) = receipt.as_ref().and_then(|receipt| self.receipts.get(receipt)) {
            return Err(AppendError::Repeated { seq });
        }
        if *head != append.expected {
            return Err(AppendError::Conflict { actual: *head });
        }
        *head = last;
        self.receipts.extend(receipt.map(|receipt| (receipt, last)));
        Ok(())
    }
}

/// The seq of the last event, if the append is one that a log can take.
fn check(append: &Append) -> Result<u64, StoreError> {
    let no = |words: &str| StoreError(words.into());
    let mut last = append.expected;
    for recorded in append.events.iter() {
        if recorded.event.seq != last + 1 {
            return Err(no("the events of an append follow its expected seq without a gap"));
        }
        last += 1;
        if std::str::from_utf8(&recorded.frame).is_err() {
            return Err(no("a frame is UTF-8 text"));
        }
    }
    if last == append.expected && append.receipt.is_none() {
        return Err(no("an append has at least one event, or a receipt"));
    }
    Ok(last)
}
