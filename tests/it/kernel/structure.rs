//! Structured output for a caller's schema: after every flow, and separately for the results of earlier runs.

use roundtable::kernel::AgentRole::*;
use roundtable::kernel::*;
use serde_json::{Value, json};

use super::flows::{flows, team_of};
use super::harness::*;
use super::requests::start_with;
use super::scripted_runner::{Interruption, ModelResponse, ScriptedRunner, text_response};

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

fn structure_command(schema: Value) -> Command {
    let Command::Start { input, files, earlier, request, .. } = start_with(json!({}), Some(schema)) else { panic!() };
    Command::Start { flow: Some(flow::STRUCTURE.into()), input, files, earlier, request }
}

fn valid_output(_: &View, _: &RunningMessage) -> ModelResponse {
    text_response("{\"severity\":\"high\"}")
}

fn run(harness: &KernelHarness) -> &Run {
    harness.state.view().run.as_ref().expect("a run")
}

/// Returns the request of the only turn in progress.
fn request(harness: &KernelHarness) -> String {
    let view = harness.state.view();
    format!("{:?}", roundtable::agent::turn_request(view, &run(harness).running[0]).messages)
}

fn rejection_message(harness: &mut KernelHarness, command: Command) -> String {
    match harness.submit(OWNER, command) {
        Err(Rejection::Invalid(text)) => text.to_string(),
        other => panic!("{other:?}"),
    }
}

/// Starts a run with one worker whose own work is done.
fn start_at_structured_output() -> KernelHarness {
    let mut harness = KernelHarness::with(team_of("react", &[("W", Worker)]), Settings::of("react"));
    harness.ok(OWNER, start());
    harness.finish("it is bad");
    assert_eq!(run(&harness).running[0].task, Task::Structure);
    harness
}

#[test]
fn every_flow_ends_with_structured_output_after_its_own_result() {
    for (team, script) in flows() {
        let flow = team.flow.clone();
        let run_flow = |structured: bool| {
            let mut runner = ScriptedRunner::new(team.clone(), script);
            runner.set_task_script(Task::Structure, valid_output);
            runner.harness.ok(OWNER, if structured { start() } else { start_with(json!({}), None) });
            runner.commands += 1;
            runner
        };
        let (mut plain, mut uninterrupted) = (run_flow(false), run_flow(true));
        plain.finish_run(None);
        uninterrupted.finish_run(None);
        let [own, ended] = [&plain, &uninterrupted].map(|runner| run(&runner.harness).clone());
        assert_eq!((ended.phase, ended.output), (Phase::Completed, Some(json!({ "severity": "high" }))), "{flow}");
        let text = |runner: &ScriptedRunner, run: &Run| {
            let message = run.final_message.and_then(|id| runner.harness.state.view().message(id).cloned());
            message.map(|message| message.text.clone())
        };
        let final_texts = (text(&uninterrupted, run(&uninterrupted.harness)), text(&plain, &own));
        assert_eq!(final_texts.0, final_texts.1, "{flow}: the result of the flow stays");
        assert_eq!(uninterrupted.commands, plain.commands + 1, "{flow}: one task more");
        for interruption in [Interruption::Crash { sent_happened: true }, Interruption::Pause, Interruption::Interrupt]
        {
            let mut interrupted = run_flow(true);
            interrupted.finish_run(Some((uninterrupted.commands - 1, interruption)));
            assert_eq!(
                run(&interrupted.harness).output,
                Some(json!({ "severity": "high" })),
                "{flow} {interruption:?}"
            );
            // After an interrupt, the people in a review begin another round.
            if (&*flow, interruption) != ("review", Interruption::Interrupt) {
                assert_eq!(interrupted.put, uninterrupted.put, "{flow} {interruption:?}: nothing is done twice");
            }
        }
    }
}

