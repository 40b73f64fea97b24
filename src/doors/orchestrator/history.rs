//! History of a task, read from the log: all attempts, and the brain's decision after each.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::doors::wording;
use crate::kernel::plan::PlanItemState;
use crate::kernel::planner_decision::PlannerAction;
use crate::kernel::{Fact, Language, MessageId, Run, StepId, Task, Timestamp, View, schema};
use crate::protocol::Problem;
use crate::store::{EventStore, tail};

/// One attempt at a step.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct HistoryEntry {
    /// Number of the plan's step, from 1.
    step: u32,
    /// Id of the agent, such as `testcase`.
    agent: Arc<str>,
    /// Description of the step in the plan.
    action: Arc<str>,
    /// State: `executing`, `completed` or `failed`.
    status: &'static str,
    /// Result or error message, if the attempt has ended with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Arc<str>>,
    /// Description of the progress, while the attempt is executing.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<Arc<str>>,
    /// Decision of the brain after the attempt, such as `continue: the result is complete`.
    #[serde(skip_serializing_if = "Option::is_none")]
    brain_decision: Option<Arc<str>>,
    /// Note that the result was cut, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<Arc<str>>,
    /// Time of the start, or of the end if the attempt has ended.
    timestamp: Timestamp,
}

impl HistoryEntry {
    fn end(&mut self, status: &'static str, at: Timestamp) {
        (self.status, self.progress, self.timestamp) = (status, None, at);
    }
}

/// Returns the attempts at all steps, in order.
pub(super) async fn history(store: &dyn EventStore, view: &View) -> Result<Vec<HistoryEntry>, Problem> {
    let Some(run) = &view.run else { return Ok(vec![]) };
    let mut lines: Vec<HistoryEntry> = vec![];
    let mut writing: BTreeMap<MessageId, usize> = BTreeMap::new();
    // An attempt whose agent has called tools continues in the next message of the same step.
    let mut calling: BTreeMap<StepId, usize> = BTreeMap::new();
    for recorded in tail(store, view.session, run.id.0.saturating_sub(1)).await? {
        let event = recorded.event;
        match &event.fact {
            Fact::MessageStarted { message, step, agent, task: Task::Execute { number, .. }, .. }
                if !writing.contains_key(message) =>
            {
                let at = calling.remove(step).unwrap_or_else(|| {
                    let planned = run.plan.as_ref().and_then(|plan| plan.item(*number));
                    let action: Arc<str> = planned.map_or_else(|| "".into(), |item| item.action.clone());
                    lines.push(HistoryEntry {
                        step: *number,
                        agent: agent.as_str().into(),
                        progress: Some(working_text(&action, view.team.language)),
                        action,
                        status: "executing",
                        result: None,
                        brain_decision: None,
                        note: None,
                        timestamp: event.at,
                    });
                    lines.len() - 1
                });
                writing.insert(*message, at);
            }
            Fact::MessageCompleted { message, step, calls: 1.., out_of_turns: false, .. } => {
                calling.extend(writing.remove(message).map(|at| (*step, at)));
            }
            Fact::MessageCompleted { message, text, out_of_turns, truncated, .. } => {
                if let Some(line) = writing.get(message).and_then(|at| lines.get_mut(*at)) {
                    line.note = truncated.then(|| wording::truncated(view.team.language));
                    line.end(if *out_of_turns { "failed" } else { "completed" }, event.at);
                    line.result = Some(text.clone());
                }
            }
            // The brain decides how to continue after the failure, so the error explains its decision.
            Fact::AttemptFailed { message, retry_at: None, error, .. } => {
                if let Some(line) = writing.get(message).and_then(|at| lines.get_mut(*at)) {
                    line.result = Some(wording::error_text(error, view.team.language));
                }
            }
            Fact::MessageAborted { message, .. } => {
                if let Some(line) = writing.get(message).and_then(|at| lines.get_mut(*at)) {
                    line.end("failed", event.at);
                }
            }
            // The step was skipped while its tools ran.
            Fact::StepSkipped { step, .. } => {
                if let Some(line) = calling.remove(step).and_then(|at| lines.get_mut(at)) {
                    line.end("failed", event.at);
                }
            }
            Fact::DecisionMade { decision, .. } => {
                if let Some(line) = lines.last_mut() {
                    line.brain_decision = Some(decision_text(decision.action, &decision.reason, view.team.language));
                }
            }
            // The specification of this door has no line for other facts.
            _ => {}
        }
    }
    Ok(lines)
}

