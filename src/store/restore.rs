//! From the log back to the state that it folds into.

use super::{EventStore, Recorded, StoreError, Stored};
use crate::kernel::{SessionId, Snapshot, State, evolve};
use crate::protocol::ServerFrame;

/// Events read at once.
const PAGE: u32 = 1_000;

/// The state that the log gives up to `through`, or to its end: the newest snapshot that is not beyond it, and the events
/// after that. Of a session that does not exist, the state before its first event.
pub async fn restore(store: &dyn EventStore, session: SessionId, through: Option<u64>) -> Result<State, StoreError> {
    let kept = store.snapshot(session).await?.filter(|(seq, _)| through.is_none_or(|through| *seq <= through));
    // One that cannot be read, as after an upgrade, costs time and nothing else: the log has everything.
    let kept = kept.and_then(|(_, bytes)| serde_json::from_slice::<Snapshot>(&bytes).ok()?.restore());
    let mut state = kept.unwrap_or_else(|| State::new(session));
    while through.is_none_or(|through| state.seq() < through) {
        let page = read(store, session, state.seq(), PAGE).await?;
        if page.is_empty() {
            break;
        }
        for recorded in page.iter().take_while(|recorded| through.is_none_or(|through| recorded.event.seq <= through)) {
            evolve(&mut state, &recorded.event);
        }
    }
    match through {
        Some(through) if state.seq() != through => Err(StoreError("the log ends before its head".into())),
        _ => Ok(state),
    }
}

/// Everything after `seq`.
pub async fn tail(store: &dyn EventStore, session: SessionId, seq: u64) -> Result<Vec<Recorded>, StoreError> {
    let mut tail: Vec<Recorded> = vec![];
    loop {
        let after = tail.last().map_or(seq, |last| last.event.seq);
        let page = read(store, session, after, PAGE).await?;
        if page.is_empty() {
            return Ok(tail);
        }
        tail.extend(page);
    }
}

/// Events after `seq`, as many as are read at once; none at the log's end.
///
/// # Errors
/// Where they cannot be read.
pub async fn page(store: &dyn EventStore, session: SessionId, seq: u64) -> Result<Vec<Recorded>, StoreError> {
    read(store, session, seq, PAGE).await
}

/// A page of events after `seq`, read.
async fn read(store: &dyn EventStore, session: SessionId, after: u64, limit: u32) -> Result<Vec<Recorded>, StoreError> {
    store.read(session, after, limit).await?.into_iter().map(Recorded::try_from).collect()
}

impl TryFrom<Stored> for Recorded {
    type Error = StoreError;

    fn try_from(Stored { seq, frame }: Stored) -> Result<Self, StoreError> {
        match serde_json::from_slice(&frame) {
            Ok(ServerFrame::Event { event, .. }) if event.seq == seq => Ok(Self { event, frame }),
            _ => {
                let words = format!("event {seq} of the log cannot be read; was it written by a newer version?");
                Err(StoreError(words.into()))
            }
        }
    }
}
