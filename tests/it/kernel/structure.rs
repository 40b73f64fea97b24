//! Structured output for the schema of a caller: after every flow, and on its own for the results of earlier runs.

use roundtable::kernel::AgentRole::*;
use roundtable::kernel::*;
use serde_json::{Value, json};

use super::flows::{flows, team_of};
use super::harness::*;
use super::play::{Blow, Line, Play, words};
use super::requests::start_with;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": { "severity": { "enum": ["high", "low"] }, "n": { "type": "integer" } },
        "required": ["severity"],
    })
}

fn start() -> Command {
    start_with(json!({}), Some(schema()))
}

fn structure(schema: Value) -> Command {
    let Command::Start { input, files, earlier, request, .. } = start_with(json!({}), Some(schema)) else { panic!() };
    Command::Start { flow: Some(flow::STRUCTURE.into()), input, files, earlier, request }
}

fn right(_: &View, _: &Item) -> Line {
    words("{\"severity\":\"high\"}")
}

fn run(stage: &KernelHarness) -> &Run {
    stage.state.view().run.as_ref().expect("a run")
}

/// The request of the only turn in progress.
fn request(stage: &KernelHarness) -> String {
    let view = stage.state.view();
    format!("{:?}", roundtable::agent::turn_request(view, &run(stage).items[0]).messages)
}

fn refusal(stage: &mut KernelHarness, command: Command) -> String {
    match stage.does(OWNER, command) {
        Err(Rejection::Invalid(words)) => words.to_string(),
        other => panic!("{other:?}"),
    }
}

/// A run with one worker whose own work is done.
fn at_structure() -> KernelHarness {
    let mut stage = KernelHarness::with(team_of("react", &[("W", Worker)]), Settings::of("react"));
    stage.ok(OWNER, start());
    stage.finish("it is bad");
    assert_eq!(run(&stage).items[0].task, Task::Structure);
    stage
}

#[test]
fn every_flow_ends_with_structured_output_after_its_own_result() {
    for (team, script) in flows() {
        let flow = team.flow.clone();
        let play = |structured: bool| {
            let mut play = Play::new(team.clone(), script);
            play.script_of(Task::Structure, right);
            play.stage.ok(OWNER, if structured { start() } else { start_with(json!({}), None) });
            play.moves += 1;
            play
        };
        let (mut plain, mut calm) = (play(false), play(true));
        plain.finish_run(None);
        calm.finish_run(None);
        let [own, ended] = [&plain, &calm].map(|play| run(&play.stage).clone());
        assert_eq!((ended.phase, ended.output), (Phase::Completed, Some(json!({ "severity": "high" }))), "{flow}");
        let text = |play: &Play, run: &Run| {
            let message = run.final_message.and_then(|id| play.stage.state.view().message(id).cloned());
            message.map(|message| message.text.clone())
        };
        let final_texts = (text(&calm, run(&calm.stage)), text(&plain, &own));
        assert_eq!(final_texts.0, final_texts.1, "{flow}: the result of the flow stays");
        assert_eq!(calm.moves, plain.moves + 1, "{flow}: one task more");
        for blow in [Blow::Crash { sent_happened: true }, Blow::Pause, Blow::Interrupt] {
            let mut struck = play(true);
            struck.finish_run(Some((calm.moves - 1, blow)));
            assert_eq!(run(&struck.stage).output, Some(json!({ "severity": "high" })), "{flow} {blow:?}");
            // After an interrupt, the people in a review begin another round.
            if (&*flow, blow) != ("review", Blow::Interrupt) {
                assert_eq!(struck.put, calm.put, "{flow} {blow:?}: nothing is done twice");
            }
        }
    }
}

