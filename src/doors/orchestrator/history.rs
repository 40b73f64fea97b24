//! What was done for a task, step by step, with what the brain decided after each: read off the log.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::kernel::judgement::Action;
use crate::kernel::plan::StepState;
use crate::kernel::{Fact, Language, MessageId, Run, StepId, Task, Timestamp, View, schema};
use crate::protocol::Problem;
use crate::store::{EventStore, tail};

/// One try of a step.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Line {
    step: u32,
    agent: Arc<str>,
    action: Arc<str>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    brain_decision: Option<Arc<str>>,
    timestamp: Timestamp,
}

impl Line {
    fn end(&mut self, status: &'static str, at: Timestamp) {
        (self.status, self.progress, self.timestamp) = (status, None, at);
    }
}

/// The tries of all steps, in their order.
pub(super) async fn history(store: &dyn EventStore, view: &View) -> Result<Vec<Line>, Problem> {
    let Some(run) = &view.run else { return Ok(vec![]) };
    let mut lines: Vec<Line> = vec![];
    let mut writing: BTreeMap<MessageId, usize> = BTreeMap::new();
    // A try whose agent has called tools goes on in the next message of the same step.
    let mut calling: BTreeMap<StepId, usize> = BTreeMap::new();
    for recorded in tail(store, view.session, run.id.0.saturating_sub(1)).await? {
        let event = recorded.event;
        match &event.fact {
            Fact::MessageStarted { message, step, agent, task: Task::Execute { number, .. }, .. }
                if !writing.contains_key(message) =>
            {
                let at = calling.remove(step).unwrap_or_else(|| {
                    let planned = run.plan.as_ref().and_then(|plan| plan.step(*number));
                    let action: Arc<str> = planned.map_or_else(|| "".into(), |step| step.action.clone());
                    lines.push(Line {
                        step: *number,
                        agent: agent.as_str().into(),
                        progress: Some(working(&action, view.team.language)),
                        action,
                        status: "executing",
                        result: None,
                        brain_decision: None,
                        timestamp: event.at,
                    });
                    lines.len() - 1
                });
                writing.insert(*message, at);
            }
            Fact::MessageCompleted { message, step, calls: 1.., out_of_turns: false, .. } => {
                calling.extend(writing.remove(message).map(|at| (*step, at)));
            }
            Fact::MessageCompleted { message, text, out_of_turns, .. } => {
                if let Some(line) = writing.get(message).and_then(|at| lines.get_mut(*at)) {
                    line.end(if *out_of_turns { "failed" } else { "completed" }, event.at);
                    line.result = Some(text.clone());
                }
            }
            // The brain decides what comes of it, so that people want to know why.
            Fact::StepFailed { message, retry_at: None, error, .. } => {
                if let Some(line) = writing.get(message).and_then(|at| lines.get_mut(*at)) {
                    line.result = Some(error.message.clone());
                }
            }
            Fact::MessageAborted { message, .. } => {
                if let Some(line) = writing.get(message).and_then(|at| lines.get_mut(*at)) {
                    line.end("failed", event.at);
                }
            }
            // Somebody stopped it while its tools ran.
            Fact::StepSkipped { step, .. } => {
                if let Some(line) = calling.remove(step).and_then(|at| lines.get_mut(at)) {
                    line.end("failed", event.at);
                }
            }
            Fact::DecisionMade { decision, .. } => {
                if let Some(line) = lines.last_mut() {
                    line.brain_decision = Some(words(decision.action, &decision.reason, view.team.language));
                }
            }
            _ => {}
        }
    }
    Ok(lines)
}

fn working(action: &str, language: Language) -> Arc<str> {
    match language {
        Language::Zh => format!("正在执行：{action}").into(),
        Language::En => format!("in progress: {action}").into(),
    }
}

fn words(action: Action, reason: &str, language: Language) -> Arc<str> {
    let what = match (action, language) {
        (Action::Retry, Language::Zh) => "重试",
        (Action::Skip, Language::Zh) => "跳过下一步",
        (Action::End, Language::Zh) => "结束",
        (_, Language::Zh) => "继续下一步",
        (Action::Retry, Language::En) => "retry",
        (Action::Skip, Language::En) => "skip",
        (Action::End, Language::En) => "end",
        (_, Language::En) => "continue",
    };
    let between = if language == Language::Zh { "：" } else { ": " };
    if reason.is_empty() { what.into() } else { format!("{what}{between}{reason}").into() }
}

/// What this agent brought last, as JSON where it is: the object in it, or all of them where there are several.
pub(super) fn result_of(lines: &[Line], agent: &str) -> Value {
    let mut own = lines.iter().rev().filter(|line| line.agent.eq_ignore_ascii_case(agent));
    let Some(text) = own.find(|line| line.status == "completed").and_then(|line| line.result.as_ref()) else {
        return Value::Null;
    };
    let mut found = schema::values_in(text);
    match found.len() {
        0 => text.to_string().into(),
        1 => found.swap_remove(0),
        _ => found.into(),
    }
}

/// The step that is under way, or the last one that was; 0 before the first.
pub(super) fn current(run: &Run) -> u32 {
    let begun = |state: StepState| state != StepState::NotStarted;
    let steps = run.plan.as_ref().map_or(&[][..], |plan| &plan.steps);
    (1..).zip(steps).filter(|(_, step)| begun(step.state)).map(|(number, _)| number).last().unwrap_or(0)
}
