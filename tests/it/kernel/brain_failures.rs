//! Failures in `brain`: the decisions that its planner is asked for, and the outcome of the run.

use roundtable::kernel::plan::PlanItemState;
use roundtable::kernel::*;

use super::flows::team_of;
use super::harness::*;

use AgentRole::{Executor, Planner};

const PLAN: &str = r#"{"steps":[{"agent":"A","action":"a"},{"agent":"B","action":"b"}],"estimated_time":"1 minute"}"#;

/// A run with a confirmed plan: A works on the first step.
fn confirmed() -> KernelHarness {
    let team = team_of("brain", &[("P", Planner), ("A", Executor), ("B", Executor)]);
    let mut stage = KernelHarness::with(team, Settings { max_attempts: 1, max_retries: 1, ..Settings::default() });
    stage.ok(OWNER, say("do it"));
    stage.finish(PLAN);
    stage.vote(OWNER, gate::Choice::Approve, None).expect("counts");
    assert_eq!(stage.writing(), ["A"]);
    stage
}

fn decide(stage: &mut KernelHarness, action: &str, more: &str) {
    assert_eq!(stage.writing(), ["P"]);
    stage.finish(&format!(r#"{{"analysis":"x","next_action":"{action}","reason":"y"{more}}}"#));
}

fn states(stage: &KernelHarness) -> Vec<PlanItemState> {
    let run = stage.state.view().run.as_ref().expect("a run");
    run.plan.as_ref().expect("a plan").items.iter().map(|item| item.state).collect()
}

#[test]
fn a_step_whose_model_fails_is_the_planners_to_decide() {
    let mut stage = confirmed();
    stage.fail(None);
    assert_eq!(states(&stage)[0], PlanItemState::Blocked);
    decide(&mut stage, "retry", "");
    assert_eq!(stage.writing(), ["A"], "the step is tried again");
    stage.finish("done at last");
    decide(&mut stage, "continue", "");
    assert_eq!(stage.writing(), ["B"]);
    stage.fail(None);
    decide(&mut stage, "end", "");
    assert_eq!(stage.phase(), Phase::Completed, "what was done is a result");
    assert_eq!(states(&stage), [PlanItemState::Completed, PlanItemState::Blocked]);
}

#[test]
fn a_planner_that_fails_fails_the_run() {
    let mut stage = confirmed();
    stage.finish("done");
    assert_eq!(stage.writing(), ["P"]);
    stage.fail(None);
    assert_eq!(stage.phase(), Phase::Failed);
}

#[test]
fn a_run_of_which_nothing_could_be_done_has_failed() {
    let mut stage = confirmed();
    stage.fail(None);
    decide(&mut stage, "continue", "");
    stage.fail(None);
    decide(&mut stage, "continue", "");
    assert_eq!(stage.phase(), Phase::Failed);
    let error = stage.state.view().run.as_ref().and_then(|run| run.error.clone()).expect("it says why");
    assert_eq!(&*error.code, "plan_blocked");
}

#[test]
fn an_instruction_after_the_last_step_is_carried_out() {
    let mut stage = confirmed();
    stage.finish("a");
    decide(&mut stage, "continue", "");
    stage.finish("b");
    decide(&mut stage, "continue", r#","next_agent":"A","instruction":"check b""#);
    assert_eq!(stage.writing(), ["A"]);
    let run = stage.state.view().active_run().expect("a run");
    assert_eq!(&*run.plan.as_ref().expect("a plan").items[2].action, "check b");
    stage.finish("checked");
    decide(&mut stage, "continue", r#","next_agent":"nobody","instruction":"more""#);
    decide(&mut stage, "continue", "");
    assert_eq!(stage.phase(), Phase::Completed, "an agent that is not there does nothing");
    assert_eq!(states(&stage), [PlanItemState::Completed; 3]);
}
