//! Plans in execution: the planner's decisions and edits by people.

use roundtable::kernel::gate::{Choice, Gate};
use roundtable::kernel::plan::{Plan, PlanItemState};
use roundtable::kernel::*;
use serde_json::json;
use serde_json::value::RawValue;

use super::flows::{run, team_of};
use super::harness::*;
use super::play::{Line, Play, PlayScript, puts, words};

use AgentRole::{Executor, Planner, Worker};
use PlanItemState::{Blocked, Completed, NotStarted, Skipped};

/// A plan with these steps, each a call of `put`.
fn look(steps: &[&str]) -> Line {
    let step = |what: &&str| json!({ "action": what, "tool_name": "put", "tool_params": { "what": what } });
    words(&json!({ "action": "continue", "next_steps": steps.iter().map(step).collect::<Vec<_>>() }).to_string())
}

fn conclude() -> Line {
    words("{\"root_cause\":\"rust\",\"suggestions\":[]}")
}

fn investigation(script: PlayScript) -> Play {
    let mut play = Play::new(team_of("investigate", &[("P", Planner)]), script);
    play.begin("why?");
    play
}

/// Returns the number of executed items.
fn executed(view: &View) -> usize {
    run(view).task_results.iter().filter(|done| matches!(done.assignment.task, Task::Execute { .. })).count()
}

fn plan(play: &Play) -> Plan {
    play.stage.state.view().run.as_ref().and_then(|run| run.plan.clone()).expect("a plan")
}

/// The plan's items, with their states.
fn items(play: &Play) -> Vec<(String, PlanItemState)> {
    plan(play).items.iter().map(|item| (item.action.to_string(), item.state)).collect()
}

fn order(play: &Play) -> Vec<u32> {
    let begun = play.stage.log.iter().filter_map(|event| match &event.fact {
        Fact::PlanItemChanged { number, state: PlanItemState::InProgress, .. } => Some(*number),
        _ => None,
    });
    begun.collect()
}

#[test]
fn an_investigation_goes_on_with_the_steps_that_it_has() {
    let mut play = investigation(|view, item| match item.task {
        Task::Plan => look(&["a", "b", "c"]),
        // Also after the last step: then no steps remain, and it concludes.
        Task::Decide if executed(view) == 2 => words("{\"action\":\"continue\",\"next_steps\":[]}"),
        Task::Decide => words("{\"action\":\"continue\",\"reason\":\"as planned\"}"),
        _ => conclude(),
    });
    play.finish_run(None);
    assert_eq!(items(&play), ["a", "b", "c"].map(|step| (step.to_owned(), Completed)));
    assert!(!play.names().contains(&"output.rejected".to_owned()) && play.result().contains("rust"));
}

#[test]
fn the_first_plan_of_an_investigation_takes_a_step() {
    let mut play = investigation(|view, item| match item.task {
        Task::Plan if run(view).rejected_outputs.is_empty() => words("{\"action\":\"continue\"}"),
        Task::Plan => look(&["a"]),
        Task::Decide => words("{\"action\":\"synthesize\"}"),
        _ => conclude(),
    });
    play.finish_run(None);
    assert_eq!(items(&play), [("a".to_owned(), Completed)]);
}

#[test]
fn a_question_to_people_precedes_other_planned_steps() {
    let mut play = investigation(|view, item| match (item.task, executed(view)) {
        (Task::Plan, _) => look(&["a", "b"]),
        (Task::Decide, 1) => words("{\"action\":\"request_input\",\"question\":\"Which colour?\"}"),
        // The planned steps follow the answer without another decision.
        (Task::Decide, 2) => unreachable!("nothing is decided between an answer and the next step"),
        (Task::Decide, _) => {
            assert!(view.decided.iter().any(|gate| &*gate.prompt == "Which colour?"), "it was asked");
            words("{\"action\":\"synthesize\"}")
        }
        _ => conclude(),
    });
    play.finish_run(None);
    assert_eq!(items(&play), ["a", "Which colour?", "b"].map(|step| (step.to_owned(), Completed)));
    assert_eq!(order(&play), [1, 2, 3]);
}

