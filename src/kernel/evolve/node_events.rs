//! Events of monitored nodes: the part of the log that the reports on these nodes use.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::results::has_supervisors;
use crate::run::node_activity::{NodeActivity, NodeEvent};
use crate::topology::Relation;
use crate::{AgentId, Event, Fact, MessageId, QUOTA_EXCEEDED, Run, Task, Team, View};

/// Records a fact about the work of a monitored node. Called before the fact is applied to the run.
pub(super) fn record(view: &mut View, event: &Event) {
    use Fact::*;
    let View { run: Some(run), team, node_activity, .. } = view else { return };
    match &event.fact {
        // Only a run in progress has reports.
        RunStarted { .. } | RunFinished { .. } | RunFailed { .. } | RunCancelled { .. } => {
            *node_activity = NodeActivity::default();
        }
        ToolProposed { call, agent, task, .. } if is_work(*task) => {
            add(node_activity, (run, team), &[agent], |_| NodeEvent::Call(*call));
        }
        DecisionMade { agent, decision, .. } => {
            let of_node = |id: &AgentId| team.agent(id).is_some_and(|agent| agent.node.is_some());
            if of_node(agent) {
                let agents = &decision.agents;
                add(node_activity, (run, team), &[agent], |_| NodeEvent::decision(agent, agents.clone(), decision));
            } else {
                // The global supervisor dispatches to nodes by naming their supervisors.
                let named: Vec<&AgentId> = decision.agents.iter().collect();
                add(node_activity, (run, team), &named, |named| {
                    NodeEvent::decision(agent, vec![named.clone()], decision)
                });
            }
        }
        AttemptFailed { message, agent, attempt, error, retry_at, .. } => {
            // A quota of the server holds the attempt, which has not failed.
            let is_held = &*error.code == QUOTA_EXCEEDED && retry_at.is_some();
            match work_of(run, *message) {
                Some(Task::Execute { .. }) if retry_at.is_none() => {
                    add(node_activity, (run, team), &[agent], |_| NodeEvent::Result(agent.clone()));
                }
                Some(_) if !is_held => add(node_activity, (run, team), &[agent], |_| {
                    NodeEvent::failure(agent, *attempt, error, retry_at.is_some())
                }),
                Some(_) | None => {}
            }
        }
        MessageCompleted { message, agent, calls, out_of_turns, .. } if *calls == 0 || *out_of_turns => {
            if let Some(Task::Execute { .. }) = work_of(run, *message) {
                add(node_activity, (run, team), &[agent], |_| NodeEvent::Result(agent.clone()));
            }
        }
        SessionCreated { .. }
        | SessionUpdated { .. }
        | SessionClosed { .. }
        | SessionRedacted { .. }
        | ParticipantJoined { .. }
        | ParticipantRenamed { .. }
        | ParticipantKnocked { .. }
        | ParticipantRefused { .. }
        | ParticipantLeft { .. }
        | ParticipantRoleChanged { .. }
        | ParticipantRedacted { .. }
        | RunStateChanged { .. }
        | MessagePosted { .. }
        | MessageRouted { .. }
        | MessageWithdrawn { .. }
        | MessageConsumed { .. }
        | MessageStarted { .. }
        | MessageCompleted { .. }
        | MessageAborted { .. }
        | MessageRedacted { .. }
        | StepStarted { .. }
        | StepCompleted { .. }
        | StepSkipped { .. }
        | FileAdded { .. }
        | FileRemoved { .. }
        | FileRedacted { .. }
        | ToolProposed { .. }
        | ToolChecked { .. }
        | ToolStarted { .. }
        | ToolCompleted { .. }
        | ToolFailed { .. }
        | ToolUncertain { .. }
        | PlanProposed { .. }
        | PlanEdited { .. }
        | PlanItemChanged { .. }
        | OutputProduced { .. }
        | OutputRejected { .. }
        | GateOpened { .. }
        | GateVoted { .. }
        | GateVoteWithdrawn { .. }
        | GateCommented { .. }
        | GateThreadChanged { .. }
        | GateEscalated { .. }
        | VotesDelegated { .. }
        | GateRevised { .. }
        | GateDecided { .. }
        | GateExpired { .. }
        | GateClosed { .. }
        | PermissionGranted { .. }
        | PermissionRevoked { .. }
        | ControlRequested { .. }
        | ControlAcknowledged { .. }
        | ControlEffective { .. }
        | UsageRecorded { .. } => {}
    }
}

/// Adds an event to the node of each of these agents, if the node is monitored.
fn add(
    activity: &mut NodeActivity,
    (run, team): (&Run, &Team),
    agents: &[&AgentId],
    node_event: impl Fn(&AgentId) -> NodeEvent,
) {
    if !has_supervisors(run) {
        return;
    }
    let monitored = monitored_nodes(team);
    if monitored.is_empty() {
        return;
    }
    for agent in agents {
        let node = team.agent(agent).and_then(|agent| agent.node.as_ref());
        if let Some(node) = node.filter(|node| monitored.contains(*node)) {
            activity.add(node, node_event(agent));
        }
    }
}

fn monitored_nodes(team: &Team) -> BTreeSet<&Arc<str>> {
    let edges = team.topology.iter().flat_map(|topology| &topology.edges);
    edges.filter(|edge| edge.relation == Relation::Monitors).map(|edge| &edge.target).collect()
}

/// Returns the task of a running message if the task is part of the work of the agent's own node.
fn work_of(run: &Run, message: MessageId) -> Option<Task> {
    run.running_message(message).map(|running| running.task).filter(|task| is_work(*task))
}

/// Returns whether a task is part of the work of the agent's own node. A report is about another node.
fn is_work(task: Task) -> bool {
    match task {
        Task::Execute { .. } | Task::Decide | Task::Summarize => true,
        Task::Reply | Task::Route | Task::Plan | Task::Report { .. } | Task::Structure => false,
    }
}
