//! Conversion of decided events to an append, which the store makes durable atomically.

use std::sync::Arc;

use super::listing::listing;
use crate::agent::teams::ExecutionChange;
use crate::kernel::{CommandSender, Event, Fact, LogChange, MemberChange, ParticipantId, Role, State};
use crate::protocol::encode_event;
use crate::store::{Append, Fence, RecordedEvent};

/// Returns the append for the events of one decision. `next` is the state after them.
pub(super) fn record(events: Vec<Event>, by: &CommandSender, before: &State, next: &State, fence: Fence) -> Append {
    let session = before.view().session;
    let members: Vec<_> = events.iter().filter_map(|event| membership(&event.fact)).collect();
    let acting = events.iter().filter_map(|event| event.by.participant_id());
    let strangers = acting.filter(|who| before.view().member(*who).is_none());
    let appear = strangers.chain(members.iter().map(|(who, _)| *who)).collect();
    let execution = events.iter().filter_map(|event| ExecutionChange::of(event, next)).collect();
    let encode = |event: Event| RecordedEvent { frame: encode_event(session, &event), event };
    let receipt = match by {
        CommandSender::Participant { actor, id, .. } => Some((actor.id.clone(), id.clone())),
        CommandSender::Orchestrator { .. } => None,
    };
    Append {
        session,
        expected: before.seq(),
        fence,
        events: events.into_iter().map(encode).collect::<Arc<[_]>>(),
        receipt,
        listing: listing(next),
        members,
        appear,
        execution,
        erasure: None,
    }
}

fn membership(fact: &Fact) -> Option<(ParticipantId, Option<Role>)> {
    let LogChange::Member(participant, change) = fact.log_change() else { return None };
    match change {
        MemberChange::Joined(role) | MemberChange::RoleChanged(role) => Some((participant, Some(role))),
        MemberChange::Left(_) => Some((participant, None)),
    }
}
