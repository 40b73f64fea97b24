//! Erasure of redacted content: stages the earlier events in their redacted form in the store, and rebuilds the state
//! from them.

use super::error::ApplyError;
use crate::kernel::{Eraser, Event, Rejection, SessionId, State, evolve};
use crate::protocol::encode_event;
use crate::store::{Erasure, EventStore, Fence, RecordedEvent, page, restore};
use crate::store_error::StoreError;

/// Stages the erasure of the redaction among these events, and rebuilds `next`, the state after them, from the redacted
/// log, so that the state keeps no copy of erased content. Returns `None` if no event is a redaction.
pub(super) async fn erase(
    store: &dyn EventStore,
    next: &mut State,
    fence: Fence,
    events: &[Event],
) -> Result<Option<Erasure>, ApplyError> {
    let session = next.view().session;
    let Some(mut eraser) = events.iter().find_map(Eraser::of) else { return Ok(None) };
    // A message's id is the seq of the event that starts it, so an unknown message is rejected without reading the
    // whole log.
    if let Some(message) = eraser.message() {
        let read = page(store, session, message.0.saturating_sub(1)).await?;
        if !read.first().is_some_and(|recorded| recorded.event.fact.begins(message)) {
            return Err(ApplyError::Problem(Rejection::UnknownMessage(message).into()));
        }
    }
    *next = stage(store, session, fence, &mut eraser).await?;
    events.iter().for_each(|event| evolve(next, event));
    let snapshot = serde_json::to_vec(&next.snapshot()).expect("a snapshot has only string keys").into();
    Ok(Some(Erasure { contents: eraser.contents(), snapshot }))
}

/// Returns the state after these events, which the log already contains. After a redaction, `state` still holds the
/// erased content, so the state is restored from the log.
pub(super) async fn state_after(
    store: &dyn EventStore,
    state: &State,
    tail: &[RecordedEvent],
) -> Result<State, StoreError> {
    if tail.iter().any(|recorded| recorded.event.fact.is_redaction()) {
        return restore(store, state.view().session, None).await;
    }
    let mut next = state.clone();
    tail.iter().for_each(|recorded| evolve(&mut next, &recorded.event));
    Ok(next)
}

/// Stages the log in its redacted form, and returns the state that it folds into.
async fn stage(
    store: &dyn EventStore,
    session: SessionId,
    fence: Fence,
    eraser: &mut Eraser,
) -> Result<State, StoreError> {
    let mut pages = LogPages::of(store, session);
    while let Some(page) = pages.next().await? {
        page.iter().for_each(|recorded| eraser.note(&recorded.event));
    }
    store.begin_erasure(session, fence).await?;
    let mut state = State::new(session);
    let mut pages = LogPages::of(store, session);
    while let Some(page) = pages.next().await? {
        let mut frames = vec![];
        for RecordedEvent { event, .. } in &page {
            match eraser.erase(event) {
                Some(changed) => {
                    evolve(&mut state, &changed);
                    frames.push((changed.seq, encode_event(session, &changed)));
                }
                None => evolve(&mut state, event),
            }
        }
        store.stage_erasure(session, fence, &frames).await?;
    }
    Ok(state)
}

/// The whole log, from its first event, one page at a time.
struct LogPages<'a> {
    store: &'a dyn EventStore,
    session: SessionId,
    after: u64,
}

impl<'a> LogPages<'a> {
    fn of(store: &'a dyn EventStore, session: SessionId) -> Self {
        Self { store, session, after: 0 }
    }

    async fn next(&mut self) -> Result<Option<Vec<RecordedEvent>>, StoreError> {
        let read = page(self.store, self.session, self.after).await?;
        let Some(last) = read.last() else { return Ok(None) };
        self.after = last.event.seq;
        Ok(Some(read))
    }
}