#[test]
fn a_question_that_the_planner_begins_with_is_the_first_step_of_the_plan() {
    let mut play = investigation(|view, item| match (item.task, executed(view)) {
        (Task::Plan, _) => {
            words("{\"action\":\"request_input\",\"question\":\"Which colour?\",\"context\":\"of the bug\"}")
        }
        (Task::Decide, 1) => look(&["a"]),
        (Task::Decide, _) => words("{\"action\":\"synthesize\"}"),
        _ => conclude(),
    });
    play.finish_run(None);
    assert_eq!(items(&play), ["Which colour?", "a"].map(|step| (step.to_owned(), Completed)));
    assert_eq!(order(&play), [1, 2]);
}

#[test]
fn an_investigation_asks_by_its_plan_and_not_with_the_tool() {
    let mut team = team_of("investigate", &[("P", Planner)]);
    team.agents[0].tools = vec!["ask_people".into()];
    let mut play = Play::new(team, |_, _| conclude());
    play.begin("why?");
    let offered = |task| {
        let by = Assignment::new(&agent("P"), task);
        kernel_tools::offered_tools(play.stage.state.view(), &by).map(|tool| tool.name).collect::<Vec<_>>()
    };
    assert!([Task::Plan, Task::Decide, Task::Summarize].iter().all(|task| offered(*task).is_empty()));
    assert_eq!(offered(Task::Reply), ["ask_people"]);
}

#[test]
fn a_new_plan_keeps_every_step_that_is_over_with_its_number() {
    let mut play = investigation(|view, item| match (item.task, executed(view)) {
        (Task::Plan, 0) => look(&["a", "b", "c"]),
        (Task::Plan, _) => look(&["d"]),
        (Task::Decide, 2) => words("{\"action\":\"adjust_plan\",\"reason\":\"it failed\"}"),
        (Task::Decide, _) => words("{\"action\":\"continue\"}"),
        _ => conclude(),
    })
    .denying_at(2);
    play.finish_run(None);
    let expected = [("a", Completed), ("b", Blocked), ("d", Completed)].map(|(step, state)| (step.to_owned(), state));
    assert_eq!(items(&play), expected);
    assert_eq!((order(&play), plan(&play).rev), (vec![1, 2, 3], 2));
}

#[test]
fn a_plan_that_an_agent_keeps_for_itself_stays_in_order() {
    let script: PlayScript = |view, item| {
        let keep = |arguments| (String::new(), vec![super::play::wanted("plan", arguments)]);
        match item.turn {
            1 => keep(json!({ "command": "create", "items": ["a", "b", "c", "d"] })),
            2 => keep(json!({ "command": "mark_item", "item_index": 2 })),
            3 => keep(json!({ "command": "update", "items": ["b", "e"] })),
            _ => words(&format!("{} items", run(view).plan.as_ref().expect("a plan").items.len())),
        }
    };
    let mut team = team_of("react", &[("W", Worker)]);
    team.agents[0].tools = vec!["plan".into()];
    let mut play = Play::new(team, script);
    play.begin("do it");
    play.finish_run(None);
    let expected = [("a", Skipped), ("b", NotStarted), ("c", Completed), ("e", NotStarted)];
    assert_eq!(items(&play), expected.map(|(step, state)| (step.to_owned(), state)));
}

fn brain(view: &View, item: &Item) -> Line {
    match item.task {
        Task::Plan => words("{\"steps\":[{\"agent\":\"A\",\"action\":\"a\"},{\"agent\":\"A\",\"action\":\"b\"}]}"),
        Task::Decide => {
            words("{\"next_action\":\"retry\",\"reason\":\"no\",\"next_agent\":\"B\",\"instruction\":\"X\"}")
        }
        _ => words(&run(view).task_results.len().to_string()),
    }
}

fn brain_team() -> Team {
    team_of("brain", &[("P", Planner), ("A", Executor), ("B", Executor)])
}

/// A team that plans and asks people about the plan.
pub(super) fn play_of_a_plan() -> Play {
    Play::new(brain_team(), brain)
}

#[test]
fn a_retried_step_does_not_change_the_next_agent() {
    let mut play = Play::new(brain_team(), brain);
    play.begin("do it");
    let mut told = vec![];
    while play.stage.state.view().active_run().is_some() {
        let now = run(play.stage.state.view());
        for item in &now.items {
            if let Task::Execute { number, .. } = item.task {
                let instruction = now.guidance(number).map(|judged| judged.instruction.to_string());
                told.push((number, item.agent.to_string(), instruction));
            }
        }
        play.step();
    }
    let first = |number| (number, "A".to_owned(), None);
    let again = |number| (number, "B".to_owned(), Some("X".to_owned()));
    assert_eq!(told, [first(1), again(1), again(1), first(2), again(2), again(2)]);
    assert_eq!(items(&play), [("a".to_owned(), Blocked), ("b".to_owned(), Blocked)]);
}

