//! Events with text to be erased: the redacted content, and the copies that the kernel makes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::plans::PlanTexts;
use crate::call::kernel_tools::PLAN_TOOL;
use crate::gate::{Gate, GateKind, SubjectId, Vote};
use crate::plan::Plan;
use crate::redaction::RedactionTarget;
use crate::{CallId, Cause, ControlVerb, Event, Fact, FileId, GateId, MessageId, RunId, Task};

/// Information about a log, as far as it has been read.
#[derive(Debug)]
pub(super) struct ErasureScope {
    target: RedactionTarget,
    /// Seqs of the events with text to be erased.
    seqs: BTreeSet<u64>,
    /// Messages to be erased.
    pub(super) messages: BTreeSet<MessageId>,
    /// Text by people in the messages to be erased. Titles are made from it.
    texts: Vec<Arc<str>>,
    titles: Vec<(u64, Arc<str>)>,
    /// Calls whose arguments, and therefore results, are to be erased.
    calls: BTreeSet<CallId>,
    /// Calls whose results are to be erased, because they are the redacted answer of a person.
    answered: BTreeSet<CallId>,
    /// Files whose contents are to be erased. Comments quote them.
    files: BTreeSet<FileId>,
    gates: BTreeSet<GateId>,
    /// Run of each gate, and the call that waits for the gate.
    opened_gates: BTreeMap<GateId, (Option<RunId>, Option<CallId>)>,
    /// Seq of the opening of each gate about a command. For approved commands, `carried_out` has it keyed by the seq of
    /// the decision.
    commands: BTreeMap<GateId, u64>,
    carried_out: BTreeMap<u64, u64>,
    /// Runs whose final event repeats a redacted reason: of a cancellation, or of a failed turn.
    ends: BTreeSet<RunId>,
    /// Input message of each run. `callers` has the message with the newest calls of each run.
    inputs: BTreeMap<RunId, MessageId>,
    callers: BTreeMap<RunId, MessageId>,
    /// Calls of the `plan` tool, whose results contain the plan.
    plan_calls: BTreeSet<CallId>,
    /// Strings in plans that are to be erased.
    pub(super) plans: PlanTexts,
}

impl ErasureScope {
    pub(super) fn of(target: RedactionTarget) -> Self {
        Self {
            target,
            seqs: BTreeSet::new(),
            messages: BTreeSet::new(),
            texts: vec![],
            titles: vec![],
            calls: BTreeSet::new(),
            answered: BTreeSet::new(),
            files: BTreeSet::new(),
            gates: BTreeSet::new(),
            opened_gates: BTreeMap::new(),
            commands: BTreeMap::new(),
            carried_out: BTreeMap::new(),
            ends: BTreeSet::new(),
            inputs: BTreeMap::new(),
            callers: BTreeMap::new(),
            plan_calls: BTreeSet::new(),
            plans: PlanTexts::default(),
        }
    }

    /// Reads the next event of the log. Returns whether its text is to be erased.
    pub(super) fn note(&mut self, event: &Event) -> bool {
        let goes = match self.target {
            RedactionTarget::Session => true,
            RedactionTarget::File(id) => {
                matches!(&event.fact, Fact::FileAdded { file, .. } if id == *file)
                    || matches!(&event.fact, Fact::GateCommented { place, .. } if place.is_in(id))
            }
            RedactionTarget::Message(_) | RedactionTarget::Participant { .. } => self.is_affected(event),
        };
        if goes {
            if let Fact::FileAdded { file, .. } = event.fact {
                self.files.insert(file);
            }
            self.seqs.insert(event.seq);
            // The gate at which the command was approved contains the same text.
            let Some(Cause::Seq(decided)) = event.cause else { return goes };
            self.seqs.extend(self.carried_out.get(&decided));
        }
        goes
    }

    /// Returns whether text of the event is to be erased. Valid after the whole log has been read.
    pub(super) fn goes(&self, seq: u64) -> bool {
        self.seqs.contains(&seq)
    }

    /// Returns whether the comment of a vote is to be erased.
    pub(super) fn is_voted(&self, vote: &Vote) -> bool {
        vote.message.is_some_and(|message| self.messages.contains(&message))
    }

    /// Returns the run of a gate.
    pub(super) fn run_of(&self, gate: GateId) -> Option<RunId> {
        self.opened_gates.get(&gate).and_then(|(run, _)| *run)
    }

