//! Agents' mistakes, and failures that occur in parallel: they block nobody, and do not count forever.

use roundtable::kernel::call::CallState;
use roundtable::kernel::*;
use serde_json::json;

use super::flows::{joined_results, run, team_of};
use super::harness::*;
use super::scripted_runner::{ModelResponse, ScriptedRunner, put_once, text_response, tool_call};

use AgentRole::{Executor, Planner, Summarizer, Worker};

fn decision(text: &str) -> ModelResponse {
    text_response(&format!("{{\"next_action\":\"continue\",\"reason\":\"{text}\"}}"))
}

#[test]
fn a_failed_run_ends_while_an_agent_waits_for_its_tools() {
    for sent in [false, true] {
        let mut runner = ScriptedRunner::new(team_of("react", &[("A", Worker), ("B", Worker)]), |view, running| {
            put_once(run(view), running, running.agent.as_str())
        });
        runner.begin("do it");
        let [a, b] = &run(runner.harness.state.view()).running.clone()[..] else { panic!("two at work") };
        runner.turn(a);
        if sent {
            runner.check_next_call();
        }
        let error = AttemptError { code: "model_unavailable".into(), message: "down".into() };
        let left = PartialMessage { message: b.message, text: "".into(), usage: None };
        runner.harness.submit_as_orchestrator(Command::TurnFailed {
            attempt: b.attempt,
            error,
            retry_in_ms: None,
            left,
        });
        runner.finish_run(None);
        assert_eq!(runner.harness.phase(), Phase::Failed, "{sent}");
        // Calls that were sent run to completion; the others are not sent.
        assert_eq!(runner.put.len(), usize::from(sent));
    }
}

#[test]
fn mistakes_are_reset_by_valid_output() {
    let script: fn(&View, &RunningMessage) -> ModelResponse = |view, running| match running.task {
        Task::Plan => {
            text_response("{\"steps\":[{\"agent\":\"A\",\"action\":\"a\"},{\"agent\":\"A\",\"action\":\"b\"}]}")
        }
        // Two mistakes at each step, the maximum allowed.
        Task::Decide if run(view).rejected_outputs.len() < 2 => text_response("well"),
        Task::Decide => decision("good"),
        _ => text_response("done"),
    };
    let mut runner = ScriptedRunner::new(team_of("brain", &[("P", Planner), ("A", Executor)]), script);
    runner.begin("do it");
    runner.finish_run(None);
    let made = runner.harness.log.iter().filter_map(|event| match &event.fact {
        Fact::DecisionMade { decision, .. } => Some(decision.fallback),
        _ => None,
    });
    assert_eq!(made.collect::<Vec<_>>(), [false, false]);
    assert!(runner.harness.state.view().run.as_ref().expect("a run").rejected_outputs.is_empty());
}

#[test]
fn truncated_output_is_marked_and_makes_no_plan() {
    let plan = "{\"steps\":[{\"agent\":\"A\",\"action\":\"a\"}]}";
    let mut runner =
        ScriptedRunner::new(team_of("brain", &[("P", Planner), ("A", Executor)]), |_, _| text_response("done"));
    runner.begin("do it");
    runner.harness.finish_truncated(plan);
    let cut = |event: &&Event| matches!(event.fact, Fact::MessageCompleted { truncated: true, .. });
    assert_eq!(runner.harness.log.iter().filter(cut).count(), 1);
    let asked_again = |event: &&Event| matches!(&event.fact, Fact::OutputRejected { reason, again: true, .. } if reason.contains("token limit"));
    assert_eq!(runner.harness.log.iter().filter(asked_again).count(), 1, "it would read, but it is not whole");
    let message = runner.harness.state.view().messages.back().expect("a message");
    assert!(message.truncated, "whoever comes later sees it, too");
    runner.harness.finish(plan);
    assert!(run(runner.harness.state.view()).plan.is_some());
}

#[test]
fn a_repair_request_includes_earlier_tool_results() {
    let script: fn(&View, &RunningMessage) -> ModelResponse = |view, running| {
        let (line, calls) = put_once(run(view), running, "x");
        match (calls.is_empty(), run(view).rejected_outputs.is_empty()) {
            (false, _) => (line, calls),
            (true, true) => text_response("in words"),
            (true, false) => text_response(&format!("{{\"root_cause\":\"{line}\",\"suggestions\":[]}}")),
        }
    };
    let mut runner = ScriptedRunner::new(team_of("investigate", &[("P", Planner)]), |_, running| match running.task {
        Task::Plan => text_response(
            "{\"action\":\"continue\",\"next_steps\":[{\"action\":\"a\",\"tool_name\":\"put\",\"tool_params\":{\"what\":\"y\"}}]}",
        ),
        Task::Decide => text_response("{\"action\":\"synthesize\"}"),
        _ => text_response(""),
    });
    runner.set_task_script(Task::Summarize, script);
    runner.begin("do it");
    runner.finish_run(None);
    assert!(runner.result().contains("put x"), "{}", runner.result());
    let outputs =
        |run: &Run| run.tool_rounds.iter().flat_map(|e| &e.calls).filter(|call| call.output.is_some()).count();
    // Only the outputs of the flow's own calls stay in the run: clients that join later do not get the others.
    assert_eq!(outputs(runner.harness.state.view().run.as_ref().expect("a run")), 1);
}

