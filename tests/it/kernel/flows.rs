//! Every flow from its first message to its end, with interruptions between any two events.

use roundtable::kernel::call::CallState;
use roundtable::kernel::plan::PlanItemState;
use roundtable::kernel::*;
use serde_json::json;

use super::harness::*;
use super::play::{Blow, Line, Play, PlayScript, puts, wanted, words};

use AgentRole::{Executor, Generator, Optimizer, Planner, Reviewer, Router, Summarizer, Worker};

pub(super) fn team_of(flow: &str, roles: &[(&str, AgentRole)]) -> Team {
    Team { flow: flow.into(), ..team(roles) }
}

pub(super) fn run(view: &View) -> &Run {
    view.active_run().expect("a run")
}

fn step<'a>(view: &'a View, item: &Item) -> &'a str {
    let Task::Execute { number, part } = item.task else { panic!("{:?} is no step", item.task) };
    run(view).plan.as_ref().expect("a plan").item(number).expect("an item").parts()[part as usize]
}

/// Returns the texts of the run's other results, in order.
pub(super) fn found(view: &View) -> String {
    let work = run(view).task_results.iter().filter(|done| done.assignment.task != Task::Plan);
    let texts = work.filter_map(|done| Some(view.message(done.message?)?.text.to_string()));
    texts.collect::<Vec<_>>().join(", ")
}

fn worker(view: &View, item: &Item) -> Line {
    match item.task {
        Task::Summarize => words(&format!("in sum: {}", found(view))),
        Task::Route => words("{\"flow\": \"react\", \"reason\": \"simple\"}"),
        Task::Execute { .. } => puts(run(view), item, step(view, item)),
        _ => puts(run(view), item, "x"),
    }
}

fn solver(view: &View, item: &Item) -> Line {
    let plan = run(view).plan.as_ref();
    match (item.task, plan) {
        (Task::Plan, None) => {
            (String::new(), vec![wanted("plan", json!({ "command": "create", "items": ["a<sep>b", "c"] }))])
        }
        (Task::Plan, Some(plan)) if plan.current().is_none() => {
            (String::new(), vec![wanted("plan", json!({ "command": "finish" }))])
        }
        (Task::Plan, Some(_)) => words("go on"),
        _ => worker(view, item),
    }
}

fn brain(view: &View, item: &Item) -> Line {
    match item.task {
        Task::Plan => words(
            "```json\n{\"steps\":[{\"agent\":\"A\",\"action\":\"a\",\"reason\":\"first\"},{\"agent\":\"B\",\"action\":\"b\"}],\
             \"estimated_time\":\"5 minutes\",\"risks\":[\"none\"]}\n```",
        ),
        Task::Decide => words("{\"analysis\":\"good\",\"next_action\":\"continue\",\"reason\":\"as planned\"}"),
        _ => worker(view, item),
    }
}

fn investigator(view: &View, item: &Item) -> Line {
    let done =
        run(view).task_results.iter().filter(|done| matches!(done.assignment.task, Task::Execute { .. })).count();
    match (item.task, done) {
        (Task::Plan, _) => words(
            "{\"action\":\"continue\",\"next_steps\":[{\"action\":\"look\",\"tool_name\":\"put\",\"tool_params\":{\"what\":\"x\"}}]}",
        ),
        (Task::Decide, 1) => {
            words("{\"action\":\"request_input\",\"question\":\"Which colour?\",\"context\":\"of the bug\"}")
        }
        (Task::Decide, 2) => words(
            "{\"action\":\"continue\",\"next_steps\":[{\"action\":\"look\",\"tool_name\":\"put\",\"tool_params\":{\"what\":\"y\"}}]}",
        ),
        (Task::Decide, _) => words("{\"action\":\"synthesize\"}"),
        _ => words("{\"root_cause\":\"rust\",\"suggestions\":[\"paint\"]}"),
    }
}

fn reviewers(view: &View, item: &Item) -> Line {
    match view.team.agent(&item.agent).expect("an agent").role {
        // After an interrupt, the new round repeats the steps before it.
        Generator | Reviewer => words("looks good"),
        _ => puts(run(view), item, "x"),
    }
}

