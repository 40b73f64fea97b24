//! Failures in the `brain` flow: the decisions that its planner is asked for, and the outcome of the run.

use roundtable::kernel::plan::PlanItemState;
use roundtable::kernel::*;

use super::flows::team_of;
use super::harness::*;

use AgentRole::{Executor, Planner};

const PLAN: &str = r#"{"steps":[{"agent":"A","action":"a"},{"agent":"B","action":"b"}],"estimated_time":"1 minute"}"#;

/// Starts a run with a confirmed plan, in which A works on the first item.
fn start_with_confirmed_plan() -> KernelHarness {
    let team = team_of("brain", &[("P", Planner), ("A", Executor), ("B", Executor)]);
    let mut harness = KernelHarness::with(team, Settings { max_attempts: 1, max_retries: 1, ..Settings::default() });
    harness.ok(OWNER, say("do it"));
    harness.finish(PLAN);
    harness.vote(OWNER, gate::Choice::Approve, None).expect("counts");
    assert_eq!(harness.writing_agents(), ["A"]);
    harness
}

fn finish_decision(harness: &mut KernelHarness, action: &str, more: &str) {
    assert_eq!(harness.writing_agents(), ["P"]);
    harness.finish(&format!(r#"{{"analysis":"x","next_action":"{action}","reason":"y"{more}}}"#));
}

fn item_states(harness: &KernelHarness) -> Vec<PlanItemState> {
    let run = harness.state.view().run.as_ref().expect("a run");
    run.plan.as_ref().expect("a plan").items.iter().map(|item| item.state).collect()
}

#[test]
fn the_planner_decides_after_a_step_failed() {
    let mut harness = start_with_confirmed_plan();
    harness.fail(None);
    assert_eq!(item_states(&harness)[0], PlanItemState::Blocked);
    finish_decision(&mut harness, "retry", "");
    assert_eq!(harness.writing_agents(), ["A"], "the step is tried again");
    harness.finish("done at last");
    finish_decision(&mut harness, "continue", "");
    assert_eq!(harness.writing_agents(), ["B"]);
    harness.fail(None);
    finish_decision(&mut harness, "end", "");
    assert_eq!(harness.phase(), Phase::Completed, "what was done is a result");
    assert_eq!(item_states(&harness), [PlanItemState::Completed, PlanItemState::Blocked]);
}

#[test]
fn a_planner_that_fails_fails_the_run() {
    let mut harness = start_with_confirmed_plan();
    harness.finish("done");
    assert_eq!(harness.writing_agents(), ["P"]);
    harness.fail(None);
    assert_eq!(harness.phase(), Phase::Failed);
}

#[test]
fn a_run_without_a_completed_step_fails() {
    let mut harness = start_with_confirmed_plan();
    harness.fail(None);
    finish_decision(&mut harness, "continue", "");
    harness.fail(None);
    finish_decision(&mut harness, "continue", "");
    assert_eq!(harness.phase(), Phase::Failed);
    let error = harness.state.view().run.as_ref().and_then(|run| run.error.clone()).expect("it says why");
    assert_eq!(&*error.code, "plan_blocked");
}

#[test]
fn an_instruction_after_the_last_step_is_executed() {
    let mut harness = start_with_confirmed_plan();
    harness.finish("a");
    finish_decision(&mut harness, "continue", "");
    harness.finish("b");
    finish_decision(&mut harness, "continue", r#","next_agent":"A","instruction":"check b""#);
    assert_eq!(harness.writing_agents(), ["A"]);
    let run = harness.state.view().active_run().expect("a run");
    assert_eq!(&*run.plan.as_ref().expect("a plan").items[2].action, "check b");
    harness.finish("checked");
    finish_decision(&mut harness, "continue", r#","next_agent":"nobody","instruction":"more""#);
    finish_decision(&mut harness, "continue", "");
    assert_eq!(harness.phase(), Phase::Completed, "an agent that is not there does nothing");
    assert_eq!(item_states(&harness), [PlanItemState::Completed; 3]);
}
