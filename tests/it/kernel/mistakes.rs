//! Mistakes of agents, and failures in parallel with them: they block nobody, and do not count forever.

use roundtable::kernel::call::CallState;
use roundtable::kernel::*;
use serde_json::json;

use super::flows::{found, run, team_of};
use super::harness::*;
use super::play::{Line, Play, puts, wanted, words};

use AgentRole::{Executor, Planner, Summarizer, Worker};

fn decision(text: &str) -> Line {
    words(&format!("{{\"next_action\":\"continue\",\"reason\":\"{text}\"}}"))
}

#[test]
fn a_run_that_failed_ends_though_an_agent_waits_for_its_tools() {
    for sent in [false, true] {
        let mut play = Play::new(team_of("react", &[("A", Worker), ("B", Worker)]), |view, item| {
            puts(run(view), item, item.agent.as_str())
        });
        play.begin("do it");
        let [a, b] = &run(play.stage.state.view()).items.clone()[..] else { panic!("two at work") };
        play.turn(a);
        if sent {
            play.judge();
        }
        let error = AttemptError { code: "model_unavailable".into(), message: "down".into() };
        let left = PartialMessage { message: b.message, text: "".into(), usage: None };
        play.stage.shell(Command::TurnFailed { attempt: b.attempt, error, retry_in_ms: None, left });
        play.finish_run(None);
        assert_eq!(play.stage.phase(), Phase::Failed, "{sent}");
        // Calls that were sent run to their end; the others are not sent.
        assert_eq!(play.put.len(), usize::from(sent));
    }
}

#[test]
fn a_mistake_is_forgiven_once_the_answer_is_right() {
    let script: fn(&View, &Item) -> Line = |view, item| match item.task {
        Task::Plan => words("{\"steps\":[{\"agent\":\"A\",\"action\":\"a\"},{\"agent\":\"A\",\"action\":\"b\"}]}"),
        // Two mistakes at each step, the maximum allowed.
        Task::Decide if run(view).rejected_outputs.len() < 2 => words("well"),
        Task::Decide => decision("good"),
        _ => words("done"),
    };
    let mut play = Play::new(team_of("brain", &[("P", Planner), ("A", Executor)]), script);
    play.begin("do it");
    play.finish_run(None);
    let made = play.stage.log.iter().filter_map(|event| match &event.fact {
        Fact::DecisionMade { decision, .. } => Some(decision.fallback),
        _ => None,
    });
    assert_eq!(made.collect::<Vec<_>>(), [false, false]);
    assert!(play.stage.state.view().run.as_ref().expect("a run").rejected_outputs.is_empty());
}

#[test]
fn an_answer_that_was_cut_is_marked_and_makes_no_plan() {
    let plan = "{\"steps\":[{\"agent\":\"A\",\"action\":\"a\"}]}";
    let mut play = Play::new(team_of("brain", &[("P", Planner), ("A", Executor)]), |_, _| words("done"));
    play.begin("do it");
    play.stage.cut(plan);
    let cut = |event: &&Event| matches!(event.fact, Fact::MessageCompleted { truncated: true, .. });
    assert_eq!(play.stage.log.iter().filter(cut).count(), 1);
    let asked_again = |event: &&Event| matches!(&event.fact, Fact::OutputRejected { reason, again: true, .. } if reason.contains("token limit"));
    assert_eq!(play.stage.log.iter().filter(asked_again).count(), 1, "it would read, but it is not whole");
    let message = play.stage.state.view().messages.back().expect("a message");
    assert!(message.truncated, "whoever comes later sees it, too");
    play.stage.finish(plan);
    assert!(run(play.stage.state.view()).plan.is_some());
}

#[test]
fn a_repair_request_includes_earlier_tool_results() {
    let script: fn(&View, &Item) -> Line = |view, item| {
        let (line, calls) = puts(run(view), item, "x");
        match (calls.is_empty(), run(view).rejected_outputs.is_empty()) {
            (false, _) => (line, calls),
            (true, true) => words("in words"),
            (true, false) => words(&format!("{{\"root_cause\":\"{line}\",\"suggestions\":[]}}")),
        }
    };
    let mut play = Play::new(team_of("investigate", &[("P", Planner)]), |_, item| match item.task {
        Task::Plan => words(
            "{\"action\":\"continue\",\"next_steps\":[{\"action\":\"a\",\"tool_name\":\"put\",\"tool_params\":{\"what\":\"y\"}}]}",
        ),
        Task::Decide => words("{\"action\":\"synthesize\"}"),
        _ => words(""),
    });
    play.script_of(Task::Summarize, script);
    play.begin("do it");
    play.finish_run(None);
    assert!(play.result().contains("put x"), "{}", play.result());
    let outputs =
        |run: &Run| run.tool_rounds.iter().flat_map(|e| &e.calls).filter(|call| call.output.is_some()).count();
    // Only the outputs of the flow's own calls stay in the run: clients that join later do not get the others.
    assert_eq!(outputs(play.stage.state.view().run.as_ref().expect("a run")), 1);
}

