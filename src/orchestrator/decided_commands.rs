//! Decisions on several commands that share one append.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::apply::CommandResult;
use super::error::WriteError;
use super::session_task::SessionTask;
use crate::identity::Participant;
use crate::kernel::gate::{AskedCommand, AskedCommandData, Outcome};
use crate::kernel::{
    self, CommandOutcome, CommandSender, Effect, Envelope, Event, Fact, ParticipantId, REDACTED, Rejection, Role,
    State, Timestamp,
};
use crate::store::CommandReceipt;
use crate::store_error::StoreError;

/// Outcome of several commands. It takes effect only once its events are durable.
#[derive(Default)]
pub(super) struct DecidedCommands {
    /// Result of each command, in order.
    pub(super) results: Vec<CommandResult>,
    /// Events of all commands, in order.
    pub(super) events: Vec<Event>,
    /// Receipts of the participants' commands that apply.
    pub(super) receipts: Vec<CommandReceipt>,
    /// The commands that apply, in order.
    pub(super) commands: Vec<DecidedCommand>,
}

/// A command that applies.
pub(super) struct DecidedCommand {
    /// The state after its events.
    pub(super) next: Arc<State>,
    /// Range of its events in [`DecidedCommands::events`].
    pub(super) events: Range<usize>,
    /// Time of the command. `None` if it does not come from a participant.
    pub(super) sent_at: Option<Timestamp>,
}

impl DecidedCommands {
    /// Returns whether the append would contain nothing. A participant's command that changes nothing still needs a
    /// receipt: if it were repeated, it might change something.
    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty() && self.receipts.is_empty()
    }

    /// Returns the result of a command that is already among the decided ones. The state knows only those that have
    /// events.
    fn repeated(&self, by: &CommandSender) -> Option<u64> {
        let CommandSender::Participant { actor, id, .. } = by else { return None };
        self.receipts.iter().find(|receipt| receipt.actor == actor.id && receipt.command == *id).map(|r| r.seq)
    }

    fn add(&mut self, envelope: &Envelope, events: Vec<Event>, next: Arc<State>) {
        let (begin, seq) = (self.events.len(), next.seq());
        self.events.extend(events);
        self.results.push(Ok(seq));
        let mut sent_at = None;
        if let CommandSender::Participant { actor, id, .. } = &envelope.by {
            sent_at = Some(envelope.at);
            self.receipts.push(CommandReceipt { actor: actor.id.clone(), command: id.clone(), seq });
        }
        self.commands.push(DecidedCommand { next, events: begin..self.events.len(), sent_at });
    }
}

impl SessionTask {
    /// Decides on commands in order, each in the state after the previous ones. Stops before or after a command that
    /// must not share an append with others; at least one command has a result.
    pub(super) async fn decide(&mut self, commands: &mut [Envelope]) -> Result<DecidedCommands, WriteError> {
        let mut decided = DecidedCommands::default();
        for envelope in commands {
            let state = decided.commands.last().map_or(&self.state, |command| &command.next);
            envelope.at = self.clock.now(state.view().updated_at);
            if let Some(seq) = decided.repeated(&envelope.by) {
                decided.results.push(Ok(seq));
                continue;
            }
            let (events, next) = match self.decide_one(state, envelope).await? {
                Ok(CommandOutcome::Events { events, next }) => (events, Arc::from(next)),
                Ok(CommandOutcome::Repeated(seq)) => {
                    decided.results.push(Ok(seq));
                    continue;
                }
                Err(rejection) => {
                    let result = self.recorded_result(&envelope.by).await?;
                    decided.results.push(result.ok_or_else(|| rejection.into()));
                    continue;
                }
            };
            // An erasure rewrites the log as it was before the append, so a redaction must be the only command in its
            // append.
            let redacts = events.iter().any(|event| event.fact.is_redaction());
            if redacts && !decided.results.is_empty() {
                break;
            }
            let is_last = redacts || (is_from_participant(envelope) && has_results_at_once(&next, &events));
            decided.add(envelope, events, next);
            if is_last {
                break;
            }
        }
        Ok(decided)
    }

