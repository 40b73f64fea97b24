//! Every flow from its first message to its end, with interruptions between any two events.

use roundtable::kernel::call::CallState;
use roundtable::kernel::plan::PlanItemState;
use roundtable::kernel::*;
use serde_json::json;

use super::harness::*;
use super::scripted_runner::{
    Interruption, ModelResponse, ModelScript, ScriptedRunner, put_once, text_response, tool_call,
};

use AgentRole::{Executor, Generator, Optimizer, Planner, Reviewer, Router, Summarizer, Worker};

pub(super) fn team_of(flow: &str, roles: &[(&str, AgentRole)]) -> Team {
    Team { flow: flow.into(), ..team(roles) }
}

pub(super) fn run(view: &View) -> &Run {
    view.active_run().expect("a run")
}

fn step<'a>(view: &'a View, running: &RunningMessage) -> &'a str {
    let Task::Execute { number, part } = running.task else { panic!("{:?} is no step", running.task) };
    run(view).plan.as_ref().expect("a plan").item(number).expect("an item").parts()[part as usize]
}

/// Returns the texts of the run's results, in order, without plans.
pub(super) fn joined_results(view: &View) -> String {
    let work = run(view).task_results.iter().filter(|done| done.assignment.task != Task::Plan);
    let texts = work.filter_map(|done| Some(view.message(done.message?)?.text.to_string()));
    texts.collect::<Vec<_>>().join(", ")
}

fn worker(view: &View, running: &RunningMessage) -> ModelResponse {
    match running.task {
        Task::Summarize => text_response(&format!("in sum: {}", joined_results(view))),
        Task::Route => text_response("{\"flow\": \"react\", \"reason\": \"simple\"}"),
        Task::Execute { .. } => put_once(run(view), running, step(view, running)),
        _ => put_once(run(view), running, "x"),
    }
}

fn solver(view: &View, running: &RunningMessage) -> ModelResponse {
    let plan = run(view).plan.as_ref();
    match (running.task, plan) {
        (Task::Plan, None) => {
            (String::new(), vec![tool_call("plan", json!({ "command": "create", "items": ["a<sep>b", "c"] }))])
        }
        (Task::Plan, Some(plan)) if plan.current().is_none() => {
            (String::new(), vec![tool_call("plan", json!({ "command": "finish" }))])
        }
        (Task::Plan, Some(_)) => text_response("go on"),
        _ => worker(view, running),
    }
}

fn brain(view: &View, running: &RunningMessage) -> ModelResponse {
    match running.task {
        Task::Plan => text_response(
            "```json\n{\"steps\":[{\"agent\":\"A\",\"action\":\"a\",\"reason\":\"first\"},{\"agent\":\"B\",\"action\":\"b\"}],\
             \"estimated_time\":\"5 minutes\",\"risks\":[\"none\"]}\n```",
        ),
        Task::Decide => text_response("{\"analysis\":\"good\",\"next_action\":\"continue\",\"reason\":\"as planned\"}"),
        _ => worker(view, running),
    }
}

fn investigator(view: &View, running: &RunningMessage) -> ModelResponse {
    let done =
        run(view).task_results.iter().filter(|done| matches!(done.assignment.task, Task::Execute { .. })).count();
    match (running.task, done) {
        (Task::Plan, _) => text_response(
            "{\"action\":\"continue\",\"next_steps\":[{\"action\":\"look\",\"tool_name\":\"put\",\"tool_params\":{\"what\":\"x\"}}]}",
        ),
        (Task::Decide, 1) => {
            text_response("{\"action\":\"request_input\",\"question\":\"Which colour?\",\"context\":\"of the bug\"}")
        }
        (Task::Decide, 2) => text_response(
            "{\"action\":\"continue\",\"next_steps\":[{\"action\":\"look\",\"tool_name\":\"put\",\"tool_params\":{\"what\":\"y\"}}]}",
        ),
        (Task::Decide, _) => text_response("{\"action\":\"synthesize\"}"),
        _ => text_response("{\"root_cause\":\"rust\",\"suggestions\":[\"paint\"]}"),
    }
}

fn reviewers(view: &View, running: &RunningMessage) -> ModelResponse {
    match view.team.agent(&running.agent).expect("an agent").role {
        // After an interrupt, the new round repeats the earlier steps.
        Generator | Reviewer => text_response("looks good"),
        _ => put_once(run(view), running, "x"),
    }
}

