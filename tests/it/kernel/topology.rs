//! The `topology` flow: when nodes and agents work, and the consequences of failures.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use roundtable::kernel::plan::PlanItemState;
use roundtable::kernel::*;
use serde_json::{Value, json};

use super::harness::{KernelHarness, OWNER, say, steer};

/// Returns a team of nodes, each with agents of these names.
pub fn team(nodes: &[(&str, &str, &[&str])], edges: &[(&str, &str, &str)], strategy: &str) -> Team {
    let supervisor = |id: &str, node: Option<&str>| {
        let agent = json!({ "id": id, "name": id, "role": "supervisor", "prompt": "coordinate" });
        with(agent, "node", node.map(Into::into))
    };
    let mut agents = vec![supervisor("global-supervisor", None)];
    for (node, _, names) in nodes {
        agents.push(supervisor(&format!("{node}-supervisor"), Some(node)));
        agents.extend(names.iter().map(|name| {
            let (name, priority) = name.split_once(':').unwrap_or((name, "0"));
            let id = format!("{node}/{name}");
            let priority: i32 = priority.parse().expect("a priority");
            json!({ "id": id, "name": id, "role": "worker", "prompt": "work", "node": node, "priority": priority })
        }));
    }
    let nodes: Vec<Value> =
        nodes.iter().map(|(id, how, _)| json!({ "id": id, "name": id, "type": "service", "strategy": how })).collect();
    let edges: Vec<Value> =
        edges.iter().map(|(from, how, to)| json!({ "source": from, "target": to, "relation": how })).collect();
    let topology = json!({ "strategy": strategy, "nodes": nodes, "edges": edges });
    let team = json!({ "name": "t", "title": "T", "flow": "topology", "agents": agents, "topology": topology });
    serde_json::from_value(team).expect("a team")
}

fn with(mut value: Value, field: &str, set: Option<Value>) -> Value {
    if let Some(set) = set {
        value[field] = set;
    }
    value
}

fn start_run(team: Team) -> KernelHarness {
    assert_eq!(flow::check(&team), Ok(()));
    let settings = Settings { max_retries: 1, max_attempts: 1, ..Settings::of("topology") };
    let mut harness = KernelHarness::with(team, settings);
    harness.ok(OWNER, say("find the fault"));
    harness
}

fn sorted_agents(harness: &KernelHarness) -> Vec<String> {
    let mut writing = harness.writing_agents();
    writing.sort();
    writing
}

/// Completes the turn of this agent, with this text.
fn finish_agent(harness: &mut KernelHarness, agent: &str, text: &str) {
    let running = running_message_of(harness, agent);
    harness.finish_message(running.message, running.attempt, text);
}

fn running_message_of(harness: &KernelHarness, agent: &str) -> RunningMessage {
    let run = harness.state.view().active_run().expect("a run");
    run.running
        .iter()
        .find(|running| running.agent.as_str() == agent)
        .unwrap_or_else(|| panic!("{agent} writes"))
        .clone()
}

fn fail_retryably(harness: &mut KernelHarness, agent: &str) {
    fail(harness, agent, "model_unavailable", Some(1));
}

fn fails_permanently(harness: &mut KernelHarness, agent: &str) {
    fail(harness, agent, "context_too_large", None);
}

fn fail(harness: &mut KernelHarness, agent: &str, code: &str, retry_in_ms: Option<u64>) {
    let running = running_message_of(harness, agent);
    let error = AttemptError { code: code.into(), message: "down".into() };
    let left = PartialMessage { message: running.message, text: "".into(), usage: None };
    harness.submit_as_orchestrator(Command::TurnFailed { attempt: running.attempt, error, retry_in_ms, left });
}

fn item_states(harness: &KernelHarness) -> Vec<PlanItemState> {
    let run = harness.state.view().run.as_ref().expect("a run");
    run.plan.as_ref().expect("a plan").items.iter().map(|item| item.state).collect()
}

fn decisions(harness: &KernelHarness) -> Vec<(String, Vec<String>, String)> {
    let decided = harness.log.iter().filter_map(|event| match &event.fact {
        Fact::DecisionMade { agent, decision, .. } => {
            let agents = decision.agents.iter().map(ToString::to_string).collect();
            Some((agent.to_string(), agents, decision.reason.to_string()))
        }
        _ => None,
    });
    decided.collect()
}

