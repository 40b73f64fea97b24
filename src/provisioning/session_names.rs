//! Checks a new name of a person against the names in the person's sessions.

use crate::kernel::ParticipantId;
use crate::store::{EventStore, SessionQuery, restore};
use crate::store_error::StoreError;

/// Maximum number of sessions of one person that are checked: the most recently changed ones, as when people rename
/// themselves.
const MAX_SESSIONS: u32 = 100;

/// Returns whether people could confuse the name with another name in an open session of the participant.
pub(super) async fn is_lookalike(events: &dyn EventStore, id: ParticipantId, name: &str) -> Result<bool, StoreError> {
    let query = SessionQuery { asker: id, everybody: false, search: None, before: None, limit: MAX_SESSIONS };
    for listed in events.list(query).await? {
        let state = restore(events, listed.session, None).await?;
        let view = state.view();
        if !view.closed && view.member(id).is_some() && view.is_lookalike(Some(id), name) {
            return Ok(true);
        }
    }
    Ok(false)
}