/// Every flow: its team and how its models answer.
pub(super) fn flows() -> Vec<(Team, PlayScript)> {
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
fn every_flow_comes_to_its_end() {
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
        let mut play = Play::new(team, script);
        play.begin("do it");
        play.finish_run(None);
        let expected = expected.iter().find(|(name, _)| *name == &*flow).expect("is in the table").1;
        assert!(play.result().contains(expected), "{flow}: {} {:?}", play.result(), play.names());
        assert!(play.put.values().all(|times| *times == 1), "{flow}: {:?}", play.put);
    }
}

/// Interrupts the flow after each of its commands: the result is the same, and nothing is done twice.
fn struck(blow: Blow, asking: bool) {
    for (team, script) in flows() {
        let play = || {
            let play = Play::new(team.clone(), script);
            let mut play = if asking { play.asking() } else { play };
            play.begin("do it");
            play
        };
        let mut calm = play();
        calm.finish_run(None);
        for at in 1..=calm.moves {
            let mut struck = play();
            struck.finish_run(Some((at, blow)));
            let place = format!("{} {blow:?} after {at} of {}: {:?}", team.flow, calm.moves, struck.names());
            if struck.stopped.is_some() {
                // Nobody knows whether it happened; the planner is told so, and decides.
                assert_eq!(struck.result().replacen("Blocked", "Completed", 1), calm.result(), "{place}");
                assert_eq!(struck.put.len() + 1, calm.put.len(), "{place}");
                continue;
            }
            assert_eq!(struck.result(), calm.result(), "{place}");
            assert_eq!(struck.put, calm.put, "{place}");
        }
    }
}

#[test]
fn a_crash_anywhere_changes_nothing_in_the_end() {
    for asking in [false, true] {
        struck(Blow::Crash { sent_happened: false }, asking);
        struck(Blow::Crash { sent_happened: true }, asking);
    }
}

#[test]
fn a_pause_anywhere_changes_nothing_in_the_end() {
    struck(Blow::Pause, false);
    struck(Blow::Pause, true);
}

#[test]
fn a_spent_budget_anywhere_that_people_raise_changes_nothing_in_the_end() {
    struck(Blow::Budget, false);
    struck(Blow::Budget, true);
}

#[test]
fn an_interrupt_anywhere_holds_the_run_up_and_no_more() {
    struck(Blow::Interrupt, false);
    struck(Blow::Interrupt, true);
}

#[test]
fn a_call_of_the_flow_that_was_stopped_is_read_about_before_anything_else_is_called() {
    let (team, script) = flows().remove(6);
    for lost in [false, true] {
        let mut play = Play::new(team.clone(), script);
        play.begin("do it");
        let told = |play: &Play, wanted: &str| play.names().iter().any(|name| name == wanted);
        while !told(&play, "tool.started") {
            assert!(play.step(), "calls nothing");
        }
        if lost {
            play.stage.shell(Command::Recover);
            assert!(told(&play, "tool.uncertain"), "{:?}", play.names());
        }
        play.stage.ok(OWNER, play.stage.interrupt(Some("not that one")));
        let before = play.names().len();
        play.finish_run(None);
        let since = play.names().split_off(before);
        let first = |wanted: &str| since.iter().position(|name| name == wanted);
        assert!(first("decision.made") < first("tool.proposed"), "{since:?}");
        assert!(play.result().contains("Blocked"), "{}", play.result());
    }
}

#[test]
fn an_investigation_that_reaches_its_limit_says_what_it_has_found() {
    let limits =
        [("max_steps_per_run", 4, FinishReason::StepLimit), ("max_messages_per_run", 3, FinishReason::MessageLimit)];
    for (name, most, reason) in limits {
        for interrupted in [false, true] {
            let (team, script) = flows().remove(6);
            let mut play = Play::new(team, script);
            play.stage.ok(OWNER, set(json!({ name: most })));
            play.begin("do it");
            let writes = |item: &Item| item.task == Task::Summarize;
            while !play.stage.state.view().run.as_ref().is_some_and(|run| run.items.iter().any(writes)) {
                assert!(play.step(), "never sums up: {:?}", play.names());
            }
            if interrupted {
                play.stage.ok(OWNER, play.stage.interrupt(Some("more briefly")));
            }
            play.finish_run(None);
            assert_eq!(finished(&play), Some(reason), "{name} {interrupted} {:?}", play.names());
            assert!(play.result().contains("root_cause"), "{}", play.result());
        }
    }
}