/// Returns every flow, each as a team and a script for its models.
pub(super) fn flows() -> Vec<(Team, ModelScript)> {
    let fixed = |name: &str, action: &str| FixedStep { agent: agent(name), action: action.into() };
    let steps = vec![fixed("W", "a"), fixed("V", "b")];
    let solvers = [("P", Planner), ("E", Executor), ("F", Executor), ("S", Summarizer)];
    vec![
        (team_of("react", &[("W", Worker)]), worker),
        (team_of("comprehensive", &[("W", Worker), ("S", Summarizer)]), worker),
        (Team { steps, ..team_of("workflow", &[("W", Worker), ("V", Worker)]) }, worker),
        (team_of("router", &[("R", Router), ("W", Worker)]), worker),
        (team_of("plan_solve", &solvers), solver),
        (team_of("brain", &[("P", Planner), ("A", Executor), ("B", Executor)]), brain),
        (team_of("investigate", &[("P", Planner)]), investigator),
        (team_of("review", &[("G", Generator), ("H", Generator), ("R", Reviewer), ("O", Optimizer)]), reviewers),
    ]
}

#[test]
fn every_flow_finishes() {
    let expected = [
        ("react", "Completed \"put x\" [] None"),
        ("comprehensive", "Completed \"in sum: put x\" [] None"),
        ("workflow", "Completed \"put b\" [Completed, Completed] None"),
        ("router", "Completed \"put x\" [] None"),
        ("plan_solve", "Completed \"in sum: put a, put b, put c\" [Completed, Completed] None"),
        ("brain", "Completed \"put b\" [Completed, Completed] None"),
        ("review", "Completed \"put x\" [] None"),
        ("investigate", "[Completed, Completed, Completed] Some(Object {\"root_cause\": String(\"rust\")"),
    ];
    for (team, script) in flows() {
        let flow = team.flow.clone();
        let mut runner = ScriptedRunner::new(team, script);
        runner.begin("do it");
        runner.finish_run(None);
        let expected = expected.iter().find(|(name, _)| *name == &*flow).expect("is in the table").1;
        assert!(runner.result().contains(expected), "{flow}: {} {:?}", runner.result(), runner.names());
        assert!(runner.put.values().all(|times| *times == 1), "{flow}: {:?}", runner.put);
    }
}

/// Interrupts every flow after each of its commands, and checks that the result is the same and that nothing is done
/// twice.
fn check_interrupted_everywhere(interruption: Interruption, asking: bool) {
    for (team, script) in flows() {
        let start = || {
            let runner = ScriptedRunner::new(team.clone(), script);
            let mut runner = if asking { runner.ask_before_calls() } else { runner };
            runner.begin("do it");
            runner
        };
        let mut uninterrupted = start();
        uninterrupted.finish_run(None);
        for at in 1..=uninterrupted.commands {
            let mut interrupted = start();
            interrupted.finish_run(Some((at, interruption)));
            let place = format!(
                "{} {interruption:?} after {at} of {}: {:?}",
                team.flow,
                uninterrupted.commands,
                interrupted.names()
            );
            if interrupted.stopped.is_some() {
                // It is unknown whether the call happened. The planner is told so, and decides.
                assert_eq!(interrupted.result().replacen("Blocked", "Completed", 1), uninterrupted.result(), "{place}");
                assert_eq!(interrupted.put.len() + 1, uninterrupted.put.len(), "{place}");
                continue;
            }
            assert_eq!(interrupted.result(), uninterrupted.result(), "{place}");
            assert_eq!(interrupted.put, uninterrupted.put, "{place}");
        }
    }
}

#[test]
fn a_crash_anywhere_does_not_change_the_result() {
    for asking in [false, true] {
        check_interrupted_everywhere(Interruption::Crash { sent_happened: false }, asking);
        check_interrupted_everywhere(Interruption::Crash { sent_happened: true }, asking);
    }
}

#[test]
fn a_pause_anywhere_does_not_change_the_result() {
    check_interrupted_everywhere(Interruption::Pause, false);
    check_interrupted_everywhere(Interruption::Pause, true);
}

#[test]
fn a_spent_budget_that_people_raise_does_not_change_the_result() {
    check_interrupted_everywhere(Interruption::Budget, false);
    check_interrupted_everywhere(Interruption::Budget, true);
}

#[test]
fn an_interrupt_anywhere_only_delays_the_run() {
    check_interrupted_everywhere(Interruption::Interrupt, false);
    check_interrupted_everywhere(Interruption::Interrupt, true);
}

#[test]
fn the_planner_decides_after_a_stopped_call_before_the_next_one() {
    let (team, script) = flows().remove(6);
    for lost in [false, true] {
        let mut runner = ScriptedRunner::new(team.clone(), script);
        runner.begin("do it");
        let has_event = |runner: &ScriptedRunner, wanted: &str| runner.names().iter().any(|name| name == wanted);
        while !has_event(&runner, "tool.started") {
            assert!(runner.step(), "calls nothing");
        }
        if lost {
            runner.harness.submit_as_orchestrator(recover());
            assert!(has_event(&runner, "tool.uncertain"), "{:?}", runner.names());
        }
        runner.harness.ok(OWNER, runner.harness.interrupt(Some("not that one")));
        let before = runner.names().len();
        runner.finish_run(None);
        let since = runner.names().split_off(before);
        let first = |wanted: &str| since.iter().position(|name| name == wanted);
        assert!(first("decision.made") < first("tool.proposed"), "{since:?}");
        assert!(runner.result().contains("Blocked"), "{}", runner.result());
    }
}