#[test]
fn a_call_of_a_tool_that_was_not_offered_fails() {
    let script: fn(&View, &Item) -> Line = |view, item| {
        let own = item.assignment();
        match run(view).tool_rounds_of(&own).next() {
            Some(_) => words("done"),
            None => {
                let ask = wanted("user_input", json!({ "question": "?" }));
                ("".into(), vec![wanted("plan", json!({ "command": "create", "items": ["x"] })), ask])
            }
        }
    };
    let mut team = team_of("react", &[("W", Worker)]);
    team.agents[0].tools = vec!["put".into()];
    let mut play = Play::new(team, script);
    play.begin("do it");
    let item = run(play.stage.state.view()).items[0].clone();
    play.turn(&item);
    let calls = run(play.stage.state.view()).tool_rounds[0].calls.clone();
    assert!(calls.iter().all(|call| call.state == CallState::Proposed), "the shell judges them");
    assert!(run(play.stage.state.view()).plan.is_none() && play.stage.state.view().gates.is_empty());
}

#[test]
fn more_parts_than_may_run_side_by_side_are_done_one_after_the_other() {
    let script: fn(&View, &Item) -> Line = |view, item| match (item.task, &run(view).plan) {
        (Task::Plan, None) => {
            ("".into(), vec![wanted("plan", json!({ "command": "create", "items": ["a<sep>b<sep>c", "d"] }))])
        }
        (Task::Plan, Some(_)) => words("go on"),
        (Task::Execute { number, part }, _) => words(&format!("{number}.{part}")),
        _ => words(&found(view)),
    };
    let team = team_of("plan_solve", &[("P", Planner), ("E", Executor), ("S", Summarizer)]);
    let mut play = Play::new(team, script);
    play.stage.ok(OWNER, set(json!({ "max_parallel": 2 })));
    play.begin("do it");
    play.finish_run(None);
    assert!(play.result().contains("1.0, 1.1, 1.2, 2.0"), "{}", play.result());
}

/// A play whose planner first replies with something that is not a plan.
fn unreadable_at_first() -> Play {
    let mut play = Play::new(team_of("brain", &[("P", Planner), ("A", Executor)]), |view, item| match item.task {
        Task::Plan if run(view).rejected_outputs.is_empty() => words("well"),
        Task::Plan => words("{\"steps\":[{\"agent\":\"A\",\"action\":\"a\"}]}"),
        Task::Decide => decision("good"),
        _ => words("done"),
    });
    play.begin("do it");
    play
}

#[test]
fn no_repair_is_requested_during_a_pause() {
    let mut play = unreadable_at_first();
    play.stage.ok(OWNER, play.stage.pause());
    let item = run(play.stage.state.view()).items[0].clone();
    play.turn(&item);
    assert!(play.stage.writing().is_empty());
    assert_eq!(run(play.stage.state.view()).controls, [], "the pause is effective");
    play.stage.ok(OWNER, play.stage.resume());
    assert_eq!(play.stage.writing(), ["P"]);
    play.finish_run(None);
    assert!(play.result().starts_with("Completed"), "{}", play.result());
}

#[test]
fn an_answer_that_is_quicker_than_a_stop_and_cannot_be_read_decides_nothing() {
    let mut play = unreadable_at_first();
    play.stage.ok(OWNER, play.stage.interrupt(Some("go on")));
    let item = run(play.stage.state.view()).items[0].clone();
    play.turn(&item);
    assert!(play.stage.writing().is_empty() && run(play.stage.state.view()).plan.is_none());
    play.finish_run(None);
    assert!(play.result().starts_with("Completed"), "{}", play.result());
    let plan = play.stage.state.view().run.as_ref().and_then(|run| run.plan.as_ref());
    assert!(plan.is_some_and(|plan| !plan.fallback), "the planner is asked again");
}
