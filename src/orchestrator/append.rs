//! Conversion of decided events to an append, which the store makes durable atomically.

use std::mem::take;
use std::sync::Arc;

use super::decided_commands::DecidedCommands;
use super::listing::listing;
use crate::agent::teams::ExecutionChange;
use crate::kernel::{Event, Fact, LogChange, MemberChange, ParticipantId, Role, State};
use crate::protocol::encode_event;
use crate::store::{Append, Fence, RecordedEvent};

/// Takes the events and receipts of decided commands, at least one of which applies, and returns their append.
pub(super) fn record(decided: &mut DecidedCommands, before: &State, fence: Fence) -> Append {
    let DecidedCommands { events, receipts, commands, .. } = decided;
    let (events, receipts) = (take(events), take(receipts));
    let session = before.view().session;
    let members: Vec<_> = events.iter().filter_map(|event| membership(&event.fact)).collect();
    let acting = events.iter().filter_map(|event| event.by.participant_id());
    let strangers = acting.filter(|who| before.view().member(*who).is_none());
    let invited = events.iter().filter_map(|event| invited(&event.fact));
    let appear = strangers.chain(members.iter().map(|(who, _)| *who)).chain(invited).collect();
    let mut execution = vec![];
    for command in &*commands {
        let events = &events[command.events.clone()];
        execution.extend(events.iter().filter_map(|event| ExecutionChange::of(event, &command.next)));
    }
    let encode = |event: Event| RecordedEvent { frame: encode_event(session, &event), event };
    Append {
        session,
        expected: before.seq(),
        fence,
        events: events.into_iter().map(encode).collect::<Arc<[_]>>(),
        receipts,
        listing: commands.last().map(|command| listing(&command.next)).expect("a command applies"),
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

/// Returns the participant whom a gate asks the owners to add. `None` for any other event. The gate contains their
/// name, although they might never join, so a redaction of the participant must find the session.
fn invited(fact: &Fact) -> Option<ParticipantId> {
    let Fact::GateOpened { gate } = fact else { return None };
    gate.command.as_ref()?.invited()
}
