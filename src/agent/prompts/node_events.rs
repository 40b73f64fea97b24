//! Events of a monitored node, in the form in which the reporting supervisor reads them. All texts in the events are
//! quoted, because models, tools and people wrote them.

use std::collections::{BTreeMap, VecDeque};

use super::envelope::ServerLine;
use crate::agent::PromptBlock;
use crate::kernel::call::{Call, CallState};
use crate::kernel::plan::{PlanItem, PlanItemState};
use crate::kernel::{AgentId, CallId, NodeEvent, NodeEvents, Run, View, truncate_middle};

/// Maximum number of bytes of the arguments of a call. Longer arguments keep their start and end.
const MAX_ARGUMENTS_BYTES: usize = 512;
/// Maximum number of bytes of the explanation of a failed call.
const MAX_ERROR_BYTES: usize = 256;
/// Maximum number of bytes of all events of a node, without the results of its agents, which have their own limit. The
/// newest events stay.
const MAX_BYTES: usize = 32 * 1024;

/// Returns the events of a node in the order of the log, with the results of its agents between them. `results`
/// contains all results with their agents; the results of each agent are in order.
pub(super) fn blocks(
    view: &View,
    run: &Run,
    node: &str,
    results: Vec<(&AgentId, Option<PromptBlock>)>,
) -> Vec<PromptBlock> {
    let mut by_agent: BTreeMap<&AgentId, VecDeque<Option<PromptBlock>>> = BTreeMap::new();
    let agents: Vec<&AgentId> = results.iter().map(|(agent, _)| *agent).collect();
    for (agent, block) in results {
        by_agent.entry(agent).or_default().push_back(block);
    }
    let known = view.node_activity.of(node);
    // Iterate from the newest event to the oldest, so that the oldest events are left out if there are too many.
    let (mut newest, mut bytes, mut left_out) = (vec![], 0, known.map_or(0, NodeEvents::removed));
    for event in known.into_iter().flat_map(NodeEvents::events).rev() {
        let block = match event {
            NodeEvent::Result(agent) => {
                newest.extend(by_agent.get_mut(agent).and_then(VecDeque::pop_back).flatten());
                continue;
            }
            NodeEvent::Call(call) => call_block(view, run, *call),
            NodeEvent::Decision { by, action, agents, reason, fallback } => {
                let line = ServerLine::new("[node_event decision from=agent id=").id(by.as_str());
                let line = line.push(" action=").push(action.as_str());
                let line = agents.iter().fold(line, |line, agent| line.push(" to=").id(agent.as_str()));
                let line = if *fallback { line.push(" fallback=true]") } else { line.push("]") };
                Some(quoted_unless_empty(line, reason))
            }
            NodeEvent::Failure { agent, attempt, code, message, is_retried } => {
                let line = ServerLine::new("[node_event attempt from=agent id=").id(agent.as_str());
                let line = line.push(" number=").number(u64::from(*attempt)).push(" failed error=").id(code);
                let line = line.push(if *is_retried { " retried=true]" } else { " retried=false]" });
                Some(quoted_unless_empty(line, message))
            }
        };
        let Some(block) = block else { continue };
        bytes += block.text().len();
        match bytes {
            0..=MAX_BYTES => newest.push(block),
            _ => left_out += 1,
        }
    }
    // Results whose events were removed are older than all other results.
    let mut blocks: Vec<PromptBlock> =
        agents.iter().filter_map(|agent| by_agent.get_mut(agent)?.pop_front()?).collect();
    if left_out > 0 {
        let line = ServerLine::new("[node_event left_out number=").number(left_out);
        blocks.push(PromptBlock::server(line.push("]: older events of the node")));
    }
    blocks.extend(newest.into_iter().rev());
    blocks
}

/// Returns a block with the state of a node.
pub(super) fn state_block(node: &str, item: &PlanItem) -> PromptBlock {
    let state = match item.state {
        PlanItemState::Completed => "completed",
        PlanItemState::Blocked => "failed",
        PlanItemState::Skipped => "skipped",
        PlanItemState::NotStarted => "not_started",
        PlanItemState::InProgress => "in_progress",
    };
    let line = ServerLine::new("[node_event state node=").id(node).push(" state=").push(state);
    quoted_unless_empty(line.push("]"), &item.note)
}

/// Returns a block with a call, its arguments and its outcome. It does not contain the result itself, because the
/// agent's own text states what follows from the result.
fn call_block(view: &View, run: &Run, id: CallId) -> Option<PromptBlock> {
    let round = run.tool_round_of(id)?;
    let call = round.calls.iter().find(|call| call.id == id)?;
    let line = ServerLine::new("[node_event call from=agent id=").id(round.assignment.agent.as_str());
    let line = line.push(" tool=").quoted(&call.name).push(" outcome=").push(outcome(view, call));
    let line = if call.attempt > 1 { line.push(" attempts=").number(u64::from(call.attempt)) } else { line };
    let line = match &call.error {
        Some(error) => {
            // A tool's error can contain text from outside.
            let line = if call.attempt > 0 { line.sources(&call.result_sources) } else { line };
            let message = truncate_middle(&error.message, MAX_ERROR_BYTES);
            line.push(" error=").id(&error.code).push(" message=").quoted(&message)
        }
        None => line,
    };
    Some(PromptBlock::quoted(line.push("]"), &truncate_middle(&call.arguments, MAX_ARGUMENTS_BYTES)))
}

fn outcome(view: &View, call: &Call) -> &'static str {
    let is_decided = view.call_memory.answer(call.id).is_some();
    match call.state {
        CallState::Completed if is_decided => "answered_by_people",
        CallState::Completed => "completed",
        CallState::Failed if is_decided => "refused_by_people",
        CallState::Failed => "failed",
        CallState::Proposed | CallState::Asked | CallState::Allowed => "not_made",
        CallState::Started | CallState::Uncertain => "unknown",
    }
}

fn quoted_unless_empty(line: ServerLine, text: &str) -> PromptBlock {
    if text.is_empty() { PromptBlock::server(line) } else { PromptBlock::quoted(line, text) }
}