#[test]
fn an_agent_is_told_what_is_wrong_and_asked_again() {
    let mut stage = at_structure();
    let names = stage.finish("{\"severity\":\"urgent\",\"n\":1.5}");
    assert!(
        names.contains(&"output.rejected".to_owned()) && names.contains(&"message.started".to_owned()),
        "{names:?}"
    );
    let rejected = run(&stage).rejected_outputs.last().expect("is rejected").clone();
    let found: Vec<_> = rejected.violations.iter().map(|one| (&*one.pointer, &*one.path, &*one.message)).collect();
    let wanted = [
        ("/n", "$.n", "1.5 is not of type integer"),
        ("/severity", "$.severity", "'urgent' is not one of 'high', 'low'"),
    ];
    assert_eq!(found, wanted);
    assert_eq!(&*rejected.reason, "$.n: 1.5 is not of type integer; $.severity: 'urgent' is not one of 'high', 'low'");
    let names = stage.finish("```json\n{\"severity\":\"low\"}\n```");
    assert!(names.contains(&"output.produced".to_owned()), "{names:?}");
    assert_eq!((run(&stage).output.clone(), run(&stage).phase), (Some(json!({ "severity": "low" })), Phase::Completed));
    assert!(run(&stage).rejected_outputs.is_empty());
}

#[test]
fn a_run_fails_if_no_output_matches_and_what_was_written_can_be_found() {
    let mut stage = at_structure();
    for text in ["no", "{\"severity\":1}"] {
        stage.finish(text);
        assert_eq!(run(&stage).items[0].task, Task::Structure, "{text}");
    }
    stage.finish("{\"severity\":\"urgent\"}");
    let ended = run(&stage);
    let error = ended.error.clone().expect("has failed");
    assert_eq!((ended.phase, &*error.code, ended.output.clone()), (Phase::Failed, "schema_generation_failed", None));
    assert!(error.message.contains("after 3 attempts") && !error.message.contains("urgent"), "{}", error.message);
    let rejected = ended.rejected_outputs.last().expect("stays");
    assert_eq!(&*rejected.violations[0].path, "$.severity");
    let text = &stage.state.view().message(rejected.message).expect("is there").text;
    assert_eq!(schema::value_in(text), Some(json!({ "severity": "urgent" })));
    assert!(error.message.contains(&rejected.message.to_string()));
    assert!(!stage.log.iter().any(|event| matches!(event.fact, Fact::OutputProduced { .. })));
    let kinds: Vec<bool> = stage
        .log
        .iter()
        .filter_map(|event| match event.fact {
            Fact::OutputRejected { again, .. } => Some(again),
            _ => None,
        })
        .collect();
    assert_eq!(kinds, [true, true, false]);
}

#[test]
fn output_that_was_cut_or_is_too_deep_is_not_taken() {
    let mut stage = at_structure();
    stage.cut("{\"severity\":\"high\"}");
    assert!(run(&stage).rejected_outputs[0].reason.contains("token limit"));
    let deep = (0..100).fold("1".to_owned(), |inner, _| format!("[{inner}]"));
    stage.finish(&format!("{{\"severity\":\"high\",\"more\":{deep}}}"));
    assert!(run(&stage).rejected_outputs[1].reason.contains("nested more than 64 levels"));
}

#[test]
fn a_model_that_fails_for_good_fails_the_run_with_its_own_error() {
    let mut stage = at_structure();
    stage.fail(None);
    assert_eq!(run(&stage).error.as_ref().map(|error| &*error.code), Some("model_unavailable"));
}

#[test]
fn at_a_limit_the_output_is_still_written() {
    for settings in [
        Settings { max_messages_per_run: 2, ..Settings::of("comprehensive") },
        Settings { max_steps_per_run: 1, ..Settings::of("workflow") },
    ] {
        let workers = [("W", Worker), ("V", Worker)];
        let fixed = |name: &str| FixedStep { agent: agent(name), action: "do it".into() };
        let team = Team { steps: vec![fixed("W"), fixed("V")], ..team_of("workflow", &workers) };
        let mut stage = KernelHarness::with(team, settings);
        stage.ok(OWNER, start());
        stage.finish("done");
        assert_eq!(run(&stage).items.iter().map(|item| item.task).collect::<Vec<_>>(), [Task::Structure]);
        stage.finish("{\"severity\":\"high\"}");
        assert!(run(&stage).phase == Phase::Completed && run(&stage).output.is_some());
    }
}

