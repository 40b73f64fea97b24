//! A session's state from the store: the snapshot that was kept last, and the events after it.

use crate::kernel::{SessionId, Snapshot, State, evolve};
use crate::protocol::ServerFrame;
use crate::store::{EventStore, Recorded, StoreError, Stored};

/// Events read at once.
const PAGE: u32 = 1_000;

/// The state that the log gives; of a session that does not exist, the state before its first event.
pub async fn restore(store: &dyn EventStore, session: SessionId) -> Result<State, StoreError> {
    let kept = store.snapshot(session).await?;
    // One that cannot be read, as after an upgrade, costs time and nothing else: the log has everything.
    let kept = kept.and_then(|(_, bytes)| serde_json::from_slice::<Snapshot>(&bytes).ok()?.restore());
    let mut state = kept.unwrap_or_else(|| State::new(session));
    for recorded in tail(store, session, state.seq()).await? {
        evolve(&mut state, &recorded.event);
    }
    Ok(state)
}

/// Everything after `seq`.
pub(super) async fn tail(store: &dyn EventStore, session: SessionId, seq: u64) -> Result<Vec<Recorded>, StoreError> {
    let mut tail: Vec<Recorded> = vec![];
    loop {
        let after = tail.last().map_or(seq, |last| last.event.seq);
        let page = store.read(session, after, PAGE).await?;
        if page.is_empty() {
            return Ok(tail);
        }
        for stored in page {
            tail.push(parse(stored)?);
        }
    }
}

fn parse(Stored { seq, frame }: Stored) -> Result<Recorded, StoreError> {
    match serde_json::from_slice(&frame) {
        Ok(ServerFrame::Event { event, .. }) if event.seq == seq => Ok(Recorded { event, frame }),
        _ => {
            Err(StoreError(format!("event {seq} of the log cannot be read; was it written by a newer version?").into()))
        }
    }
}