fn working_text(action: &str, language: Language) -> Arc<str> {
    match language {
        Language::Zh => format!("正在执行：{action}").into(),
        Language::En => format!("in progress: {action}").into(),
    }
}

fn decision_text(action: PlannerAction, reason: &str, language: Language) -> Arc<str> {
    let what = match (action, language) {
        (PlannerAction::Retry, Language::Zh) => "重试",
        (PlannerAction::Skip, Language::Zh) => "跳过下一步",
        (PlannerAction::End, Language::Zh) => "结束",
        (_, Language::Zh) => "继续下一步",
        (PlannerAction::Retry, Language::En) => "retry",
        (PlannerAction::Skip, Language::En) => "skip",
        (PlannerAction::End, Language::En) => "end",
        (_, Language::En) => "continue",
    };
    let between = if language == Language::Zh { "：" } else { ": " };
    if reason.is_empty() { what.into() } else { format!("{what}{between}{reason}").into() }
}

/// Returns the results of this agent, from the last completed attempt at each of its steps, or null if there are none.
/// A result that consists only of JSON counts as JSON; any other result counts as text. Several results are returned as
/// a list.
pub(super) fn agent_result(lines: &[HistoryEntry], agent: &str) -> Value {
    let own = lines.iter().filter(|line| line.agent.eq_ignore_ascii_case(agent) && line.status == "completed");
    let texts: BTreeMap<u32, &Arc<str>> = own.filter_map(|line| Some((line.step, line.result.as_ref()?))).collect();
    let answers =
        texts.into_values().map(|text| schema::only_values_in(text).unwrap_or_else(|| vec![text.to_string().into()]));
    let mut found: Vec<Value> = answers.flatten().collect();
    match found.len() {
        0 => Value::Null,
        1 => found.swap_remove(0),
        // The lists of several steps are joined into one list.
        _ => found
            .into_iter()
            .flat_map(|value| if let Value::Array(items) = value { items } else { vec![value] })
            .collect(),
    }
}

/// Returns the number of the current or last step, or 0 before the first step.
pub(super) fn current_step(run: &Run) -> u32 {
    let started = |state: PlanItemState| state != PlanItemState::NotStarted;
    let items = run.plan.as_ref().map_or(&[][..], |plan| &plan.items);
    (1..).zip(items).filter(|(_, item)| started(item.state)).map(|(number, _)| number).last().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn line(step: u32, agent: &str, status: &'static str, result: &str) -> HistoryEntry {
        HistoryEntry {
            step,
            agent: agent.into(),
            action: "do it".into(),
            status,
            result: Some(result.into()),
            progress: None,
            brain_decision: None,
            note: None,
            timestamp: serde_json::from_value(json!("2026-01-01T00:00:00.000Z")).expect("a time"),
        }
    }

    #[test]
    fn a_text_with_json_in_it_is_kept_whole() {
        let table = "| id | body |\n| --- | --- |\n| 1 | `{\"user\":\"a\"}` |";
        assert_eq!(agent_result(&[line(1, "testcase", "completed", table)], "testcase"), json!(table));
        let fenced = "用例如下：\n```json\n[{\"id\":1},{\"id\":2}]\n```";
        assert_eq!(
            agent_result(&[line(1, "testcase", "completed", fenced)], "testcase"),
            json!([{ "id": 1 }, { "id": 2 }])
        );
        assert_eq!(agent_result(&[line(1, "testcase", "completed", "{\"id\":1}")], "testcase"), json!({ "id": 1 }));
    }

    #[test]
    fn every_step_of_an_agent_counts_with_its_last_try() {
        let lines = [
            line(1, "requirement", "completed", "rules"),
            line(2, "testcase", "completed", "[{\"id\":0}]"),
            line(2, "testcase", "completed", "[{\"id\":1},{\"id\":2}]"),
            line(3, "TestCase", "completed", "and in words"),
            line(4, "testcase", "failed", "the model did not answer"),
            line(5, "testcase", "completed", "{\"id\":3}"),
        ];
        assert_eq!(agent_result(&lines, "testcase"), json!([{ "id": 1 }, { "id": 2 }, "and in words", { "id": 3 }]));
        assert_eq!(agent_result(&lines, "requirement"), json!("rules"));
        assert_eq!(agent_result(&lines, "knowledge"), Value::Null);
    }
}