#[test]
fn an_agent_gets_the_violations_and_is_asked_again() {
    let mut harness = start_at_structured_output();
    let names = harness.finish("{\"severity\":\"urgent\",\"n\":1.5}");
    assert!(
        names.contains(&"output.rejected".to_owned()) && names.contains(&"message.started".to_owned()),
        "{names:?}"
    );
    let rejected = run(&harness).rejected_outputs.last().expect("is rejected").clone();
    let found: Vec<_> = rejected.violations.iter().map(|one| (&*one.pointer, &*one.path, &*one.message)).collect();
    let wanted = [
        ("/n", "$.n", "1.5 is not of type integer"),
        ("/severity", "$.severity", "'urgent' is not one of 'high', 'low'"),
    ];
    assert_eq!(found, wanted);
    assert_eq!(&*rejected.reason, "$.n: 1.5 is not of type integer; $.severity: 'urgent' is not one of 'high', 'low'");
    let names = harness.finish("```json\n{\"severity\":\"low\"}\n```");
    assert!(names.contains(&"output.produced".to_owned()), "{names:?}");
    assert_eq!(
        (run(&harness).output.clone(), run(&harness).phase),
        (Some(json!({ "severity": "low" })), Phase::Completed)
    );
    assert!(run(&harness).rejected_outputs.is_empty());
}

#[test]
fn a_run_fails_if_no_output_matches_and_what_was_written_can_be_found() {
    let mut harness = start_at_structured_output();
    for text in ["no", "{\"severity\":1}"] {
        harness.finish(text);
        assert_eq!(run(&harness).running[0].task, Task::Structure, "{text}");
    }
    harness.finish("{\"severity\":\"urgent\"}");
    let ended = run(&harness);
    let error = ended.error.clone().expect("has failed");
    assert_eq!((ended.phase, &*error.code, ended.output.clone()), (Phase::Failed, "schema_generation_failed", None));
    assert!(error.message.contains("after 3 attempts") && !error.message.contains("urgent"), "{}", error.message);
    let rejected = ended.rejected_outputs.last().expect("stays");
    assert_eq!(&*rejected.violations[0].path, "$.severity");
    let text = &harness.state.view().message(rejected.message).expect("is there").text;
    assert_eq!(schema::value_in(text), Some(json!({ "severity": "urgent" })));
    assert!(error.message.contains(&rejected.message.to_string()));
    assert!(!harness.log.iter().any(|event| matches!(event.fact, Fact::OutputProduced { .. })));
    let kinds: Vec<bool> = harness
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
    let mut harness = start_at_structured_output();
    harness.finish_truncated("{\"severity\":\"high\"}");
    assert!(run(&harness).rejected_outputs[0].reason.contains("token limit"));
    let deep = (0..100).fold("1".to_owned(), |inner, _| format!("[{inner}]"));
    harness.finish(&format!("{{\"severity\":\"high\",\"more\":{deep}}}"));
    assert!(run(&harness).rejected_outputs[1].reason.contains("nested more than 64 levels"));
}

#[test]
fn a_model_that_fails_for_good_fails_the_run_with_its_own_error() {
    let mut harness = start_at_structured_output();
    harness.fail(None);
    assert_eq!(run(&harness).error.as_ref().map(|error| &*error.code), Some("model_unavailable"));
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
        let mut harness = KernelHarness::with(team, settings);
        harness.ok(OWNER, start());
        harness.finish("done");
        assert_eq!(run(&harness).running.iter().map(|running| running.task).collect::<Vec<_>>(), [Task::Structure]);
        harness.finish("{\"severity\":\"high\"}");
        assert!(run(&harness).phase == Phase::Completed && run(&harness).output.is_some());
    }
}

#[test]
fn a_late_message_is_for_the_next_run() {
    let mut harness = start_at_structured_output();
    let first = run(&harness).id;
    harness.ok(OWNER, say("and now something else"));
    harness.finish("{\"severity\":\"high\"}");
    let next = run(&harness);
    assert!(next.id != first && next.phase == Phase::Executing && next.request.is_none());
    assert_eq!(harness.writing_agents(), ["W"]);
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
        let mut harness = KernelHarness::with(team_of("react", roles), Settings::of("react"));
        harness.ok(OWNER, start());
        while run(&harness).running[0].task == Task::Reply {
            harness.finish("done");
        }
        assert_eq!(harness.writing_agents(), [writer]);
    }
}