    /// Decides on one command. If it would carry out a command that owners were asked for, the server first checks the
    /// account of the participant who asked (law 18): the kernel knows only who is in the session.
    async fn decide_one(
        &self,
        state: &State,
        envelope: &Envelope,
    ) -> Result<Result<CommandOutcome, Rejection>, StoreError> {
        let mut barred = BTreeSet::new();
        loop {
            let decision = kernel::decide_barring(state, envelope, &barred);
            let events = match &decision {
                Ok(CommandOutcome::Events { events, .. }) => events.as_slice(),
                Ok(CommandOutcome::Repeated(_)) | Err(_) => &[],
            };
            let mut is_barred = false;
            for asked in events.iter().filter_map(|event| carried_out(state, event)) {
                if let Some(participant) = asked.by.participant_id()
                    && !self.is_entitled(participant, asked.granted_role).await?
                {
                    is_barred |= barred.insert(participant);
                }
                if let AskedCommandData::Invite { participant, name, .. } = &asked.command
                    && !self.is_unchanged(*participant, name).await?
                {
                    is_barred |= barred.insert(*participant);
                }
            }
            if !is_barred {
                return Ok(decision);
            }
        }
    }

    /// Returns whether a participant is enabled and the server still gives them at least the role that they had when
    /// they asked.
    async fn is_entitled(&self, participant: ParticipantId, granted_role: Option<Role>) -> Result<bool, StoreError> {
        let Some(identities) = &self.shared.identities else { return Ok(true) };
        let known = identities.participant(participant).await?;
        let covers =
            |asked: Role| known.as_ref().and_then(Participant::granted_role).is_some_and(|now| now.covers(asked));
        let has_role = known.is_some() && granted_role.is_none_or(covers);
        Ok(has_role && !identities.is_disabled(participant).await?)
    }

    /// Returns whether a participant is enabled and still has the name under which the owners agreed to add them.
    async fn is_unchanged(&self, participant: ParticipantId, name: &str) -> Result<bool, StoreError> {
        let Some(identities) = &self.shared.identities else { return Ok(true) };
        let known = identities.participant(participant).await?;
        let has_name = known.is_some_and(|known| *known.name == *name || *name == *REDACTED);
        Ok(has_name && !identities.is_disabled(participant).await?)
    }

    /// Returns the stored result of a command that the state no longer contains, because a repeated command that was
    /// valid the first time can be rejected now. `None` if the command was not applied.
    async fn recorded_result(&self, by: &CommandSender) -> Result<Option<u64>, StoreError> {
        let CommandSender::Participant { actor, id, .. } = by else { return Ok(None) };
        self.shared.store.receipt(self.session, &actor.id, id).await
    }
}

/// Returns the command that a gate asked for, if the event says that it was approved and is carried out.
fn carried_out<'a>(state: &'a State, event: &Event) -> Option<&'a AskedCommand> {
    let Fact::GateDecided { gate, outcome: Outcome::Approved, failure: None, .. } = &event.fact else { return None };
    state.view().gates.iter().find(|open| open.id == *gate)?.command.as_deref()
}

fn is_from_participant(envelope: &Envelope) -> bool {
    matches!(envelope.by, CommandSender::Participant { .. })
}

/// Returns whether these events start work that has its results immediately. These results must be decided on before
/// the next command of a participant, which could change the rules of a call after its check, or send a message to a
/// run that is being stopped.
fn has_results_at_once(state: &State, events: &[Event]) -> bool {
    let mut effects = events.iter().flat_map(|event| kernel::effects(state, event));
    effects.any(|effect| match effect {
        Effect::CheckCall { .. } | Effect::Stop { .. } => true,
        Effect::Turn { .. } | Effect::Call { .. } | Effect::DeliverReply { .. } | Effect::Title { .. } => false,
    })
}
