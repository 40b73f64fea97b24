//! Parts of facts that a redaction erases on their own: names, and text by several authors in one fact.

use std::sync::Arc;

use crate::gate::{CommentPlace, Gate, Vote};
use crate::plan::Plan;
use crate::{Fact, FileId, GateId, ParticipantId, RunId, UnresolvedMention};

/// Part of a fact that can be erased while the rest of the fact stays.
pub(super) enum FactPart<'a> {
    /// Names of this participant.
    Names { participant: ParticipantId, names: Vec<&'a mut Arc<str>> },
    /// Suggestions for unresolved mentions, which can be names of people.
    Nearest(&'a mut Vec<UnresolvedMention>),
    /// Name of a file and, if the fact adds a version, its id and the digest of its content.
    File { name: &'a mut Arc<str>, version: Option<(FileId, &'a Arc<str>)> },
    /// Gate with the actors who voted and decided.
    Gate(&'a mut Gate),
    /// Votes of several people.
    Votes(&'a mut Vec<Vote>),
    /// Plan, whose items can have several authors.
    Plan { run: RunId, plan: &'a mut Plan },
    /// Plan after an edit at a gate, and its digest.
    Revision { gate: GateId, plan: &'a mut Plan, digest: &'a mut Arc<str> },
    /// Note of a plan item.
    Note { run: RunId, note: &'a mut Arc<str> },
    /// No such part: the fact is erased as a whole or not at all.
    None,
}

impl<'a> FactPart<'a> {
    /// Returns the part of a fact. Every fact is listed, so that no name and no text of a new one is missed.
    pub(super) fn of(fact: &'a mut Fact) -> Self {
        use Fact::*;
        match fact {
            ParticipantJoined { participant, name, .. } | ParticipantKnocked { participant, name, .. } => {
                Self::Names { participant: *participant, names: vec![name] }
            }
            ParticipantRenamed { participant, from, name } => {
                Self::Names { participant: *participant, names: vec![from, name] }
            }
            MessageRouted { unresolved, .. } => Self::Nearest(unresolved),
            FileAdded { file, name, digest, .. } => Self::File { name, version: Some((*file, digest)) },
            FileRemoved { name, .. } => Self::File { name, version: None },
            GateCommented { place: CommentPlace { file: Some(file), .. }, .. } => {
                Self::File { name: &mut file.name, version: None }
            }
            GateOpened { gate } => Self::Gate(gate),
            GateDecided { votes, .. } => Self::Votes(votes),
            PlanProposed { run, plan, .. } | PlanEdited { run, plan } => Self::Plan { run: *run, plan },
            GateRevised { gate, plan: Some(plan), digest, .. } => Self::Revision { gate: *gate, plan, digest },
            PlanItemChanged { run, note, .. } => Self::Note { run: *run, note },
            SessionCreated { .. }
            | SessionUpdated { .. }
            | SessionClosed { .. }
            | SessionRedacted { .. }
            | ParticipantRefused { .. }
            | ParticipantLeft { .. }
            | ParticipantRoleChanged { .. }
            | ParticipantRedacted { .. }
            | RunStarted { .. }
            | RunStateChanged { .. }
            | RunFinished { .. }
            | RunFailed { .. }
            | RunCancelled { .. }
            | MessagePosted { .. }
            | MessageWithdrawn { .. }
            | MessageConsumed { .. }
            | MessageStarted { .. }
            | MessageCompleted { .. }
            | MessageAborted { .. }
            | MessageRedacted { .. }
            | StepStarted { .. }
            | StepCompleted { .. }
            | StepSkipped { .. }
            | AttemptFailed { .. }
            | FileRedacted { .. }
            | ToolProposed { .. }
            | ToolChecked { .. }
            | ToolStarted { .. }
            | ToolCompleted { .. }
            | ToolFailed { .. }
            | ToolUncertain { .. }
            | DecisionMade { .. }
            | OutputProduced { .. }
            | OutputRejected { .. }
            | GateVoted { .. }
            | GateRevised { plan: None, .. }
            | GateVoteWithdrawn { .. }
            | GateCommented { .. }
            | GateThreadChanged { .. }
            | GateEscalated { .. }
            | VotesDelegated { .. }
            | GateExpired { .. }
            | GateClosed { .. }
            | PermissionGranted { .. }
            | PermissionRevoked { .. }
            | ControlRequested { .. }
            | ControlAcknowledged { .. }
            | ControlEffective { .. }
            | UsageRecorded { .. } => Self::None,
        }
    }
}