#[test]
fn an_investigation_at_its_limit_reports_its_findings() {
    let limits =
        [("max_steps_per_run", 4, FinishReason::StepLimit), ("max_messages_per_run", 3, FinishReason::MessageLimit)];
    for (name, most, reason) in limits {
        for interrupted in [false, true] {
            let (team, script) = flows().remove(6);
            let mut runner = ScriptedRunner::new(team, script);
            runner.harness.ok(OWNER, set(json!({ name: most })));
            runner.begin("do it");
            let writes = |running: &RunningMessage| running.task == Task::Summarize;
            while !runner.harness.state.view().run.as_ref().is_some_and(|run| run.running.iter().any(writes)) {
                assert!(runner.step(), "never sums up: {:?}", runner.names());
            }
            if interrupted {
                runner.harness.ok(OWNER, runner.harness.interrupt(Some("more briefly")));
            }
            runner.finish_run(None);
            assert_eq!(finish_reason(&runner), Some(reason), "{name} {interrupted} {:?}", runner.names());
            assert!(runner.result().contains("root_cause"), "{}", runner.result());
        }
    }
}

#[test]
fn an_agent_that_answered_is_done_even_with_an_open_plan_at_the_limit() {
    let mut team = flows().remove(0).0;
    team.agents[0].tools = vec!["plan".into()];
    let mut runner = ScriptedRunner::new(team, |view, _| match run(view).plan {
        None => (String::new(), vec![tool_call("plan", json!({ "command": "create", "items": ["a"] }))]),
        Some(_) => text_response("done"),
    });
    runner.harness.ok(OWNER, set(json!({ "max_steps_per_run": 1 })));
    runner.begin("do it");
    runner.finish_run(None);
    assert_eq!(finish_reason(&runner), Some(FinishReason::Completed), "{:?}", runner.names());
}

/// Returns the outcome of the newest run that has ended.
fn finish_reason(runner: &ScriptedRunner) -> Option<FinishReason> {
    runner.harness.log.iter().rev().find_map(|event| match &event.fact {
        Fact::RunFinished { reason, .. } => Some(*reason),
        _ => None,
    })
}

#[test]
fn parts_of_a_step_run_in_parallel_and_keep_the_order_of_the_plan() {
    let (team, _) = flows().remove(4);
    let mut runner = ScriptedRunner::new(team, |view, running| match running.task {
        Task::Execute { .. } => text_response(step(view, running)),
        _ => solver(view, running),
    });
    runner.begin("do it");
    while runner.harness.writing_agents() != ["E", "F"] {
        assert!(runner.step(), "never side by side");
    }
    let running = run(runner.harness.state.view()).running.clone();
    // The second message finishes first.
    runner.harness.finish_message(running[1].message, 1, "b");
    runner.harness.finish_message(running[0].message, 1, "a");
    let done = run(runner.harness.state.view()).task_results.clone();
    let parts: Vec<_> = done.iter().map(|done| done.assignment.task).collect();
    assert_eq!(parts[1..], [Task::Execute { number: 1, part: 0 }, Task::Execute { number: 1, part: 1 }]);
}

#[test]
fn unreadable_output_is_requested_again_and_then_replaced_by_a_default() {
    let mut runner = ScriptedRunner::new(flows().remove(5).0, |view, running| match running.task {
        Task::Plan => text_response("I would rather not."),
        Task::Decide => text_response("{\"next_action\":\"dance\"}"),
        _ => worker(view, running),
    });
    runner.begin("do it");
    runner.finish_run(None);
    let rejected = |again| {
        let facts = runner.harness.log.iter().map(|event| &event.fact);
        facts.filter(|fact| matches!(fact, Fact::OutputRejected { again: it, .. } if *it == again)).count()
    };
    // Each output is repaired twice; then the default is used, which is marked as such.
    assert_eq!((rejected(true), rejected(false)), (4, 2));
    let plan = runner.harness.state.view().run.as_ref().and_then(|run| run.plan.clone()).expect("a plan");
    assert!(plan.fallback && plan.items.len() == 1 && &*plan.items[0].action == "do it");
    assert_eq!(plan.items[0].state, PlanItemState::Completed);
}