#[test]
fn a_call_of_a_tool_that_was_not_offered_fails() {
    let script: fn(&View, &RunningMessage) -> ModelResponse = |view, running| {
        let own = running.assignment();
        match run(view).tool_rounds_of(&own).next() {
            Some(_) => text_response("done"),
            None => {
                let ask = tool_call("user_input", json!({ "question": "?" }));
                ("".into(), vec![tool_call("plan", json!({ "command": "create", "items": ["x"] })), ask])
            }
        }
    };
    let mut team = team_of("react", &[("W", Worker)]);
    team.agents[0].tools = vec!["put".into()];
    let mut runner = ScriptedRunner::new(team, script);
    runner.begin("do it");
    let running = run(runner.harness.state.view()).running[0].clone();
    runner.turn(&running);
    let calls = run(runner.harness.state.view()).tool_rounds[0].calls.clone();
    assert!(calls.iter().all(|call| call.state == CallState::Proposed), "the shell judges them");
    assert!(run(runner.harness.state.view()).plan.is_none() && runner.harness.state.view().gates.is_empty());
}

#[test]
fn parts_beyond_the_parallel_limit_run_in_sequence() {
    let script: fn(&View, &RunningMessage) -> ModelResponse = |view, running| match (running.task, &run(view).plan) {
        (Task::Plan, None) => {
            ("".into(), vec![tool_call("plan", json!({ "command": "create", "items": ["a<sep>b<sep>c", "d"] }))])
        }
        (Task::Plan, Some(_)) => text_response("go on"),
        (Task::Execute { number, part }, _) => text_response(&format!("{number}.{part}")),
        _ => text_response(&joined_results(view)),
    };
    let team = team_of("plan_solve", &[("P", Planner), ("E", Executor), ("S", Summarizer)]);
    let mut runner = ScriptedRunner::new(team, script);
    runner.harness.ok(OWNER, set(json!({ "max_parallel": 2 })));
    runner.begin("do it");
    runner.finish_run(None);
    assert!(runner.result().contains("1.0, 1.1, 1.2, 2.0"), "{}", runner.result());
}

/// Returns a runner whose planner first replies with something that is not a plan.
fn start_with_unreadable_plan() -> ScriptedRunner {
    let mut runner =
        ScriptedRunner::new(team_of("brain", &[("P", Planner), ("A", Executor)]), |view, running| match running.task {
            Task::Plan if run(view).rejected_outputs.is_empty() => text_response("well"),
            Task::Plan => text_response("{\"steps\":[{\"agent\":\"A\",\"action\":\"a\"}]}"),
            Task::Decide => decision("good"),
            _ => text_response("done"),
        });
    runner.begin("do it");
    runner
}

#[test]
fn no_repair_is_requested_during_a_pause() {
    let mut runner = start_with_unreadable_plan();
    runner.harness.ok(OWNER, runner.harness.pause());
    let running = run(runner.harness.state.view()).running[0].clone();
    runner.turn(&running);
    assert!(runner.harness.writing_agents().is_empty());
    assert_eq!(run(runner.harness.state.view()).controls, [], "the pause is effective");
    runner.harness.ok(OWNER, runner.harness.resume());
    assert_eq!(runner.harness.writing_agents(), ["P"]);
    runner.finish_run(None);
    assert!(runner.result().starts_with("Completed"), "{}", runner.result());
}

#[test]
fn unreadable_output_before_a_stop_decides_nothing() {
    let mut runner = start_with_unreadable_plan();
    runner.harness.ok(OWNER, runner.harness.interrupt(Some("go on")));
    let running = run(runner.harness.state.view()).running[0].clone();
    runner.turn(&running);
    assert!(runner.harness.writing_agents().is_empty() && run(runner.harness.state.view()).plan.is_none());
    runner.finish_run(None);
    assert!(runner.result().starts_with("Completed"), "{}", runner.result());
    let plan = runner.harness.state.view().run.as_ref().and_then(|run| run.plan.as_ref());
    assert!(plan.is_some_and(|plan| !plan.fallback), "the planner is asked again");
}
