//! The session's state beside its feed, so that a snapshot costs no reading of the log.

use std::sync::Arc;

use crate::kernel::{Event, SessionId, Snapshot, State, evolve};
use crate::store::{EventStore, Recorded, StoreError};

/// The state, where a viewer has asked for a snapshot.
#[derive(Default)]
pub(super) enum Fold {
    /// Nobody has asked.
    #[default]
    Absent,
    /// It is being read from the store; what happens meanwhile waits here.
    Restoring(Vec<Event>),
    /// It is current.
    Current(Box<State>),
}

impl Fold {
    pub(super) fn follow(&mut self, recorded: &Recorded) {
        match self {
            Self::Absent => {}
            Self::Restoring(waiting) => waiting.push(recorded.event.clone()),
            Self::Current(state) if recorded.event.seq > state.seq() => evolve(state, &recorded.event),
            Self::Current(_) => {}
        }
    }

    /// The restored state and what happened meanwhile make the current one.
    pub(super) fn install(&mut self, mut state: State) {
        if let Self::Restoring(waiting) = std::mem::take(self) {
            for event in waiting.iter().filter(|event| event.seq > state.seq()).collect::<Vec<_>>() {
                evolve(&mut state, event);
            }
            *self = Self::Current(Box::new(state));
        }
    }
}

/// The state at `through`, from the newest snapshot and the events after it. Not a step further: the log may hold events
/// that the feed has not shown yet, and a viewer would get those twice.
pub(super) async fn restore(
    store: &Arc<dyn EventStore>,
    session: SessionId,
    through: u64,
    page: u32,
) -> Result<State, StoreError> {
    let snapshot = store.snapshot(session).await?;
    let mut state = snapshot
        .filter(|(seq, _)| *seq <= through)
        .and_then(|(_, bytes)| serde_json::from_slice::<Snapshot>(&bytes).ok())
        .and_then(Snapshot::restore)
        .unwrap_or_else(|| State::new(session));
    while state.seq() < through {
        let stored = store.read(session, state.seq(), page).await?;
        if stored.is_empty() {
            return Err(StoreError("the log ends before its head".into()));
        }
        for stored in stored.into_iter().take_while(|stored| stored.seq <= through) {
            let event = serde_json::from_slice::<Event>(&stored.frame)
                .map_err(|error| StoreError(format!("event {} cannot be read: {error}", stored.seq).into()))?;
            evolve(&mut state, &event);
        }
    }
    Ok(state)
}