#[test]
fn endless_tool_calls_are_stopped() {
    let mut runner = ScriptedRunner::new(flows().remove(0).0, |_, running| {
        (String::new(), vec![tool_call("put", json!({ "what": running.turn.to_string() }))])
    });
    runner.begin("do it");
    runner.finish_run(None);
    assert_eq!(runner.put.len(), 19, "one turn less than there may be");
    let mut facts = runner.harness.log.iter().map(|event| &event.fact);
    let cut = |fact: &&Fact| matches!(fact, Fact::MessageCompleted { calls: 1, out_of_turns: true, .. });
    assert!(facts.by_ref().any(|fact| cut(&fact)), "the last turn says what it was");
    let refused = |fact: &Fact| matches!(fact, Fact::ToolFailed { error, .. } if &*error.code == "too_many_turns");
    assert!(facts.by_ref().any(refused), "what it called is there, and failed");
    let ended = |fact: &Fact| matches!(fact, Fact::RunFinished { reason: FinishReason::TurnLimit, .. });
    assert!(facts.any(ended), "{:?}", runner.names());
}

#[test]
fn a_planner_that_never_finishes_is_stopped_at_the_step_limit() {
    let mut runner = ScriptedRunner::new(flows().remove(4).0, |view, running| match (running.task, &run(view).plan) {
        (Task::Plan, _) => (String::new(), vec![tool_call("plan", json!({ "command": "create", "items": ["again"] }))]),
        _ => worker(view, running),
    });
    runner.begin("do it");
    runner.finish_run(None);
    assert_eq!(current_run(&runner).steps, Settings::default().max_steps_per_run);
    assert_eq!(finish_reason(&runner), Some(FinishReason::StepLimit));
}

#[test]
fn a_planner_can_retry_and_skip_steps_and_end_the_run() {
    let states_after = |action: &'static str| -> Vec<PlanItemState> {
        let script: ModelScript = match action {
            "retry" => |view, running| match running.task {
                Task::Decide => text_response("{\"next_action\":\"retry\",\"reason\":\"no\"}"),
                Task::Execute { .. } => text_response("tried"),
                _ => brain(view, running),
            },
            "skip" => |view, running| match running.task {
                Task::Decide => text_response("{\"next_action\":\"skip\",\"reason\":\"no\"}"),
                _ => brain(view, running),
            },
            _ => |view, running| match running.task {
                Task::Decide => text_response("{\"next_action\":\"end\",\"next_agent\":\"END\",\"reason\":\"no\"}"),
                _ => brain(view, running),
            },
        };
        let mut runner = ScriptedRunner::new(flows().remove(5).0, script);
        runner.begin("do it");
        runner.finish_run(None);
        current_run(&runner).plan.expect("a plan").items.iter().map(|item| item.state).collect()
    };
    assert_eq!(states_after("retry"), [PlanItemState::Blocked, PlanItemState::Blocked]);
    assert_eq!(states_after("skip"), [PlanItemState::Completed, PlanItemState::Skipped]);
    assert_eq!(states_after("end"), [PlanItemState::Completed, PlanItemState::NotStarted]);
}

fn current_run(runner: &ScriptedRunner) -> Run {
    runner.harness.state.view().run.clone().expect("a run")
}

#[test]
fn a_failed_call_does_not_end_the_run() {
    let mut team = flows().remove(0).0;
    team.agents[0].tools = vec!["plan".into()];
    let mut runner = ScriptedRunner::new(team, |view, _| {
        let failed =
            run(view).tool_rounds.iter().flat_map(|round| &round.calls).any(|call| call.state == CallState::Failed);
        if failed {
            text_response("it did not work")
        } else {
            (String::new(), vec![tool_call("plan", json!({ "command": "fly" }))])
        }
    });
    runner.begin("do it");
    runner.finish_run(None);
    assert!(runner.result().contains("it did not work"));
}

#[test]
fn a_mention_starts_only_the_steps_of_that_agent() {
    let step = |agent: &str, action: &str| FixedStep { agent: agent.parse().expect("an id"), action: action.into() };
    let steps = vec![step("Analyst", "analyse"), step("Drafter", "draft"), step("Drafter", "shorten")];
    let team = Team { steps, ..team_of("workflow", &[("Analyst", Worker), ("Drafter", Worker)]) };
    for (text, agents) in [
        ("a rule for branches", ["Analyst", "Drafter", "Drafter"].as_slice()),
        ("@Drafter a shorter one", &["Drafter", "Drafter"]),
        ("@all once more", &["Analyst", "Drafter", "Drafter"]),
    ] {
        let mut harness = KernelHarness::with(team.clone(), Settings::default());
        harness.ok(OWNER, say(text));
        for agent in agents {
            assert_eq!(harness.writing_agents(), [*agent], "{text}");
            harness.finish("done");
        }
        assert!(harness.writing_agents().is_empty() && harness.state.view().active_run().is_none(), "{text}");
    }
}
