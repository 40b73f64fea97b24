//! Plans in execution: the planner's decisions and edits by people.

use roundtable::kernel::gate::{Choice, Gate};
use roundtable::kernel::plan::{Plan, PlanItemState};
use roundtable::kernel::*;
use serde_json::json;
use serde_json::value::RawValue;

use super::flows::{run, team_of};
use super::harness::*;
use super::scripted_runner::{ModelResponse, ModelScript, ScriptedRunner, put_once, text_response};

use AgentRole::{Executor, Planner, Worker};
use PlanItemState::{Blocked, Completed, NotStarted, Skipped};

/// Returns a plan with these steps, each of which is a call of `put`.
fn plan_response(steps: &[&str]) -> ModelResponse {
    let step = |what: &&str| json!({ "action": what, "tool_name": "put", "tool_params": { "what": what } });
    text_response(
        &json!({ "action": "continue", "next_steps": steps.iter().map(step).collect::<Vec<_>>() }).to_string(),
    )
}

fn conclusion() -> ModelResponse {
    text_response("{\"root_cause\":\"rust\",\"suggestions\":[]}")
}

fn investigation(script: ModelScript) -> ScriptedRunner {
    let mut runner = ScriptedRunner::new(team_of("investigate", &[("P", Planner)]), script);
    runner.begin("why?");
    runner
}

/// Returns the number of executed items.
fn executed(view: &View) -> usize {
    run(view).task_results.iter().filter(|done| matches!(done.assignment.task, Task::Execute { .. })).count()
}

fn plan(runner: &ScriptedRunner) -> Plan {
    runner.harness.state.view().run.as_ref().and_then(|run| run.plan.clone()).expect("a plan")
}

/// Returns the plan's items, with their states.
fn items(runner: &ScriptedRunner) -> Vec<(String, PlanItemState)> {
    plan(runner).items.iter().map(|item| (item.action.to_string(), item.state)).collect()
}

fn order(runner: &ScriptedRunner) -> Vec<u32> {
    let started = runner.harness.log.iter().filter_map(|event| match &event.fact {
        Fact::PlanItemChanged { number, state: PlanItemState::InProgress, .. } => Some(*number),
        _ => None,
    });
    started.collect()
}

#[test]
fn an_investigation_continues_with_its_planned_steps() {
    let mut runner = investigation(|view, running| match running.task {
        Task::Plan => plan_response(&["a", "b", "c"]),
        // The planner also decides to continue after the last step. No steps remain then, and the flow concludes.
        Task::Decide if executed(view) == 2 => text_response("{\"action\":\"continue\",\"next_steps\":[]}"),
        Task::Decide => text_response("{\"action\":\"continue\",\"reason\":\"as planned\"}"),
        _ => conclusion(),
    });
    runner.finish_run(None);
    assert_eq!(items(&runner), ["a", "b", "c"].map(|step| (step.to_owned(), Completed)));
    assert!(!runner.names().contains(&"output.rejected".to_owned()) && runner.result().contains("rust"));
}

#[test]
fn the_first_plan_of_an_investigation_needs_a_step() {
    let mut runner = investigation(|view, running| match running.task {
        Task::Plan if run(view).rejected_outputs.is_empty() => text_response("{\"action\":\"continue\"}"),
        Task::Plan => plan_response(&["a"]),
        Task::Decide => text_response("{\"action\":\"synthesize\"}"),
        _ => conclusion(),
    });
    runner.finish_run(None);
    assert_eq!(items(&runner), [("a".to_owned(), Completed)]);
}

#[test]
fn a_question_to_people_precedes_other_planned_steps() {
    let mut runner = investigation(|view, running| match (running.task, executed(view)) {
        (Task::Plan, _) => plan_response(&["a", "b"]),
        (Task::Decide, 1) => text_response("{\"action\":\"request_input\",\"question\":\"Which colour?\"}"),
        // The planned steps follow the answer without another decision.
        (Task::Decide, 2) => unreachable!("nothing is decided between an answer and the next step"),
        (Task::Decide, _) => {
            assert!(view.decided.iter().any(|gate| &*gate.prompt == "Which colour?"), "it was asked");
            text_response("{\"action\":\"synthesize\"}")
        }
        _ => conclusion(),
    });
    runner.finish_run(None);
    assert_eq!(items(&runner), ["a", "Which colour?", "b"].map(|step| (step.to_owned(), Completed)));
    assert_eq!(order(&runner), [1, 2, 3]);
}

#[test]
fn an_initial_question_is_the_first_step_of_the_plan() {
    let mut runner = investigation(|view, running| match (running.task, executed(view)) {
        (Task::Plan, _) => {
            text_response("{\"action\":\"request_input\",\"question\":\"Which colour?\",\"context\":\"of the bug\"}")
        }
        (Task::Decide, 1) => plan_response(&["a"]),
        (Task::Decide, _) => text_response("{\"action\":\"synthesize\"}"),
        _ => conclusion(),
    });
    runner.finish_run(None);
    assert_eq!(items(&runner), ["Which colour?", "a"].map(|step| (step.to_owned(), Completed)));
    assert_eq!(order(&runner), [1, 2]);
}