#[test]
fn a_plan_is_edited_into_one_that_the_team_can_carry_out() {
    let mut play = Play::new(brain_team(), brain);
    play.begin("do it");
    play.step();
    let gate = play.stage.gate();
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
    ] {
        let refused = play.stage.does(OWNER, edit(items)).expect_err("nobody can do it");
        let Rejection::Invalid(said) = &refused else { panic!("{refused}") };
        assert!(named.iter().all(|name| said.contains(name)), "{said}");
    }
    // If an item names no agent, the flow chooses one. Only the plan itself determines which items are over.
    play.stage.ok(OWNER, edit(json!([good, { "action": "b", "state": "completed" }])));
    assert_eq!(play.stage.writing(), ["A"]);
    use PlanItemState::{InProgress, NotStarted};
    assert_eq!(items(&play), [("a".to_owned(), InProgress), ("b".to_owned(), NotStarted)]);
}

fn edited(gate: &Gate, items: serde_json::Value) -> Command {
    let edit = RawValue::from_string(json!({ "items": items }).to_string()).ok();
    Command::Vote { gate: gate.id, rev: gate.rev, choice: Choice::Approve, comment: None, edit, standing: None }
}

#[test]
fn what_people_remove_from_a_plan_stays_known_until_it_is_back() {
    let mut play = Play::new(brain_team(), brain);
    play.stage.enter(2, Role::Reviewer);
    play.stage.ok(OWNER, set(json!({ "approval": { "kind": "all" } })));
    play.begin("do it");
    play.step();
    let removed = |play: &Play| plan(play).removed.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(removed(&play).is_empty());
    let gate = play.stage.gate();
    play.stage.ok(OWNER, edited(&gate, json!([{ "agent": "A", "action": "a" }])));
    assert_eq!(removed(&play), ["b"]);
    let gate = play.stage.gate();
    play.stage.ok(2, edited(&gate, json!([{ "agent": "A", "action": "b" }, { "agent": "A", "action": "c" }])));
    assert!(removed(&play).is_empty(), "b is back, and c can be a in other words");
    let gate = play.stage.gate();
    play.stage.ok(OWNER, edited(&gate, json!([{ "agent": "A", "action": "c" }])));
    assert_eq!(removed(&play), ["b"]);
}

#[test]
fn an_edit_gives_everybody_the_whole_time_again() {
    let mut play = Play::new(brain_team(), brain);
    play.stage.enter(2, Role::Reviewer);
    play.stage.ok(OWNER, set(json!({ "gate_seconds": 60, "approval": { "kind": "all" } })));
    play.begin("do it");
    play.step();
    let asked = play.stage.gate();
    play.stage.now += 40_000;
    // The gate keeps the timeout that it opened with.
    play.stage.ok(OWNER, set(json!({ "gate_seconds": 5 })));
    play.stage.ok(OWNER, edited(&asked, json!([{ "agent": "A", "action": "a" }])));
    let revised = play.stage.log.iter().rfind(|event| matches!(event.fact, Fact::GateRevised { .. })).expect("edited");
    let whole = revised.at.plus(60_000);
    assert_eq!(play.stage.gate().deadline, Some(whole));
    // A reader of the log alone sees the same deadline.
    assert!(matches!(revised.fact, Fact::GateRevised { deadline: Some(told), .. } if told == whole), "{revised:?}");
}

#[test]
fn a_step_whose_agent_never_stops_calling_is_blocked() {
    let mut play = Play::new(brain_team(), |view, item| match item.task {
        Task::Decide => words("{\"next_action\":\"continue\",\"reason\":\"well\"}"),
        Task::Execute { number: 1, .. } => {
            ("more".into(), vec![super::play::wanted("put", json!({ "what": item.turn.to_string() }))])
        }
        Task::Execute { .. } => puts(run(view), item, "b"),
        _ => brain(view, item),
    });
    play.begin("do it");
    play.finish_run(None);
    assert_eq!(items(&play), [("a".to_owned(), Blocked), ("b".to_owned(), Completed)]);
    assert!(play.result().starts_with("Completed \"put b\""), "{}", play.result());
}