#[test]
fn an_agent_that_answered_is_done_even_at_the_limit_with_an_open_plan() {
    let mut team = flows().remove(0).0;
    team.agents[0].tools = vec!["plan".into()];
    let mut play = Play::new(team, |view, _| match run(view).plan {
        None => (String::new(), vec![wanted("plan", json!({ "command": "create", "items": ["a"] }))]),
        Some(_) => words("done"),
    });
    play.stage.ok(OWNER, set(json!({ "max_steps_per_run": 1 })));
    play.begin("do it");
    play.finish_run(None);
    assert_eq!(finished(&play), Some(FinishReason::Completed), "{:?}", play.names());
}

/// Returns the outcome of the newest run that has ended.
fn finished(play: &Play) -> Option<FinishReason> {
    play.stage.log.iter().rev().find_map(|event| match &event.fact {
        Fact::RunFinished { reason, .. } => Some(*reason),
        _ => None,
    })
}

#[test]
fn parts_of_a_step_are_done_side_by_side_and_stand_in_the_order_of_the_plan() {
    let (team, _) = flows().remove(4);
    let mut play = Play::new(team, |view, item| match item.task {
        Task::Execute { .. } => words(step(view, item)),
        _ => solver(view, item),
    });
    play.begin("do it");
    while play.stage.writing() != ["E", "F"] {
        assert!(play.step(), "never side by side");
    }
    let items = run(play.stage.state.view()).items.clone();
    // The second item finishes first.
    play.stage.finish_item(items[1].message, 1, "b");
    play.stage.finish_item(items[0].message, 1, "a");
    let done = run(play.stage.state.view()).task_results.clone();
    let parts: Vec<_> = done.iter().map(|done| done.assignment.task).collect();
    assert_eq!(parts[1..], [Task::Execute { number: 1, part: 0 }, Task::Execute { number: 1, part: 1 }]);
}

#[test]
fn an_answer_that_cannot_be_read_is_asked_for_again_and_then_done_without() {
    let mut play = Play::new(flows().remove(5).0, |view, item| match item.task {
        Task::Plan => words("I would rather not."),
        Task::Decide => words("{\"next_action\":\"dance\"}"),
        _ => worker(view, item),
    });
    play.begin("do it");
    play.finish_run(None);
    let rejected = |again| {
        let facts = play.stage.log.iter().map(|event| &event.fact);
        facts.filter(|fact| matches!(fact, Fact::OutputRejected { again: it, .. } if *it == again)).count()
    };
    // Two repairs of each, and then the default, which is marked as such.
    assert_eq!((rejected(true), rejected(false)), (4, 2));
    let plan = play.stage.state.view().run.as_ref().and_then(|run| run.plan.clone()).expect("a plan");
    assert!(plan.fallback && plan.items.len() == 1 && &*plan.items[0].action == "do it");
    assert_eq!(plan.items[0].state, PlanItemState::Completed);
}

#[test]
fn a_model_that_calls_tools_for_ever_is_stopped() {
    let mut play = Play::new(flows().remove(0).0, |_, item| {
        (String::new(), vec![wanted("put", json!({ "what": item.turn.to_string() }))])
    });
    play.begin("do it");
    play.finish_run(None);
    assert_eq!(play.put.len(), 19, "one turn less than there may be");
    let mut facts = play.stage.log.iter().map(|event| &event.fact);
    let cut = |fact: &&Fact| matches!(fact, Fact::MessageCompleted { calls: 1, out_of_turns: true, .. });
    assert!(facts.by_ref().any(|fact| cut(&fact)), "the last turn says what it was");
    let refused = |fact: &Fact| matches!(fact, Fact::ToolFailed { error, .. } if &*error.code == "too_many_turns");
    assert!(facts.by_ref().any(refused), "what it called is there, and failed");
    let ended = |fact: &Fact| matches!(fact, Fact::RunFinished { reason: FinishReason::TurnLimit, .. });
    assert!(facts.any(ended), "{:?}", play.names());
}