#[test]
fn an_investigation_asks_through_its_plan_and_not_with_the_tool() {
    let mut team = team_of("investigate", &[("P", Planner)]);
    team.agents[0].tools = vec!["ask_people".into()];
    let mut runner = ScriptedRunner::new(team, |_, _| conclusion());
    runner.begin("why?");
    let offered = |task| {
        let by = Assignment::new(&agent("P"), task);
        kernel_tools::offered_tools(runner.harness.state.view(), &by).map(|tool| tool.name).collect::<Vec<_>>()
    };
    assert!([Task::Plan, Task::Decide, Task::Summarize].iter().all(|task| offered(*task).is_empty()));
    assert_eq!(offered(Task::Reply), ["ask_people"]);
}

#[test]
fn a_new_plan_keeps_finished_steps_and_their_numbers() {
    let mut runner = investigation(|view, running| match (running.task, executed(view)) {
        (Task::Plan, 0) => plan_response(&["a", "b", "c"]),
        (Task::Plan, _) => plan_response(&["d"]),
        (Task::Decide, 2) => text_response("{\"action\":\"adjust_plan\",\"reason\":\"it failed\"}"),
        (Task::Decide, _) => text_response("{\"action\":\"continue\"}"),
        _ => conclusion(),
    })
    .deny_call_at(2);
    runner.finish_run(None);
    let expected = [("a", Completed), ("b", Blocked), ("d", Completed)].map(|(step, state)| (step.to_owned(), state));
    assert_eq!(items(&runner), expected);
    assert_eq!((order(&runner), plan(&runner).rev), (vec![1, 2, 3], 2));
}

#[test]
fn a_plan_that_an_agent_keeps_for_itself_stays_in_order() {
    let script: ModelScript = |view, running| {
        let keep = |arguments| (String::new(), vec![super::scripted_runner::tool_call("plan", arguments)]);
        match running.turn {
            1 => keep(json!({ "command": "create", "items": ["a", "b", "c", "d"] })),
            2 => keep(json!({ "command": "mark_item", "item_index": 2 })),
            3 => keep(json!({ "command": "update", "items": ["b", "e"] })),
            _ => text_response(&format!("{} items", run(view).plan.as_ref().expect("a plan").items.len())),
        }
    };
    let mut team = team_of("react", &[("W", Worker)]);
    team.agents[0].tools = vec!["plan".into()];
    let mut runner = ScriptedRunner::new(team, script);
    runner.begin("do it");
    runner.finish_run(None);
    let expected = [("a", Skipped), ("b", NotStarted), ("c", Completed), ("e", NotStarted)];
    assert_eq!(items(&runner), expected.map(|(step, state)| (step.to_owned(), state)));
}

fn brain(view: &View, running: &RunningMessage) -> ModelResponse {
    match running.task {
        Task::Plan => {
            text_response("{\"steps\":[{\"agent\":\"A\",\"action\":\"a\"},{\"agent\":\"A\",\"action\":\"b\"}]}")
        }
        Task::Decide => {
            text_response("{\"next_action\":\"retry\",\"reason\":\"no\",\"next_agent\":\"B\",\"instruction\":\"X\"}")
        }
        _ => text_response(&run(view).task_results.len().to_string()),
    }
}

fn brain_team() -> Team {
    team_of("brain", &[("P", Planner), ("A", Executor), ("B", Executor)])
}

/// Returns a runner with a team that plans and asks people about the plan.
pub(super) fn runner_with_plan() -> ScriptedRunner {
    ScriptedRunner::new(brain_team(), brain)
}

#[test]
fn a_retried_step_does_not_change_the_next_agent() {
    let mut runner = ScriptedRunner::new(brain_team(), brain);
    runner.begin("do it");
    let mut assigned = vec![];
    while runner.harness.state.view().active_run().is_some() {
        let now = run(runner.harness.state.view());
        for running in &now.running {
            if let Task::Execute { number, .. } = running.task {
                let instruction = now.guidance(number).map(|judged| judged.instruction.to_string());
                assigned.push((number, running.agent.to_string(), instruction));
            }
        }
        runner.step();
    }
    let first = |number| (number, "A".to_owned(), None);
    let again = |number| (number, "B".to_owned(), Some("X".to_owned()));
    assert_eq!(assigned, [first(1), again(1), again(1), first(2), again(2), again(2)]);
    assert_eq!(items(&runner), [("a".to_owned(), Blocked), ("b".to_owned(), Blocked)]);
}

