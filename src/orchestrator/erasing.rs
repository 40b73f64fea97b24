//! What a redaction erases, read off the log: the events before it as they read from then on, which are staged in the store,
//! and the state that they make.

use super::refusal::NotApplied;
use crate::kernel::{Eraser, Event, Rejection, SessionId, State, evolve};
use crate::protocol::encode_event;
use crate::store::{Erasure, EventStore, Fence, Recorded, StoreError, page, restore};

/// Stage what the redaction among these events erases, and rebuild `next`, the state after them, from the log as it will be, so
/// that no copy of what is erased can stay in it; `None` where none of them is one.
pub(super) async fn erase(
    store: &dyn EventStore,
    next: &mut State,
    fence: Fence,
    events: &[Event],
) -> Result<Option<Erasure>, NotApplied> {
    let session = next.view().session;
    let Some(mut eraser) = events.iter().find_map(Eraser::of) else { return Ok(None) };
    // A message has the number of the event that begins it: one that is not there is refused without a look at the whole log.
    if let Some(message) = eraser.message() {
        let read = page(store, session, message.0.saturating_sub(1)).await.map_err(NotApplied::Unavailable)?;
        if !read.first().is_some_and(|recorded| recorded.event.fact.begins(message)) {
            return Err(NotApplied::Problem(Rejection::UnknownMessage(message).into()));
        }
    }
    *next = stage(store, session, fence, &mut eraser).await.map_err(NotApplied::Unavailable)?;
    events.iter().for_each(|event| evolve(next, event));
    let snapshot = serde_json::to_vec(&next.snapshot()).expect("a snapshot has only string keys").into();
    Ok(Some(Erasure { contents: eraser.contents(), snapshot }))
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

/// Stage the log as it reads from the redaction on; the state that it folds into.
async fn stage(
    store: &dyn EventStore,
    session: SessionId,
    fence: Fence,
    eraser: &mut Eraser,
) -> Result<State, StoreError> {
    let mut pages = Pages::of(store, session);
    while let Some(page) = pages.next().await? {
        page.iter().for_each(|recorded| eraser.note(&recorded.event));
    }
    store.begin_erasure(session, fence).await?;
    let mut state = State::new(session);
    let mut pages = Pages::of(store, session);
    while let Some(page) = pages.next().await? {
        let mut frames = vec![];
        for Recorded { event, .. } in &page {
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

/// The whole log, from its first event, a page at a time.
struct Pages<'a> {
    store: &'a dyn EventStore,
    session: SessionId,
    after: u64,
}

impl<'a> Pages<'a> {
    fn of(store: &'a dyn EventStore, session: SessionId) -> Self {
        Self { store, session, after: 0 }
    }

    async fn next(&mut self) -> Result<Option<Vec<Recorded>>, StoreError> {
        let read = page(self.store, self.session, self.after).await?;
        let Some(last) = read.last() else { return Ok(None) };
        self.after = last.event.seq;
        Ok(Some(read))
    }
}