#[test]
fn the_flow_structure_works_on_the_results_of_earlier_runs() {
    let mut harness = KernelHarness::with(team_of("react", &[("W", Worker)]), Settings::of("react"));
    assert!(
        rejection_message(&mut harness, structure_command(schema())).contains("requires the result of an earlier run")
    );
    harness.ok(OWNER, say("look"));
    assert_eq!(harness.submit(OWNER, structure_command(schema())).err(), Some(Rejection::RunActive));
    harness.finish("it is bad");
    let without = Command::Start {
        flow: Some(flow::STRUCTURE.into()),
        input: "write".into(),
        files: vec![],
        earlier: vec![],
        request: None,
    };
    assert!(rejection_message(&mut harness, without).contains("requires output_schema"));
    for _ in 0..2 {
        harness.ok(OWNER, structure_command(schema()));
        assert_eq!((&*run(&harness).flow, run(&harness).running[0].task), ("structure", Task::Structure));
        harness.finish("{\"severity\":\"high\"}");
        let ended = run(&harness);
        let written = ended.final_message.and_then(|id| harness.state.view().message(id)).map(|message| &*message.text);
        assert_eq!((ended.phase, written), (Phase::Completed, Some("{\"severity\":\"high\"}")));
        assert_eq!(ended.output, Some(json!({ "severity": "high" })));
    }
    harness.ok(OWNER, say("look again"));
    assert_eq!(&*run(&harness).flow, "react", "the flow of the team stays");
}

#[test]
fn no_team_has_the_flow_structure() {
    let team = team_of(flow::STRUCTURE, &[("W", Worker)]);
    assert!(flow::check(&team).is_err_and(|text| text.contains("choose another flow")));
    assert!(flow::FLOWS.iter().all(|(name, _)| *name != flow::STRUCTURE));
}

#[test]
fn an_invalid_schema_is_refused_with_the_reason() {
    let mut harness = KernelHarness::with(team_of("react", &[("W", Worker)]), Settings::of("react"));
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
    for (schema, text) in table {
        let error = rejection_message(&mut harness, start_with(json!({}), Some(schema)));
        assert!(error.starts_with(text), "{error}");
    }
    assert_eq!(harness.state.view().run, None);
}

#[test]
fn the_structured_output_task_has_no_tools() {
    let mut team = team_of("react", &[("W", Worker)]);
    team.agents[0].tools = vec!["*".into()];
    let mut harness = KernelHarness::with(team, Settings::of("react"));
    harness.ok(OWNER, start());
    let offered = |harness: &KernelHarness| {
        let assignment = run(harness).running[0].assignment();
        kernel_tools::offered_tools(harness.state.view(), &assignment).count()
    };
    assert!(offered(&harness) > 0);
    harness.finish("it is bad");
    assert_eq!(offered(&harness), 0);
}

#[test]
fn the_global_supervisor_of_a_topology_writes_after_its_answer() {
    let team = super::topology::team(&[("a", "round_robin", &["x"])], &[], "parallel");
    let mut harness = KernelHarness::with(team, Settings { max_attempts: 1, ..Settings::of("topology") });
    let command = start();
    harness.ok(OWNER, command);
    for text in ["look", "slow queries", "queries are slow", "add an index"] {
        assert_ne!(run(&harness).running[0].task, Task::Structure);
        harness.finish(text);
    }
    let writing: Vec<_> = run(&harness).running.iter().map(|running| (running.agent.as_str(), running.task)).collect();
    assert_eq!(writing, [("global-supervisor", Task::Structure)]);
    let answer = run(&harness).task_results.last().and_then(|done| done.message);
    harness.finish("{\"severity\":\"urgent\"}");
    harness.finish("{\"severity\":\"high\"}");
    let ended = run(&harness);
    assert_eq!((ended.phase, ended.final_message), (Phase::Completed, answer));
    assert_eq!(ended.output, Some(json!({ "severity": "high" })));
    for _ in 0..2 {
        harness.ok(OWNER, structure_command(schema()));
        assert_eq!(harness.writing_agents(), ["global-supervisor"]);
        let request = request(&harness);
        assert!(request.contains("queries are slow"), "the result of the node: {request}");
        assert!(request.contains("add an index"), "the final output: {request}");
        harness.finish("{\"severity\":\"low\"}");
    }
    harness.ok(OWNER, structure_command(schema()));
    harness.fail(None);
    assert_eq!(run(&harness).error.as_ref().map(|error| &*error.code), Some("model_unavailable"));
}