#[test]
fn a_message_that_comes_late_is_for_the_next_run() {
    let mut stage = at_structure();
    let first = run(&stage).id;
    stage.ok(OWNER, say("and now something else"));
    stage.finish("{\"severity\":\"high\"}");
    let next = run(&stage);
    assert!(next.id != first && next.phase == Phase::Executing && next.request.is_none());
    assert_eq!(stage.writing(), ["W"]);
}

#[test]
fn an_agent_that_knows_the_results_writes_the_output() {
    let table: [(&[(&str, AgentRole)], &str); 4] = [
        (&[("W", Worker), ("P", Planner), ("S", Summarizer), ("G", Supervisor)], "G"),
        (&[("W", Worker), ("P", Planner), ("S", Summarizer)], "S"),
        (&[("W", Worker), ("P", Planner)], "P"),
        (&[("W", Worker), ("V", Worker)], "W"),
    ];
    for (roles, writer) in table {
        let mut stage = KernelHarness::with(team_of("react", roles), Settings::of("react"));
        stage.ok(OWNER, start());
        while run(&stage).items[0].task == Task::Reply {
            stage.finish("done");
        }
        assert_eq!(stage.writing(), [writer]);
    }
}

#[test]
fn the_flow_structure_works_on_the_results_of_earlier_runs() {
    let mut stage = KernelHarness::with(team_of("react", &[("W", Worker)]), Settings::of("react"));
    assert!(refusal(&mut stage, structure(schema())).contains("requires the result of an earlier run"));
    stage.ok(OWNER, say("look"));
    assert_eq!(stage.does(OWNER, structure(schema())).err(), Some(Rejection::RunActive));
    stage.finish("it is bad");
    let without = Command::Start {
        flow: Some(flow::STRUCTURE.into()),
        input: "write".into(),
        files: vec![],
        earlier: vec![],
        request: None,
    };
    assert!(refusal(&mut stage, without).contains("requires output_schema"));
    for _ in 0..2 {
        stage.ok(OWNER, structure(schema()));
        assert_eq!((&*run(&stage).flow, run(&stage).items[0].task), ("structure", Task::Structure));
        stage.finish("{\"severity\":\"high\"}");
        let ended = run(&stage);
        let written = ended.final_message.and_then(|id| stage.state.view().message(id)).map(|message| &*message.text);
        assert_eq!((ended.phase, written), (Phase::Completed, Some("{\"severity\":\"high\"}")));
        assert_eq!(ended.output, Some(json!({ "severity": "high" })));
    }
    stage.ok(OWNER, say("look again"));
    assert_eq!(&*run(&stage).flow, "react", "the flow of the team stays");
}

#[test]
fn no_team_has_the_flow_structure() {
    let team = team_of(flow::STRUCTURE, &[("W", Worker)]);
    assert!(flow::check(&team).is_err_and(|words| words.contains("choose another flow")));
    assert!(flow::FLOWS.iter().all(|(name, _)| *name != flow::STRUCTURE));
}