#[test]
fn layers_work_one_after_another_and_agents_of_a_node_at_once() {
    let nodes: &[(&str, &str, &[&str])] =
        &[("a", "round_robin", &["x", "y"]), ("b", "round_robin", &["x"]), ("c", "round_robin", &["x"])];
    let mut harness = start_run(team(nodes, &[("a", "calls", "b"), ("c", "depends_on", "b")], "hierarchical"));
    assert_eq!(harness.writing_agents(), ["global-supervisor"]);
    harness.finish("look at the database");
    assert_eq!(sorted_agents(&harness), ["a/x", "a/y"]);
    finish_agent(&mut harness, "a/y", "slow queries");
    assert_eq!(harness.writing_agents(), ["a/x"]);
    finish_agent(&mut harness, "a/x", "no locks");
    assert_eq!(harness.writing_agents(), ["a-supervisor"]);
    harness.finish("queries are slow");
    assert_eq!(harness.writing_agents(), ["b/x"]);
    harness.finish("pool is full");
    harness.finish("the pool");
    assert_eq!(harness.writing_agents(), ["c/x"]);
    harness.finish("fine");
    harness.finish("c is fine");
    assert_eq!(harness.writing_agents(), ["global-supervisor"]);
    harness.finish("raise the pool size");
    assert_eq!(harness.phase(), Phase::Completed);
    assert_eq!(item_states(&harness), [PlanItemState::Completed; 3]);
    let made = decisions(&harness);
    assert_eq!(made[0].1, ["a-supervisor"]);
    assert_eq!(made[0].2, "layer 1 of 3 can begin");
    assert_eq!(made[1], ("a-supervisor".into(), vec!["a/x".into(), "a/y".into()], "each agent gets one turn".into()));
}

#[test]
fn parallel_nodes_do_not_wait_for_each_other() {
    let nodes: &[(&str, &str, &[&str])] =
        &[("a", "priority", &["low:1", "high:5"]), ("b", "round_robin", &["x"]), ("c", "round_robin", &["x"])];
    let mut harness = start_run(team(nodes, &[("a", "calls", "b"), ("c", "depends_on", "b")], "parallel"));
    harness.finish("go");
    assert_eq!(sorted_agents(&harness), ["a/high", "b/x"]);
    finish_agent(&mut harness, "b/x", "1");
    finish_agent(&mut harness, "b-supervisor", "b");
    assert_eq!(sorted_agents(&harness), ["a/high", "c/x"], "c waited for b alone");
    finish_agent(&mut harness, "a/high", "2");
    assert_eq!(sorted_agents(&harness), ["a/low", "c/x"]);
    assert_eq!(harness.log.iter().filter(|event| matches!(event.fact, Fact::StepStarted { .. })).count(), 2);
}

#[test]
fn sequential_nodes_follow_the_topological_order() {
    let nodes: &[(&str, &str, &[&str])] =
        &[("a", "round_robin", &["x"]), ("b", "round_robin", &["x"]), ("c", "round_robin", &["x"])];
    let mut harness = start_run(team(nodes, &[("c", "data_flow", "a"), ("b", "calls", "c")], "sequential"));
    harness.finish("go");
    let mut order = vec![];
    while let [agent] = harness.writing_agents().as_slice() {
        order.push(agent.clone());
        harness.finish("ok");
        if harness.phase().is_over() {
            break;
        }
    }
    assert_eq!(order, ["b/x", "b-supervisor", "c/x", "c-supervisor", "a/x", "a-supervisor", "global-supervisor"]);
}