    /// Returns whether text of the event is to be erased by the redaction of a message or participant, and records
    /// which parts of it later events repeat. Every fact is listed, so that no copy of the text is missed.
    fn is_affected(&mut self, event: &Event) -> bool {
        use Fact::*;
        let of_target = |id: MessageId| self.target == RedactionTarget::Message(id);
        match &event.fact {
            MessagePosted { message, text, .. } => {
                let goes = of_target(*message) || self.is_theirs(event);
                if goes {
                    self.messages.insert(*message);
                    let made_of_it = self.titles.iter().filter(|(_, title)| is_made_of(title, text));
                    self.seqs.extend(made_of_it.map(|(seq, _)| *seq));
                    self.texts.push(text.clone());
                }
                goes
            }
            MessageStarted { message, .. } => {
                if of_target(*message) {
                    self.messages.insert(*message);
                }
                false
            }
            MessageCompleted { message, .. }
            | MessageAborted { message, .. }
            | MessageRouted { message, .. }
            | OutputProduced { message, .. }
            | OutputRejected { message, .. }
            | FileAdded { message: Some(message), .. }
            | GateVoted { message: Some(message), .. } => self.messages.contains(message),
            SessionCreated { title, .. } | SessionUpdated { title: Some(title), .. } => {
                self.titles.push((event.seq, title.clone()));
                self.is_theirs(event)
                    || self.texts.iter().any(|text| is_made_of(title, text))
                    || self.is_thought_of(event)
            }
            ControlRequested { run, verb, message, .. } => {
                let goes = message.is_some_and(|message| self.messages.contains(&message)) || self.is_theirs(event);
                self.ends.extend((goes && *verb == ControlVerb::Cancel).then_some(*run));
                goes
            }
            AttemptFailed { run, message, retry_at, .. } => {
                let goes = self.messages.contains(message);
                self.ends.extend((goes && retry_at.is_none()).then_some(*run));
                goes
            }
            RunCancelled { run, .. } | RunFailed { run, .. } => self.ends.contains(run) || self.is_theirs(event),
            GateVoted { message: None, .. }
            | SessionClosed { .. }
            | FileAdded { message: None, .. }
            | MessageRedacted { .. }
            | FileRedacted { .. }
            | SessionRedacted { .. } => self.is_theirs(event),
            ToolProposed { call, run, message, task, name, .. } => {
                let goes = match (message, task) {
                    (Some(message), _) => self.messages.contains(message),
                    (None, Task::Execute { number, .. }) => self.plans.is_item_touched(*run, *number),
                    (None, _) => false,
                };
                self.calls.extend(goes.then_some(*call));
                self.callers.extend(message.map(|message| (*run, message)));
                self.plan_calls.extend((**name == *PLAN_TOOL).then_some(*call));
                goes
            }
            ToolStarted { call, .. } => self.calls.contains(call),
            ToolCompleted { call, run, .. } | ToolFailed { call, run, .. } => {
                let has_plan = self.plan_calls.contains(call) && self.plans.is_touched(*run);
                has_plan || self.calls.contains(call) || self.answered.contains(call)
            }
            GateOpened { gate } => {
                self.opened_gates.insert(gate.id, (gate.run, gate.call));
                let asks = gate.command.is_some();
                self.commands.extend(asks.then_some((gate.id, event.seq)));
                let goes = self.is_asked_about(gate) || asks && self.is_theirs(event);
                self.gates.extend(goes.then_some(gate.id));
                goes
            }
            GateRevised { gate, arguments, plan, .. } => {
                if self.is_theirs(event) && (arguments.is_some() || plan.is_some()) {
                    // The edited arguments are what is sent, and what later gates show.
                    self.gates.insert(*gate);
                    self.calls.extend(self.opened_gates.get(gate).and_then(|(_, call)| *call));
                }
                let goes = self.gates.contains(gate);
                if let (Some(run), Some(plan)) = (self.run_of(*gate), plan) {
                    self.plans.follow(event.seq, run, plan, goes);
                }
                goes
            }
            // The place repeats part of what the gate shows, or a line of a file.
            GateCommented { message, place } => {
                let is_about_target = match &place.file {
                    Some(file) => self.files.contains(&file.id),
                    None => self.gates.contains(&place.gate),
                };
                is_about_target || self.messages.contains(message) || self.messages.contains(&place.thread)
            }
            PermissionGranted { permission } => self.gates.contains(&permission.gate),
            GateDecided { gate, votes, message, .. } => {
                self.carried_out.extend(self.commands.get(gate).map(|opened| (event.seq, *opened)));
                if message.is_some_and(|message| self.messages.contains(&message)) {
                    self.answered.extend(self.opened_gates.get(gate).and_then(|(_, call)| *call));
                }
                votes.iter().any(|vote| self.is_voted(vote))
            }
            // The affected parts of a plan are identified by their text.
            RunStarted { run, input, .. } => {
                self.inputs.insert(*run, *input);
                false
            }
            PlanProposed { message, run, plan } => {
                let goes = self.is_plan_of_target(*run, *message, plan);
                self.plans.follow(event.seq, *run, plan, goes);
                false
            }
            PlanEdited { run, plan } => {
                self.plans.follow(event.seq, *run, plan, false);
                false
            }
            PlanItemChanged { run, number, note, .. } => {
                let goes = self.callers.get(run).is_some_and(|message| self.messages.contains(message));
                self.plans.follow_note(event.seq, *run, *number, note, goes);
                false
            }
            DecisionMade { run, message, decision, .. } => {
                let goes = message.is_some_and(|message| self.messages.contains(&message));
                if goes {
                    self.plans.add_items(event.seq, *run, &decision.items);
                }
                goes
            }
            SessionUpdated { title: None, .. }
            | ParticipantJoined { .. }
            | ParticipantRenamed { .. }
            | ParticipantKnocked { .. }
            | ParticipantRefused { .. }
            | ParticipantLeft { .. }
            | ParticipantRoleChanged { .. }
            | ParticipantRedacted { .. }
            | RunStateChanged { .. }
            | RunFinished { .. }
            | MessageWithdrawn { .. }
            | MessageConsumed { .. }
            | StepStarted { .. }
            | StepCompleted { .. }
            | StepSkipped { .. }
            | FileRemoved { .. }
            | ToolChecked { .. }
            | ToolUncertain { .. }
            | GateVoteWithdrawn { .. }
            | GateThreadChanged { .. }
            | GateEscalated { .. }
            | VotesDelegated { .. }
            | GateExpired { .. }
            | GateClosed { .. }
            | PermissionRevoked { .. }
            | ControlAcknowledged { .. }
            | ControlEffective { .. }
            | UsageRecorded { .. } => false,
        }
    }