#[test]
fn a_planner_that_never_ends_is_stopped_at_the_limit_of_steps() {
    let mut play = Play::new(flows().remove(4).0, |view, item| match (item.task, &run(view).plan) {
        (Task::Plan, _) => (String::new(), vec![wanted("plan", json!({ "command": "create", "items": ["again"] }))]),
        _ => worker(view, item),
    });
    play.begin("do it");
    play.finish_run(None);
    assert_eq!(run_of(&play).steps, Settings::default().max_steps_per_run);
    assert_eq!(finished(&play), Some(FinishReason::StepLimit));
}

#[test]
fn a_brain_may_do_a_step_again_a_few_times_leave_one_out_and_end() {
    let judged = |action: &'static str| -> Vec<PlanItemState> {
        let script: PlayScript = match action {
            "retry" => |view, item| match item.task {
                Task::Decide => words("{\"next_action\":\"retry\",\"reason\":\"no\"}"),
                Task::Execute { .. } => words("tried"),
                _ => brain(view, item),
            },
            "skip" => |view, item| match item.task {
                Task::Decide => words("{\"next_action\":\"skip\",\"reason\":\"no\"}"),
                _ => brain(view, item),
            },
            _ => |view, item| match item.task {
                Task::Decide => words("{\"next_action\":\"end\",\"next_agent\":\"END\",\"reason\":\"no\"}"),
                _ => brain(view, item),
            },
        };
        let mut play = Play::new(flows().remove(5).0, script);
        play.begin("do it");
        play.finish_run(None);
        run_of(&play).plan.expect("a plan").items.iter().map(|item| item.state).collect()
    };
    assert_eq!(judged("retry"), [PlanItemState::Blocked, PlanItemState::Blocked]);
    assert_eq!(judged("skip"), [PlanItemState::Completed, PlanItemState::Skipped]);
    assert_eq!(judged("end"), [PlanItemState::Completed, PlanItemState::NotStarted]);
}

fn run_of(play: &Play) -> Run {
    play.stage.state.view().run.clone().expect("a run")
}

#[test]
fn a_call_that_fails_is_no_end() {
    let mut team = flows().remove(0).0;
    team.agents[0].tools = vec!["plan".into()];
    let mut play = Play::new(team, |view, _| {
        let failed =
            run(view).tool_rounds.iter().flat_map(|round| &round.calls).any(|call| call.state == CallState::Failed);
        if failed {
            words("it did not work")
        } else {
            (String::new(), vec![wanted("plan", json!({ "command": "fly" }))])
        }
    });
    play.begin("do it");
    play.finish_run(None);
    assert!(play.result().contains("it did not work"));
}

#[test]
fn a_mention_begins_the_steps_of_that_agent_and_no_others() {
    let step = |agent: &str, action: &str| FixedStep { agent: agent.parse().expect("an id"), action: action.into() };
    let steps = vec![step("Analyst", "analyse"), step("Drafter", "draft"), step("Drafter", "shorten")];
    let team = Team { steps, ..team_of("workflow", &[("Analyst", Worker), ("Drafter", Worker)]) };
    for (words, agents) in [
        ("a rule for branches", ["Analyst", "Drafter", "Drafter"].as_slice()),
        ("@Drafter a shorter one", &["Drafter", "Drafter"]),
        ("@all once more", &["Analyst", "Drafter", "Drafter"]),
    ] {
        let mut stage = KernelHarness::with(team.clone(), Settings::default());
        stage.ok(OWNER, say(words));
        for agent in agents {
            assert_eq!(stage.writing(), [*agent], "{words}");
            stage.finish("done");
        }
        assert!(stage.writing().is_empty() && stage.state.view().active_run().is_none(), "{words}");
    }
}
