//! Restoring the state of a session from its log.

use super::{EventStore, RecordedEvent, StoredEvent};
use crate::kernel::{SessionId, Snapshot, State, evolve};
use crate::protocol::ServerFrame;
use crate::store_error::StoreError;

/// Maximum number of events per page.
const PAGE_EVENTS: u32 = 1_000;

/// Returns the state at `through`, or at the end of the log if `through` is `None`. Folds the events after the newest
/// snapshot that is not beyond that point. A session that does not exist has the state before its first event.
pub async fn restore(store: &dyn EventStore, session: SessionId, through: Option<u64>) -> Result<State, StoreError> {
    let kept = store.snapshot(session).await?.filter(|(seq, _)| through.is_none_or(|through| *seq <= through));
    // A snapshot that cannot be read, for example after an upgrade, costs only time: the log has everything.
    let kept = kept.and_then(|(_, bytes)| serde_json::from_slice::<Snapshot>(&bytes).ok()?.restore());
    let mut state = kept.unwrap_or_else(|| State::new(session));
    while through.is_none_or(|through| state.seq() < through) {
        let page = read(store, session, state.seq(), PAGE_EVENTS).await?;
        if page.is_empty() {
            break;
        }
        for recorded in page.iter().take_while(|recorded| through.is_none_or(|through| recorded.event.seq <= through)) {
            evolve(&mut state, &recorded.event);
        }
    }
    match through {
        Some(through) if state.seq() != through => Err(StoreError::corrupt("the log ends before its head")),
        _ => Ok(state),
    }
}

/// Returns all events after `seq`.
pub async fn tail(store: &dyn EventStore, session: SessionId, seq: u64) -> Result<Vec<RecordedEvent>, StoreError> {
    let mut tail: Vec<RecordedEvent> = vec![];
    loop {
        let after = tail.last().map_or(seq, |last| last.event.seq);
        let page = read(store, session, after, PAGE_EVENTS).await?;
        if page.is_empty() {
            return Ok(tail);
        }
        tail.extend(page);
    }
}

/// Returns a page of events after `seq`; empty at the end of the log.
///
/// # Errors
/// Fails if the events cannot be read.
pub async fn page(store: &dyn EventStore, session: SessionId, seq: u64) -> Result<Vec<RecordedEvent>, StoreError> {
    read(store, session, seq, PAGE_EVENTS).await
}

/// Reads and parses a page of events after `seq`.
async fn read(
    store: &dyn EventStore,
    session: SessionId,
    after: u64,
    limit: u32,
) -> Result<Vec<RecordedEvent>, StoreError> {
    store.read(session, after, limit).await?.into_iter().map(RecordedEvent::try_from).collect()
}

impl TryFrom<StoredEvent> for RecordedEvent {
    type Error = StoreError;

    fn try_from(StoredEvent { seq, frame }: StoredEvent) -> Result<Self, StoreError> {
        match serde_json::from_slice(&frame) {
            Ok(ServerFrame::Event { event, .. }) if event.seq == seq => Ok(Self { event, frame }),
            _ => {
                let message = format!("event {seq} of the log cannot be read; was it written by a newer version?");
                Err(StoreError::corrupt(message))
            }
        }
    }
}
