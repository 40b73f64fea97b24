//! Facts without the text of people and agents: ids, numbers and times stay, so that the log can still be folded.

use std::sync::Arc;

use super::team::erase_team;
use crate::call::kernel_tools;
use crate::gate::Gate;
use crate::plan::planner_decision::PlannerDecision;
use crate::plan::{Plan, PlanItem};
use crate::redaction::REDACTED;
use crate::{AttemptError, Fact};

impl Fact {
    /// Erases all text that participants and agents wrote. [`super::Eraser`] erases names of people and files. A team
    /// of the server stays, because the operator wrote it.
    pub(super) fn erase(&mut self) {
        use Fact::*;
        match self {
            SessionCreated { title, team, .. } => {
                *title = REDACTED.into();
                erase_team(team);
            }
            SessionUpdated { title, .. } => title.iter_mut().for_each(|title| *title = REDACTED.into()),
            SessionClosed { reason } | RunCancelled { reason, .. } => blank(reason),
            OutputRejected { reason, violations, .. } => {
                blank(reason);
                violations.clear();
            }
            RunFailed { error, .. } | AttemptFailed { error, .. } | ToolFailed { error, .. } => erase_error(error),
            MessagePosted { text, request, .. } => {
                blank(text);
                *request = None;
            }
            MessageCompleted { text, .. } | MessageAborted { text, .. } => blank(text),
            MessageRouted { unresolved, .. } => unresolved.clear(),
            FileAdded { digest, .. } | ToolStarted { digest, .. } => blank(digest),
            ToolProposed { name, arguments, .. } => {
                erase_tool(name);
                *arguments = "{}".into();
            }
            ToolCompleted { output, .. } => blank(output),
            PlanProposed { plan, .. } | PlanEdited { plan, .. } => erase_plan(plan),
            PlanItemChanged { note, .. } => blank(note),
            DecisionMade { decision, .. } => erase_decision(decision),
            OutputProduced { output, .. } => *output = serde_json::Value::Null,
            GateOpened { gate } => erase_gate(gate),
            GateVoted { comment, .. } => *comment = None,
            GateCommented { place, .. } => {
                blank(&mut place.path);
                blank(&mut place.quote);
                place.line = None;
            }
            GateRevised { digest, arguments, plan, .. } => {
                blank(digest);
                arguments.iter_mut().for_each(|arguments| *arguments = "{}".into());
                plan.iter_mut().for_each(erase_plan);
            }
            // An empty digest matches no call, so the permission ends with its subject.
            PermissionGranted { permission } => {
                erase_tool(&mut permission.tool);
                permission.arguments_digest.iter_mut().for_each(blank);
            }
            GateDecided { votes, .. } => votes.iter_mut().for_each(|vote| vote.comment = None),
            ControlRequested { reason, .. }
            | MessageRedacted { reason, .. }
            | FileRedacted { reason, .. }
            | SessionRedacted { reason } => *reason = None,
            ParticipantJoined { .. }
            | ParticipantRenamed { .. }
            | ParticipantKnocked { .. }
            | ParticipantRefused { .. }
            | ParticipantLeft { .. }
            | ParticipantRoleChanged { .. }
            | ParticipantRedacted { .. }
            | RunStarted { .. }
            | RunStateChanged { .. }
            | RunFinished { .. }
            | MessageWithdrawn { .. }
            | MessageConsumed { .. }
            | MessageStarted { .. }
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
            | UsageRecorded { .. } => {}
        }
    }
}

pub(super) fn blank(text: &mut Arc<str>) {
    *text = "".into();
}

fn erase_error(error: &mut AttemptError) {
    blank(&mut error.message);
}

/// Erases the name of a tool. A model can put any text there. The names of the kernel's own tools contain no such text
/// and stay, because the kernel needs them.
fn erase_tool(name: &mut Arc<str>) {
    if !kernel_tools::is_known(name) {
        *name = REDACTED.into();
    }
}

fn erase_plan(plan: &mut Plan) {
    blank(&mut plan.title);
    blank(&mut plan.estimated_time);
    plan.risks.clear();
    plan.removed.clear();
    plan.items.iter_mut().for_each(erase_item);
}

pub(super) fn erase_item(item: &mut PlanItem) {
    item.action = REDACTED.into();
    blank(&mut item.reason);
    blank(&mut item.note);
    item.tool.iter_mut().for_each(erase_tool);
    item.arguments = None;
}

fn erase_decision(decision: &mut PlannerDecision) {
    blank(&mut decision.analysis);
    blank(&mut decision.reason);
    blank(&mut decision.instruction);
    decision.items.iter_mut().for_each(erase_item);
}

fn erase_gate(gate: &mut Gate) {
    blank(&mut gate.prompt);
    (gate.context, gate.schema) = (None, None);
    gate.subject.iter_mut().for_each(|subject| blank(&mut subject.digest));
    if let Some(rule) = &mut gate.rule {
        erase_tool(&mut rule.pattern.tool);
        rule.pattern.arguments_digest.iter_mut().for_each(blank);
        blank(&mut rule.id);
    }
    if let Some(origin) = &mut gate.origin {
        (origin.server, origin.link) = (REDACTED.into(), None);
    }
    if let Some(command) = &mut gate.command {
        command.erase();
    }
    gate.votes.iter_mut().for_each(|vote| vote.comment = None);
}