#[test]
fn an_edited_plan_must_be_executable_by_the_team() {
    let mut runner = ScriptedRunner::new(brain_team(), brain);
    runner.begin("do it");
    runner.step();
    let gate = runner.harness.gate();
    let edit = |items: serde_json::Value| Command::Vote {
        gate: gate.id,
        rev: gate.rev,
        choice: Choice::Approve,
        comment: None,
        edit: RawValue::from_string(json!({ "items": items }).to_string()).ok(),
        standing: None,
    };
    let good = json!({ "agent": "A", "action": "a" });
    for (items, named) in [
        (json!([good, { "agent": "designer", "action": "draw" }]), ["item 2", "designer", "A, B"]),
        (json!([good, { "agent": "P", "action": "plan" }]), ["item 2", "P", "A, B"]),
        (json!([{ "agent": "B", "action": " " }, good]), ["item 1", "action", "describe"]),
        (json!([]), ["a plan", "1 to", "items"]),
        // Carrying out such an item would do the opposite of what the editor wants.
        (json!([good, { "action": "b", "state": "skipped" }]), ["item 2", "finished", "leave out"]),
        (json!([good, { "action": "b", "agnet": "A" }]), ["edit", "unknown field", "agnet"]),
    ] {
        let refused = runner.harness.submit(OWNER, edit(items)).expect_err("nobody can do it");
        let Rejection::Invalid(error) = &refused else { panic!("{refused}") };
        assert!(named.iter().all(|name| error.contains(name)), "{error}");
    }
    // If an item names no agent, the flow chooses one. Only the plan itself determines which items are over.
    runner.harness.ok(OWNER, edit(json!([good, { "action": "b", "state": "in_progress" }])));
    assert_eq!(runner.harness.writing_agents(), ["A"]);
    use PlanItemState::{InProgress, NotStarted};
    assert_eq!(items(&runner), [("a".to_owned(), InProgress), ("b".to_owned(), NotStarted)]);
}

fn approve_edited(gate: &Gate, items: serde_json::Value) -> Command {
    let edit = RawValue::from_string(json!({ "items": items }).to_string()).ok();
    Command::Vote { gate: gate.id, rev: gate.rev, choice: Choice::Approve, comment: None, edit, standing: None }
}

#[test]
fn removed_steps_of_a_plan_are_remembered_until_they_return() {
    let mut runner = ScriptedRunner::new(brain_team(), brain);
    runner.harness.enter(2, Role::Reviewer);
    runner.harness.ok(OWNER, set(json!({ "approval": { "kind": "all" } })));
    runner.begin("do it");
    runner.step();
    let removed = |runner: &ScriptedRunner| plan(runner).removed.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(removed(&runner).is_empty());
    let gate = runner.harness.gate();
    runner.harness.ok(OWNER, approve_edited(&gate, json!([{ "agent": "A", "action": "a" }])));
    assert_eq!(removed(&runner), ["b"]);
    let gate = runner.harness.gate();
    runner
        .harness
        .ok(2, approve_edited(&gate, json!([{ "agent": "A", "action": "b" }, { "agent": "A", "action": "c" }])));
    assert!(removed(&runner).is_empty(), "b is back, and c can be a in other words");
    let gate = runner.harness.gate();
    runner.harness.ok(OWNER, approve_edited(&gate, json!([{ "agent": "A", "action": "c" }])));
    assert_eq!(removed(&runner), ["b"]);
}

#[test]
fn an_edit_restarts_the_deadline_of_the_gate() {
    let mut runner = ScriptedRunner::new(brain_team(), brain);
    runner.harness.enter(2, Role::Reviewer);
    runner.harness.ok(OWNER, set(json!({ "gate_seconds": 60, "approval": { "kind": "all" } })));
    runner.begin("do it");
    runner.step();
    let opened = runner.harness.gate();
    runner.harness.now += 40_000;
    // The gate keeps the timeout that it was opened with.
    runner.harness.ok(OWNER, set(json!({ "gate_seconds": 5 })));
    runner.harness.ok(OWNER, approve_edited(&opened, json!([{ "agent": "A", "action": "a" }])));
    let revised =
        runner.harness.log.iter().rfind(|event| matches!(event.fact, Fact::GateRevised { .. })).expect("edited");
    let whole = revised.at.plus(60_000);
    assert_eq!(runner.harness.gate().deadline, Some(whole));
    // A reader of the log alone sees the same deadline.
    assert!(matches!(revised.fact, Fact::GateRevised { deadline: Some(shown), .. } if shown == whole), "{revised:?}");
}

#[test]
fn a_step_with_endless_tool_calls_is_blocked() {
    let mut runner = ScriptedRunner::new(brain_team(), |view, running| match running.task {
        Task::Decide => text_response("{\"next_action\":\"continue\",\"reason\":\"well\"}"),
        Task::Execute { number: 1, .. } => {
            ("more".into(), vec![super::scripted_runner::tool_call("put", json!({ "what": running.turn.to_string() }))])
        }
        Task::Execute { .. } => put_once(run(view), running, "b"),
        _ => brain(view, running),
    });
    runner.begin("do it");
    runner.finish_run(None);
    assert_eq!(items(&runner), [("a".to_owned(), Blocked), ("b".to_owned(), Completed)]);
    assert!(runner.result().starts_with("Completed \"put b\""), "{}", runner.result());
}
