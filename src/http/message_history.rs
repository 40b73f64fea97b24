//! Reads messages backwards from the log, so that the cost of a page does not depend on the length of the session.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use crate::kernel::gate::CommentPlace;
use crate::kernel::{
    Event, Fact, LogChange, Message, MessageChange, MessageId, RunId, SessionId, Target, Task, UnresolvedMention,
};
use crate::protocol::Problem;
use crate::store::EventStore;

/// Number of events per read.
const WINDOW_EVENTS: u64 = 256;

/// Returns up to `limit` messages before `message`, or the newest messages if it is `None`, oldest first. The messages
/// have the form that they have in a view.
pub(crate) async fn messages_before(
    store: &dyn EventStore,
    session: SessionId,
    message: Option<MessageId>,
    limit: usize,
) -> Result<Vec<Message>, Problem> {
    let newest = store.head(session).await? + 1;
    // An id beyond the log counts as the end of the log, because reading backwards from there could take forever.
    let mut end = match message.filter(|message| message.0 < newest) {
        Some(message) => ended_at(store, session, message).await?.min(newest),
        None => newest,
    };
    let mut found = MessageScan::default();
    // Routing and withdrawal of a message are recorded after it, so read a little further than the page.
    for event in window(store, session, end.saturating_sub(1), end + WINDOW_EVENTS).await?.iter().rev() {
        found.note(event);
    }
    while end > 1 && found.messages.len() < limit {
        let after = end.saturating_sub(WINDOW_EVENTS + 1);
        for event in window(store, session, after, end).await?.iter().rev() {
            if found.messages.len() == limit {
                break;
            }
            found.note(event);
            found.take(event);
        }
        end = after + 1;
    }
    Ok(found.messages.into())
}

/// Returns the seq at which the message was completed, which is its position. Its id is the seq at which the message
/// started.
async fn ended_at(store: &dyn EventStore, session: SessionId, message: MessageId) -> Result<u64, Problem> {
    let mut after = message.0.saturating_sub(1);
    loop {
        let events = window(store, session, after, after + WINDOW_EVENTS + 1).await?;
        let Some(last) = events.last() else { return Ok(after + 1) };
        let ends = [MessageChange::Posted, MessageChange::Ended].map(|change| LogChange::Message(message, change));
        let end = events.iter().find(|event| ends.contains(&event.fact.log_change()));
        if let Some(event) = end {
            return Ok(event.seq);
        }
        after = last.seq;
    }
}

/// Returns the events between two seqs, both exclusive.
async fn window(
    store: &dyn EventStore,
    session: SessionId,
    mut after: u64,
    before: u64,
) -> Result<Vec<Event>, Problem> {
    let mut events = vec![];
    while after + 1 < before {
        let limit = u32::try_from(before - after - 1).unwrap_or(u32::MAX);
        let stored = store.read(session, after, limit).await?;
        let Some(last) = stored.last() else { break };
        after = last.seq;
        for stored in &stored {
            events.push(serde_json::from_slice(&stored.frame).map_err(Problem::internal)?);
        }
    }
    Ok(events)
}

#[derive(Default)]
struct MessageScan {
    messages: VecDeque<Message>,
    routed: HashMap<MessageId, (Vec<Target>, Vec<UnresolvedMention>)>,
    run: HashMap<MessageId, RunId>,
    withdrawn: HashSet<MessageId>,
    task: HashMap<MessageId, Task>,
    comment_on: HashMap<MessageId, Arc<CommentPlace>>,
}

impl MessageScan {
    fn note(&mut self, event: &Event) {
        match &event.fact {
            Fact::MessageRouted { message, to, unresolved, .. } => {
                self.routed.insert(*message, (to.clone(), unresolved.clone()));
            }
            Fact::RunStarted { run, input: message, .. } | Fact::MessageConsumed { message, run, .. } => {
                self.run.insert(*message, *run);
            }
            Fact::GateDecided { message, comments, .. } => {
                let read = message.iter().chain(comments).copied();
                self.run.extend(event.run.into_iter().flat_map(|run| read.clone().map(move |message| (message, run))));
            }
            Fact::MessageStarted { message, task, .. } if !task.is_reply() => {
                self.task.insert(*message, *task);
            }
            Fact::GateCommented { message, place } => {
                self.comment_on.insert(*message, Arc::new(place.clone()));
            }
            Fact::MessageWithdrawn { message } => {
                self.withdrawn.insert(*message);
            }
            // No other fact adds anything to a message.
            _ => {}
        }
    }

    fn take(&mut self, event: &Event) {
        let (mut wanted, mut files, mut cut, mut relayed, mut sent) = (0, vec![], false, None, None);
        let (id, text, run, step, aborted) = match &event.fact {
            Fact::MessagePosted { message, text, files: posted, relays, request }
                if !self.withdrawn.contains(message) =>
            {
                (files, relayed, sent) = (posted.clone(), *relays, request.clone());
                (*message, text, self.run.get(message).copied(), None, None)
            }
            Fact::MessageCompleted { message, text, run, step, calls, truncated, .. } => {
                (wanted, cut) = (*calls, *truncated);
                (*message, text, Some(*run), Some(*step), None)
            }
            Fact::MessageAborted { message, text, run, step, reason, .. } => {
                (*message, text, Some(*run), Some(*step), Some(*reason))
            }
            _ => return,
        };
        let (to, unresolved) = self.routed.remove(&id).unwrap_or_default();
        let (at, by, text) = (event.at, event.by.clone(), text.clone());
        let (task, calls, truncated) = (self.task.remove(&id).unwrap_or_default(), wanted, cut);
        let redacted = event.redacted.clone();
        let message = Message {
            id,
            at,
            by,
            text,
            files,
            relays: relayed,
            request: sent,
            to,
            unresolved,
            run,
            step,
            task,
            comment_on: self.comment_on.remove(&id),
            calls,
            aborted,
            truncated,
            redacted,
        };
        self.messages.push_front(message);
    }
}
