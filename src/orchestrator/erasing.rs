//! What a redaction erases, read off the log: the events before it as they read from then on, and the state that they make.

use bytes::Bytes;

use super::refusal::NotApplied;
use crate::kernel::{Eraser, Event, Rejection, SessionId, State, evolve};
use crate::protocol::encode_event;
use crate::store::{Erasure, EventStore, Recorded, StoreError, page, restore};

/// What the redaction among these events erases, and the state after them; `None` where none of them is one.
///
/// The state is rebuilt from the log as it will be, so that no copy of what is erased can stay in it.
pub(super) async fn erased(
    store: &dyn EventStore,
    session: SessionId,
    events: &[Event],
) -> Result<Option<(Erasure, State)>, NotApplied> {
    let Some(mut eraser) = events.iter().find_map(Eraser::of) else { return Ok(None) };
    // A message has the number of the event that begins it: one that is not there is refused without a look at the whole log.
    if let Some(message) = eraser.message() {
        let read = page(store, session, message.0.saturating_sub(1)).await.map_err(NotApplied::Unavailable)?;
        if !read.first().is_some_and(|recorded| recorded.event.fact.begins(message)) {
            return Err(NotApplied::Problem(Rejection::UnknownMessage(message).into()));
        }
    }
    walk(store, session, |event| eraser.note(event)).await.map_err(NotApplied::Unavailable)?;
    let (mut state, mut frames) = (State::new(session), vec![]);
    let rewrite = |event: &Event| match eraser.erase(event) {
        Some(changed) => {
            evolve(&mut state, &changed);
            frames.push((changed.seq, encode_event(session, &changed)));
        }
        None => evolve(&mut state, event),
    };
    walk(store, session, rewrite).await.map_err(NotApplied::Unavailable)?;
    events.iter().for_each(|event| evolve(&mut state, event));
    let snapshot = Bytes::from(serde_json::to_vec(&state.snapshot()).unwrap_or_default());
    Ok(Some((Erasure { frames, contents: eraser.contents(), snapshot }, state)))
}

/// The state after these events, which the log has. What a redaction among them erased is in the state, and in the log no more.
pub(super) async fn after(store: &dyn EventStore, state: &State, tail: &[Recorded]) -> Result<State, StoreError> {
    if tail.iter().any(|recorded| recorded.event.fact.is_redaction()) {
        return restore(store, state.view().session, None).await;
    }
    let mut next = state.clone();
    tail.iter().for_each(|recorded| evolve(&mut next, &recorded.event));
    Ok(next)
}

/// Show every event of the log, from its first, a page at a time.
async fn walk(store: &dyn EventStore, session: SessionId, mut show: impl FnMut(&Event)) -> Result<(), StoreError> {
    let mut after = 0;
    loop {
        let read = page(store, session, after).await?;
        let Some(last) = read.last() else { return Ok(()) };
        after = last.event.seq;
        read.iter().for_each(|recorded| show(&recorded.event));
    }
}