#[test]
fn an_invalid_schema_is_refused_with_the_reason() {
    let mut stage = KernelHarness::with(team_of("react", &[("W", Worker)]), Settings::of("react"));
    let deep = (0..40).fold(json!({}), |inner, _| json!({ "items": inner }));
    let large = json!({ "enum": ["x".repeat(70_000)] });
    let table = [
        (json!({ "type": "number", "minimum": "low" }), "output_schema: the schema is invalid at /minimum"),
        (json!({ "$ref": "https://example.com/schema" }), "output_schema: the schema is not supported"),
        (json!({ "$ref": "#" }), "output_schema: the schema is not supported: # refers to itself"),
        (deep, "output_schema: the value is nested more than 32 levels deep"),
        (large, "output_schema: the value has"),
        (json!(true), "output_schema: the schema is not an object"),
    ];
    for (schema, words) in table {
        let said = refusal(&mut stage, start_with(json!({}), Some(schema)));
        assert!(said.starts_with(words), "{said}");
    }
    assert_eq!(stage.state.view().run, None);
}

#[test]
fn the_task_has_no_tools() {
    let mut team = team_of("react", &[("W", Worker)]);
    team.agents[0].tools = vec!["*".into()];
    let mut stage = KernelHarness::with(team, Settings::of("react"));
    stage.ok(OWNER, start());
    let offered = |stage: &KernelHarness| {
        let assignment = run(stage).items[0].assignment();
        kernel_tools::offered_tools(stage.state.view(), &assignment).count()
    };
    assert!(offered(&stage) > 0);
    stage.finish("it is bad");
    assert_eq!(offered(&stage), 0);
}

#[test]
fn the_global_supervisor_of_a_topology_writes_after_its_answer() {
    let team = super::topology::team(&[("a", "round_robin", &["x"])], &[], "parallel");
    let mut stage = KernelHarness::with(team, Settings { max_attempts: 1, ..Settings::of("topology") });
    let command = start();
    stage.ok(OWNER, command);
    for text in ["look", "slow queries", "queries are slow", "add an index"] {
        assert_ne!(run(&stage).items[0].task, Task::Structure);
        stage.finish(text);
    }
    let items: Vec<_> = run(&stage).items.iter().map(|item| (item.agent.as_str(), item.task)).collect();
    assert_eq!(items, [("global-supervisor", Task::Structure)]);
    let answer = run(&stage).task_results.last().and_then(|done| done.message);
    stage.finish("{\"severity\":\"urgent\"}");
    stage.finish("{\"severity\":\"high\"}");
    let ended = run(&stage);
    assert_eq!((ended.phase, ended.final_message), (Phase::Completed, answer));
    assert_eq!(ended.output, Some(json!({ "severity": "high" })));
    for _ in 0..2 {
        stage.ok(OWNER, structure(schema()));
        assert_eq!(stage.writing(), ["global-supervisor"]);
        let request = request(&stage);
        assert!(request.contains("queries are slow"), "the result of the node: {request}");
        assert!(request.contains("add an index"), "the final answer: {request}");
        stage.finish("{\"severity\":\"low\"}");
    }
    stage.ok(OWNER, structure(schema()));
    stage.fail(None);
    assert_eq!(run(&stage).error.as_ref().map(|error| &*error.code), Some("model_unavailable"));
}

#[test]
fn the_flow_structure_reads_what_was_written_before_a_run_ended_early() {
    let nodes = [("a", "round_robin", &["x"][..]), ("b", "round_robin", &["y"])];
    let team = super::topology::team(&nodes, &[("a", "calls", "b")], "sequential");
    let mut stage = KernelHarness::with(team, Settings::of("topology"));
    stage.ok(OWNER, say("look"));
    stage.ok(OWNER, stage.cancel(None));
    stage.stop("");
    let refused = refusal(&mut stage, structure(schema()));
    assert!(refused.contains("no agent has written a result"), "nothing to invent a value from: {refused}");
    stage.ok(OWNER, say("look again"));
    for text in ["go", "x found slow queries", "a is slow"] {
        stage.finish(text);
    }
    stage.ok(OWNER, stage.cancel(None));
    stage.stop("y looks");
    stage.ok(OWNER, structure(schema()));
    let request = request(&stage);
    assert!(request.contains("a is slow"), "{request}");
    assert!(!request.contains("y looks"), "what was not finished is no result: {request}");
}
