//! Results that flows with supervisors hand from agent to agent. They stay with their tasks, because the view has only
//! the newest messages, and a node can wait for hundreds of others.

use std::sync::Arc;

use crate::flow::{self, Flow, STRUCTURE};
use crate::planner_decision::{PlannerAction, PlannerDecision};
use crate::run::{Delegation, Run};
use crate::topology::{Edge, Relation};
use crate::{AgentId, Assignment, Task, TaskResult, Team, View, truncate_middle};

/// Maximum number of bytes in a result that is handed on. Longer results keep their start and end.
const RESULT_BYTES: usize = 8 * 1024;

/// Returns the text of a result as later agents read it. Returns `None` in flows that do not hand results on.
pub(super) fn handed_on(run: &Run, text: &Arc<str>) -> Option<Arc<str>> {
    has_supervisors(run).then(|| match text.len() > RESULT_BYTES {
        true => truncate_middle(text, RESULT_BYTES).into(),
        false => text.clone(),
    })
}

/// Discards the results of a node's agents once their supervisor has written the node's own result. Otherwise, the
/// state of a large team would contain the text of every agent.
pub(super) fn forget_read(run: &mut Run, team: &Team, done: &Assignment) {
    if done.task != Task::Summarize || !has_supervisors(run) {
        return;
    }
    // The report on a monitored node uses the text of its agents.
    let node = team.agent(&done.agent).and_then(|agent| agent.node.as_ref());
    let monitored = |edge: &Edge| edge.relation == Relation::Monitors && Some(&edge.target) == node;
    if team.topology.iter().flat_map(|topology| &topology.edges).any(monitored) {
        return;
    }
    let read: Vec<&AgentId> = team.agents_beside(&done.agent).into_iter().map(|agent| &agent.id).collect();
    let results = run.task_results.iter_mut().filter(|result| read.contains(&&result.assignment.agent));
    results.for_each(|result| result.text = None);
}

/// Returns the results of an earlier run that a run of the `structure` flow reads. Returns none for other flows without
/// supervisors, because their results are in the conversation. Results that the `structure` flow does not read are
/// dropped, because every viewer receives the results of a run.
pub(super) fn kept_for_structure(earlier: Run) -> Vec<TaskResult> {
    if !has_supervisors(&earlier) && &*earlier.flow != STRUCTURE {
        return vec![];
    }
    let mut kept = earlier.task_results;
    kept.retain(|done| {
        let is_read = match done.assignment.task {
            Task::Execute { .. } | Task::Summarize | Task::Report { .. } => true,
            Task::Reply | Task::Route | Task::Plan | Task::Decide | Task::Structure => false,
        };
        is_read && (done.text.is_some() || done.failure.is_some())
    });
    kept
}

/// Records a supervisor's own decision about its agents.
pub(super) fn record_delegation(run: &mut Run, team: &Team, supervisor: &AgentId, decision: &PlannerDecision) {
    if !matches!(decision.action, PlannerAction::Delegate | PlannerAction::End) || !has_supervisors(run) {
        return;
    }
    run.delegations.retain(|known| known.by != *supervisor);
    let node = |agent: &AgentId| team.agent(agent).and_then(|agent| agent.node.as_ref());
    let of_node = |done: &&TaskResult| {
        matches!(done.assignment.task, Task::Execute { .. }) && node(&done.assignment.agent) == node(supervisor)
    };
    let ended = u32::try_from(run.task_results.iter().filter(of_node).count()).unwrap_or(u32::MAX);
    run.delegations.push(Delegation { by: supervisor.clone(), decision: decision.clone(), ended });
}

/// Returns whether other agents read an agent's message as part of the conversation. In flows with supervisors, only
/// the final output is, because the other messages would push people's messages out of the prompts.
pub(super) fn is_conversation(view: &View, agent: &AgentId, task: Task) -> bool {
    let is_summary =
        || task == Task::Summarize && view.team.global_supervisor().is_some_and(|supervisor| supervisor.id == *agent);
    let is_final = || task == Task::Structure || is_summary();
    !view.active_run().is_some_and(has_supervisors) || is_final()
}

pub(super) fn has_supervisors(run: &Run) -> bool {
    flow::flow_of(run).is_some_and(Flow::has_supervisors)
}