#[test]
fn the_flow_structure_reads_what_was_written_before_a_run_ended_early() {
    let nodes = [("a", "round_robin", &["x"][..]), ("b", "round_robin", &["y"])];
    let team = super::topology::team(&nodes, &[("a", "calls", "b")], "sequential");
    let mut harness = KernelHarness::with(team, Settings::of("topology"));
    harness.ok(OWNER, say("look"));
    harness.ok(OWNER, harness.cancel(None));
    harness.stop("");
    let refused = rejection_message(&mut harness, structure_command(schema()));
    assert!(refused.contains("no agent has written a result"), "nothing to invent a value from: {refused}");
    harness.ok(OWNER, say("look again"));
    for text in ["go", "x found slow queries", "a is slow"] {
        harness.finish(text);
    }
    harness.ok(OWNER, harness.cancel(None));
    harness.stop("y looks");
    harness.ok(OWNER, structure_command(schema()));
    let request = request(&harness);
    assert!(request.contains("a is slow"), "{request}");
    assert!(!request.contains("y looks"), "what was not finished is no result: {request}");
}

/// Completes the turn in progress with this text, as the orchestrator does after storing the value as a file.
fn finish_with_file(harness: &mut KernelHarness, text: &str, limits: FileLimits) -> Vec<String> {
    let running = run(harness).running[0].clone();
    let file = super::files::file("structured-output.json", text);
    harness.submit_as_orchestrator(Command::TurnCompleted {
        message: running.message,
        attempt: running.attempt,
        text: text.into(),
        calls: vec![],
        usage: usage(false),
        truncated: false,
        output_file: Some(Box::new(StructuredOutputFile { file, limits })),
    })
}

#[test]
fn valid_output_becomes_a_version_of_a_file_which_is_redacted_with_its_message() {
    let mut harness = start_at_structured_output();
    let limits = super::files::FILE_LIMITS;
    let value = "{\"severity\":\"high\"}";
    let rejected = finish_with_file(&mut harness, "{\"severity\":\"urgent\"}", limits);
    assert!(!rejected.contains(&"file.added".into()), "{rejected:?}");
    let written = finish_with_file(&mut harness, value, limits);
    let at = written.iter().position(|name| name == "output.produced").expect("an output");
    assert_eq!(written[at + 1], "file.added", "a redaction finds the file after its message");
    harness.ok(OWNER, structure_command(schema()));
    finish_with_file(&mut harness, value, limits);
    let files: Vec<_> = harness.state.view().files.iter().map(|file| (file.version, file.by.id.to_string())).collect();
    assert_eq!(files, [(1, "W".into()), (2, "W".into())], "each output has a version, even of the same content");

    let message = |event: &Event| if let Fact::FileAdded { message, .. } = &event.fact { *message } else { None };
    let messages: Vec<MessageId> = harness.log.iter().filter_map(message).collect();
    let contents = |harness: &mut KernelHarness, message: MessageId| {
        harness.ok(OWNER, Command::Redact { target: RedactionTarget::Message(message), reason: None });
        let (last, before) = harness.log.split_last().expect("has events");
        let mut eraser = Eraser::of(last).expect("is a redaction");
        before.iter().for_each(|event| eraser.note(event));
        let contents = eraser.contents();
        super::redaction::rewrite(harness);
        contents
    };
    let digest = harness.state.view().files[0].digest.clone();
    assert!(contents(&mut harness, messages[0]).is_empty(), "the other version has the same content");
    let kept: Vec<bool> = harness.state.view().files.iter().map(|file| file.redacted.is_none()).collect();
    assert_eq!(kept, [false, true]);
    assert_eq!(contents(&mut harness, messages[1]), std::slice::from_ref(&digest));
    assert_eq!(super::redaction::remaining_places(&harness, &digest), Vec::<String>::new());
    assert_eq!(super::redaction::remaining_places(&harness, "\"output\":{"), Vec::<String>::new());
}

#[test]
fn output_without_room_for_its_file_stays_in_the_log() {
    let mut harness = start_at_structured_output();
    let names = finish_with_file(&mut harness, "{\"severity\":\"high\"}", FileLimits { versions: 0, bytes: 100 });
    assert!(names.contains(&"output.produced".into()) && !names.contains(&"file.added".into()), "{names:?}");
    assert_eq!((run(&harness).phase, &run(&harness).output), (Phase::Completed, &Some(json!({ "severity": "high" }))));
}