#[test]
fn an_adaptive_supervisor_picks_agents_until_it_ends() {
    let nodes: &[(&str, &str, &[&str])] = &[("a", "adaptive", &["x", "y"])];
    let mut harness = start_run(team(nodes, &[], "hierarchical"));
    harness.finish("go");
    assert_eq!(harness.writing_agents(), ["a-supervisor"]);
    let pick = |agent: &str| json!({ "next_action": "delegate", "next_agent": agent, "reason": "needed" }).to_string();
    harness.finish(&pick("a/y"));
    assert_eq!(harness.writing_agents(), ["a/y"]);
    harness.finish("found it");
    harness.finish(&pick("a/y"));
    assert_eq!(harness.writing_agents(), ["a/y"], "an agent can be picked again");
    harness.finish("more");
    harness.finish(r#"{"next_action":"end","reason":"enough"}"#);
    assert_eq!(harness.writing_agents(), ["a-supervisor"]);
    harness.finish("the result");
    harness.finish("the answer");
    assert_eq!(harness.phase(), Phase::Completed);
    assert_eq!(decisions(&harness).into_iter().filter(|(by, ..)| by == "a-supervisor").count(), 3);
}

#[test]
fn an_unreadable_pick_falls_back_to_an_agent_that_has_not_worked() {
    let mut team = team(&[("a", "adaptive", &["x", "y"])], &[], "hierarchical");
    team.topology.as_mut().expect("a topology").max_iterations = 2;
    let mut harness = start_run(team);
    harness.ok(OWNER, super::harness::set(json!({ "max_repairs": 0 })));
    harness.finish("go");
    for agent in ["a/x", "a/y"] {
        harness.finish("no JSON");
        assert_eq!(harness.writing_agents(), [agent]);
        harness.finish("done");
    }
    assert_eq!(harness.writing_agents(), ["a-supervisor"]);
    let run = harness.state.view().active_run().expect("a run");
    assert_eq!(run.running[0].task, Task::Summarize, "max_iterations bounds the picks");
}

#[test]
fn messages_of_people_do_not_repeat_the_work_of_a_picked_agent() {
    let pick = |agent: &str| format!("{{\"next_action\":\"delegate\",\"next_agent\":\"{agent}\",\"reason\":\"so\"}}");
    let mut harness = start_run(team(&[("a", "adaptive", &["x", "y"])], &[], "parallel"));
    harness.finish("go");
    harness.ok(OWNER, steer("y knows more"));
    harness.finish(&pick("a/x"));
    assert_eq!(harness.writing_agents(), ["a-supervisor"], "it reads the message before an agent works");
    harness.finish(&pick("a/y"));
    assert_eq!(harness.writing_agents(), ["a/y"]);
    harness.ok(OWNER, steer("in short"));
    finish_agent(&mut harness, "a/y", "long");
    assert_eq!(harness.writing_agents(), ["a/y"], "it reads the message");
    finish_agent(&mut harness, "a/y", "short");
    let run = harness.state.view().active_run().expect("a run");
    assert_eq!(
        (harness.writing_agents(), run.running[0].task),
        (vec!["a-supervisor".to_owned()], Task::Decide),
        "nobody works again"
    );
}

#[test]
fn a_failed_task_is_repeated_then_reported_and_its_dependents_are_skipped() {
    let nodes: &[(&str, &str, &[&str])] =
        &[("a", "round_robin", &["x"]), ("b", "round_robin", &["x"]), ("c", "round_robin", &["x"])];
    let mut harness = start_run(team(nodes, &[("b", "depends_on", "a")], "parallel"));
    harness.finish("go");
    assert_eq!(sorted_agents(&harness), ["a/x", "c/x"]);
    fail_retryably(&mut harness, "a/x");
    assert_eq!(sorted_agents(&harness), ["a/x", "c/x"], "once more");
    fail_retryably(&mut harness, "a/x");
    assert_eq!(item_states(&harness), [PlanItemState::Blocked, PlanItemState::Skipped, PlanItemState::InProgress]);
    finish_agent(&mut harness, "c/x", "ok");
    finish_agent(&mut harness, "c-supervisor", "fine");
    assert_eq!(harness.writing_agents(), ["global-supervisor"]);
    harness.finish("c is fine, a failed");
    assert_eq!(harness.phase(), Phase::Completed);
}

#[test]
fn a_task_whose_request_cannot_succeed_is_not_repeated() {
    let mut harness = start_run(team(&[("a", "round_robin", &["x"]), ("b", "round_robin", &["x"])], &[], "parallel"));
    harness.finish("go");
    fails_permanently(&mut harness, "a/x");
    assert_eq!(item_states(&harness), [PlanItemState::Blocked, PlanItemState::InProgress]);
    assert_eq!(harness.writing_agents(), ["b/x"]);
}

#[test]
fn a_run_whose_nodes_all_failed_has_failed() {
    let mut harness = start_run(team(&[("a", "round_robin", &["x"]), ("b", "round_robin", &["x"])], &[], "parallel"));
    harness.finish("go");
    for agent in ["a/x", "a/x", "b/x", "b/x"] {
        fail_retryably(&mut harness, agent);
    }
    let run = harness.state.view().run.as_ref().expect("a run");
    assert_eq!((run.phase, run.error.as_ref().map(|error| &*error.code)), (Phase::Failed, Some("all_nodes_failed")));
}

#[test]
fn a_monitor_reports_before_the_final_answer() {
    let nodes: &[(&str, &str, &[&str])] = &[("a", "round_robin", &["x"]), ("m", "round_robin", &["x"])];
    let mut harness = start_run(team(nodes, &[("m", "monitors", "a")], "parallel"));
    harness.finish("go");
    finish_agent(&mut harness, "m/x", "ready");
    finish_agent(&mut harness, "m-supervisor", "watching");
    finish_agent(&mut harness, "a/x", "did it");
    assert_eq!(harness.writing_agents(), ["a-supervisor"]);
    harness.finish("a is done");
    assert_eq!(harness.writing_agents(), ["m-supervisor"]);
    let run = harness.state.view().active_run().expect("a run");
    assert_eq!(run.running[0].task, Task::Report { number: 1 });
    harness.finish("a behaved");
    assert_eq!(harness.writing_agents(), ["global-supervisor"]);
}

#[test]
fn a_paused_topology_starts_nothing_and_then_continues() {
    let nodes: &[(&str, &str, &[&str])] = &[("a", "round_robin", &["x"]), ("b", "priority", &["x", "y"])];
    let mut harness = start_run(team(nodes, &[], "parallel"));
    harness.finish("go");
    let pause = harness.pause();
    harness.ok(OWNER, pause);
    finish_agent(&mut harness, "b/x", "1");
    finish_agent(&mut harness, "a/x", "1");
    assert_eq!((harness.writing_agents().len(), harness.phase()), (0, Phase::Paused));
    let resume = harness.resume();
    harness.ok(OWNER, resume);
    assert_eq!(sorted_agents(&harness), ["a-supervisor", "b/y"]);
}

#[test]
fn a_team_that_cannot_run_is_refused_with_the_reason() {
    let node = |id| (id, "round_robin", ["x"].as_slice());
    let cases = [
        (team(&[node("a"), node("b")], &[("a", "calls", "b"), ("b", "calls", "a")], "sequential"), "cycle"),
        (
            team(&[node("a"), node("b")], &[("a", "depends_on", "b"), ("b", "depends_on", "a")], "parallel"),
            "depends_on has a cycle",
        ),
        (team(&[node("a"), node("a")], &[], "parallel"), "two nodes have the id a"),
        (team(&[("a", "round_robin", &[])], &[], "parallel"), "node a has no agent"),
        (team(&[node("a")], &[("a", "calls", "z")], "parallel"), "names the node z"),
    ];
    for (team, text) in cases {
        let error = flow::check(&team).expect_err(text);
        assert!(error.contains(text), "{error}");
    }
    let cycle = [("a", "calls", "b"), ("b", "calls", "a")];
    assert_eq!(flow::check(&team(&[node("a"), node("b")], &cycle, "parallel")), Ok(()));
}

#[test]
fn a_path_can_have_ten_nodes_whether_or_not_there_is_a_cycle() {
    let names: Vec<String> = (0..14).map(|at| format!("n{at}")).collect();
    let nodes: Vec<_> = names.iter().map(|name| (&**name, "round_robin", ["x"].as_slice())).collect();
    let check = |length: usize, extra: &[(usize, usize)], strategy: &str| {
        let edges = (1..length).map(|at| (at - 1, at)).chain(extra.iter().copied());
        let edges: Vec<_> = edges.map(|(from, to)| (&*names[from], "calls", &*names[to])).collect();
        flow::check(&team(&nodes, &edges, strategy))
    };
    let (beside, on_the_path) = ([(12, 13), (13, 12)], [(5, 4)]);
    for strategy in ["hierarchical", "sequential", "parallel"] {
        assert_eq!(check(10, &[], strategy), Ok(()), "{strategy}");
        assert!(check(11, &[], strategy).is_err_and(|error| error.contains("11 nodes")), "{strategy}");
    }
    assert_eq!(check(10, &beside, "parallel"), Ok(()));
    assert!(check(11, &beside, "parallel").is_err_and(|error| error.contains("11 nodes")));
    assert_eq!(check(11, &on_the_path, "parallel"), Ok(()), "a cycle counts as one node");
    assert!(check(12, &on_the_path, "parallel").is_err_and(|error| error.contains("11 nodes")));
}

fn start(context: Value, timeout_seconds: Option<u32>) -> Command {
    let context = context.as_object().cloned().unwrap_or_default();
    let request = MessageRequest::of(context, None, timeout_seconds);
    Command::Start { flow: None, input: "find the fault".into(), files: vec![], earlier: vec![], request }
}

#[test]
fn a_run_fails_at_its_time_limit_with_what_was_written() {
    let team = team(&[("a", "round_robin", &["x"])], &[], "parallel");
    let mut harness = KernelHarness::with(team, Settings::of("topology"));
    harness.ok(OWNER, start(json!({}), Some(5)));
    let deadline = harness.state.next_due().expect("a deadline");
    assert_eq!(deadline.millis(), 6_001);
    harness.now = deadline.millis() - 1;
    assert!(harness.submit_as_orchestrator(Command::DeadlineReached).is_empty());
    harness.now = deadline.millis();
    assert_eq!(harness.submit_as_orchestrator(Command::DeadlineReached), ["control.requested"]);
    assert!(harness.submit_as_orchestrator(Command::DeadlineReached).is_empty(), "once");
    harness.stop("so far");
    let run = harness.state.view().run.as_ref().expect("a run");
    assert_eq!((run.phase, run.error.as_ref().map(|error| &*error.code)), (Phase::Failed, Some("run_timeout")));
    assert_eq!(harness.texts().last().map(String::as_str), Some("global-supervisor: so far"));
    assert_eq!(harness.state.next_due(), None);
}

#[test]
fn a_paused_run_fails_at_its_time_limit_too() {
    let team = team(&[("a", "round_robin", &["x"])], &[], "parallel");
    let mut harness = KernelHarness::with(team, Settings::of("topology"));
    harness.ok(OWNER, start(json!({}), Some(5)));
    let pause = harness.pause();
    harness.ok(OWNER, pause);
    harness.finish("opened");
    harness.now = harness.state.next_due().expect("a deadline").millis();
    let names = harness.submit_as_orchestrator(Command::DeadlineReached);
    assert!(names.contains(&"run.failed".to_owned()), "{names:?}");
}

#[test]
fn a_run_without_a_value_for_a_template_is_refused_with_agent_and_variable() {
    let mut team = team(&[("a", "round_robin", &["x"])], &[], "parallel");
    let agent = team.agents.iter_mut().find(|agent| agent.id.as_str() == "a/x").expect("an agent");
    agent.prompt_template = Some("Check {context.region} at {context.hour}: {task}".into());
    let mut harness = KernelHarness::with(team, Settings::of("topology"));
    for command in [start(json!({}), None), say("find the fault")] {
        let Err(Rejection::Invalid(text)) = harness.submit(OWNER, command) else { panic!("refused") };
        let all = "agent a/x: {context.region} has no value; a/x: {context.hour}; add the keys to context";
        assert!(text.starts_with(all), "{text}");
    }
    harness.ok(OWNER, start(json!({ "region": "eu", "hour": 3 }), None));
}

#[test]
fn a_template_that_gets_too_long_is_refused_and_long_results_are_cut() {
    let mut team =
        team(&[("a", "round_robin", &["x"]), ("b", "round_robin", &["x"])], &[("a", "calls", "b")], "hierarchical");
    let agent = team.agents.iter_mut().find(|agent| agent.id.as_str() == "b/x").expect("an agent");
    let template = format!("{} {} {{task}}", "{context.k}".repeat(50), "{upstream.a}".repeat(48));
    agent.prompt_template = Some(template.into());
    let mut harness = KernelHarness::with(team.clone(), Settings::of("topology"));
    let Err(Rejection::Invalid(text)) = harness.submit(OWNER, start(json!({ "k": "w".repeat(21_000) }), None)) else {
        panic!("refused")
    };
    assert!(text.starts_with("agent b/x: its template, filled with"), "{text}");
    harness.ok(OWNER, start(json!({ "k": "w".repeat(20_000) }), None));
    harness.finish("go");
    finish_agent(&mut harness, "a/x", "ok");
    finish_agent(&mut harness, "a-supervisor", &"é".repeat(100_000));
    let view = harness.state.view();
    let agent = view.team.agents.iter().find(|agent| agent.id.as_str() == "b/x").expect("an agent");
    let task = flow::topology::task_of(view, view.active_run().expect("a run"), agent).expect("a task");
    assert!(task.ends_with("é find the fault") && (1_048_400..=1_048_576).contains(&task.len()), "{}", task.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever the order of completions and failures, the run ends, no node starts twice, and each node of a completed
    /// run ends once.
    #[test]
    fn every_topology_ends(
        size in 1usize..6,
        links in prop::collection::vec((0usize..6, 0usize..6, 0usize..5), 0..8),
        strategy in 0usize..3,
        modes in prop::collection::vec(0usize..3, 6),
        choices in prop::collection::vec(any::<u16>(), 400),
    ) {
        let names = ["a", "b", "c", "d", "e", "f"];
        let relations = ["calls", "depends_on", "integrates", "monitors", "data_flow"];
        // Edges that imply an order point from a lower to a higher node, so there is no cycle.
        let edges: Vec<_> = links.iter().filter(|(from, to, _)| from < to && *to < size).map(|(from, to, how)| {
            match relations[*how] {
                "depends_on" => (names[*to], "depends_on", names[*from]),
                relation => (names[*from], relation, names[*to]),
            }
        }).collect();
        let modes: Vec<_> = modes.iter().map(|mode| ["round_robin", "priority", "adaptive"][*mode]).collect();
        let nodes: Vec<_> = (0..size).map(|at| (names[at], modes[at], ["x", "y:3"].as_slice())).collect();
        let mut harness = start_run(team(&nodes, &edges, ["hierarchical", "parallel", "sequential"][strategy]));
        let mut choices = choices.into_iter();
        while let Some(run) = harness.state.view().active_run() {
            let choice = usize::from(choices.next().expect("the run ends"));
            prop_assert!(!run.running.is_empty(), "the run waits for nothing");
            let running = run.running[choice % run.running.len()].clone();
            match choice % 7 {
                0 => fail_retryably(&mut harness, running.agent.as_str()),
                1 if running.task == Task::Decide => {
                    finish_agent(&mut harness, running.agent.as_str(), r#"{"next_action":"end","reason":"enough"}"#);
                }
                _ if running.task == Task::Decide => {
                    let node = running.agent.as_str().trim_end_matches("-supervisor");
                    let text = json!({ "next_action": "delegate", "next_agent": format!("{node}/x"), "reason": "go" });
                    finish_agent(&mut harness, running.agent.as_str(), &text.to_string());
                }
                _ => finish_agent(&mut harness, running.agent.as_str(), "done"),
            }
        }
        let mut over = BTreeMap::<u32, usize>::new();
        let mut started = BTreeSet::new();
        for event in &harness.log {
            if let Fact::PlanItemChanged { number, state, .. } = &event.fact {
                match state {
                    PlanItemState::InProgress => prop_assert!(started.insert(*number), "a node began twice"),
                    state if state.is_over() => *over.entry(*number).or_default() += 1,
                    _ => {}
                }
            }
        }
        if harness.phase() == Phase::Completed {
            prop_assert!((1..=size as u32).all(|number| over.get(&number) == Some(&1)), "{over:?}");
        }
    }
}

#[test]
fn an_agent_is_addressed_by_its_node_and_its_own_id() {
    let nodes: &[(&str, &str, &[&str])] = &[("a", "round_robin", &["x", "y"]), ("b", "round_robin", &["x"])];
    let mut harness = start_run(team(nodes, &[], "parallel"));
    harness.finish("go");
    harness.ok(OWNER, steer("@a/x and @B/X: look at the disk. @a/z is nobody, and x alone neither."));
    let posted = harness.log.iter().rev().find_map(|event| match &event.fact {
        Fact::MessageRouted { to, unresolved, .. } => Some((to.clone(), unresolved.clone())),
        _ => None,
    });
    let (to, unresolved) = posted.expect("a message");
    let agent = |id: &str| Target::Agent(id.parse().expect("an id"));
    assert_eq!(to, [agent("a/x"), agent("b/x")]);
    assert_eq!(unresolved.len(), 1, "{unresolved:?}");
}