    /// Returns whether the event is a title that a model generated from a message to be erased.
    fn is_thought_of(&self, event: &Event) -> bool {
        let Some(Cause::Seq(run)) = event.cause else { return false };
        self.inputs.get(&RunId(run)).is_some_and(|input| self.messages.contains(input))
    }

    /// Returns whether a plan is made from a message to be erased: the message that contains the plan, the one that
    /// called the `plan` tool, or, for a fallback plan, the input of the run.
    fn is_plan_of_target(&self, run: RunId, message: Option<MessageId>, plan: &Plan) -> bool {
        let input = self.inputs.get(&run).filter(|_| plan.fallback);
        let source = message.or_else(|| self.callers.get(&run).copied());
        source.iter().chain(input).any(|message| self.messages.contains(message))
    }

    fn is_asked_about(&self, gate: &Gate) -> bool {
        let of_call = gate.call.is_some_and(|call| self.calls.contains(&call));
        let of_message = match gate.subject.as_ref().map(|subject| subject.id) {
            Some(SubjectId::Message(message)) => self.messages.contains(&message),
            _ => false,
        };
        let learned =
            gate.rule.as_ref().is_some_and(|rule| rule.calls.iter().any(|past| self.calls.contains(&past.call)));
        of_call
            || of_message
            || learned
            || gate.kind == GateKind::Plan && gate.run.is_some_and(|run| self.plans.is_touched(run))
    }

    /// Returns whether the event is by the participant whose content is to be erased.
    fn is_theirs(&self, event: &Event) -> bool {
        match self.target {
            RedactionTarget::Participant { participant, content } => {
                content && event.by.participant_id() == Some(participant)
            }
            RedactionTarget::Message(_) | RedactionTarget::File(_) | RedactionTarget::Session => false,
        }
    }
}

/// Returns whether a title is the beginning of this text. The server and clients make titles this way.
fn is_made_of(title: &str, text: &str) -> bool {
    let (stem, text) = (title.trim_end_matches('…').trim(), text.trim());
    !stem.is_empty() && text.chars().filter(|c| !c.is_control()).collect::<String>().starts_with(stem)
}
