//! The five scenarios of the specification, and variations of them.

use roundtable::kernel::gate::Choice;
use roundtable::kernel::*;

use super::harness::*;

#[test]
fn the_first_message_starts_generator_then_reviewer_then_the_gate() {
    let mut harness = KernelHarness::new();
    assert_eq!(
        harness.ok(OWNER, say("生成支付接口的测试用例")),
        ["message.posted", "message.routed", "run.started", "step.started", "message.started", "run.state_changed"]
    );
    assert_eq!((harness.writing_agents(), harness.phase()), (vec!["Gen".into()], Phase::Executing));
    assert_eq!(
        harness.finish("cases"),
        ["message.completed", "usage.recorded", "step.completed", "step.started", "message.started"]
    );
    assert_eq!(harness.writing_agents(), ["Rev"]);
    assert_eq!(
        harness.finish("remarks"),
        ["message.completed", "usage.recorded", "step.completed", "gate.opened", "run.state_changed"]
    );
    let gate = harness.gate();
    assert_eq!(gate.agent, Some(agent("Rev")));
    assert_eq!(gate.agents, [agent("Gen"), agent("Rev"), agent("Opt")]);
    assert_eq!(harness.phase(), Phase::Waiting);
}

#[test]
fn an_approval_starts_the_optimizer_and_ends_the_run() {
    let mut harness = KernelHarness::new();
    harness.reach_gate();
    assert_eq!(
        harness.vote(OWNER, Choice::Approve, None).expect("accepted"),
        ["gate.voted", "gate.decided", "step.started", "message.started", "run.state_changed"]
    );
    assert_eq!(harness.writing_agents(), ["Opt"]);
    assert_eq!(harness.finish("final"), ["message.completed", "usage.recorded", "step.completed", "run.finished"]);
    let run = harness.state.view().run.clone().expect("a run");
    assert_eq!(run.phase, Phase::Completed);
    let answer = harness.state.view().message(run.final_message.expect("an answer")).expect("kept").clone();
    assert_eq!(&*answer.text, "final");
}

#[test]
fn approving_text_counts_only_from_voters_and_is_in_the_history() {
    let mut harness = KernelHarness::new();
    harness.enter(2, Role::Bot);
    harness.reach_gate();
    assert_eq!(harness.ok(2, say("approve")), ["message.posted", "message.routed"], "they wait, as all its words do");
    assert_eq!(harness.writing_agents(), [""; 0]);
    harness.ok(OWNER, say("同意"));
    assert_eq!(harness.writing_agents(), ["Opt"]);
    assert_eq!(harness.texts(), ["P1: write tests", "Gen: cases", "Rev: remarks", "P2: approve", "P1: 同意"]);
}

#[test]
fn an_empty_text_approves_at_the_gate_and_nowhere_else() {
    let mut harness = KernelHarness::new();
    assert!(matches!(harness.submit(OWNER, say("  ")), Err(Rejection::Invalid(_))));
    harness.reach_gate();
    harness.ok(OWNER, say(""));
    assert_eq!(harness.writing_agents(), ["Opt"]);
}

#[test]
fn text_that_only_resembles_an_approval_is_feedback() {
    for text in ["I do not approve", "不同意"] {
        let mut harness = KernelHarness::new();
        harness.reach_gate();
        harness.ok(OWNER, say(text));
        assert_eq!(harness.writing_agents(), ["Gen"], "{text}");
    }
}

#[test]
fn feedback_runs_generator_and_reviewer_again() {
    let mut harness = KernelHarness::new();
    harness.reach_gate();
    assert_eq!(
        harness.ok(OWNER, say("请添加边界测试用例")),
        ["message.posted", "message.routed", "gate.decided", "step.started", "message.started", "run.state_changed"]
    );
    assert_eq!(harness.writing_agents(), ["Gen"]);
    harness.finish("more cases");
    assert_eq!(harness.writing_agents(), ["Rev"]);
    harness.finish("new remarks");
    assert_eq!(harness.phase(), Phase::Waiting);
    harness.ok(OWNER, say("同意"));
    harness.finish("final");
    assert_eq!(
        harness.texts(),
        [
            "P1: write tests",
            "Gen: cases",
            "Rev: remarks",
            "P1: 请添加边界测试用例",
            "Gen: more cases",
            "Rev: new remarks",
            "P1: 同意",
            "Opt: final"
        ]
    );
}

#[test]
fn a_mention_runs_that_agent_only_then_the_gate_again() {
    for who in ["Gen", "Rev"] {
        let mut harness = KernelHarness::new();
        harness.reach_gate();
        harness.ok(OWNER, say(&format!("@{who} 请添加性能测试")));
        assert_eq!(harness.writing_agents(), [who]);
        harness.finish("done");
        assert_eq!((harness.writing_agents().len(), harness.phase()), (0, Phase::Waiting));
        assert_eq!(harness.gate().agent, Some(agent(who)));
    }
}

#[test]
fn everybody_runs_the_whole_flow_again() {
    let mut harness = KernelHarness::new();
    harness.reach_gate();
    harness.ok(OWNER, say("@ALL 重新生成"));
    assert_eq!(harness.writing_agents(), ["Gen"]);
    harness.finish("again");
    assert_eq!(harness.writing_agents(), ["Rev"]);
}

#[test]
fn agents_of_one_role_work_in_parallel() {
    let roles = [
        ("Gen", AgentRole::Generator),
        ("Sec", AgentRole::Reviewer),
        ("Perf", AgentRole::Reviewer),
        ("Opt", AgentRole::Optimizer),
    ];
    let mut harness = KernelHarness::with(team(&roles), Settings::default());
    harness.ok(OWNER, say("write"));
    harness.finish("cases");
    assert_eq!(harness.writing_agents(), ["Sec", "Perf"]);
    harness.finish("secure");
    assert_eq!(harness.writing_agents(), ["Perf"]);
    harness.finish("fast");
    assert_eq!(harness.phase(), Phase::Waiting);
}

#[test]
fn talk_among_people_starts_nothing() {
    let mut harness = KernelHarness::new();
    harness.enter(2, Role::Member);
    for text in ["@P2 have a look", "@people lunch?", "@role:reviewer please"] {
        assert_eq!(harness.ok(OWNER, say(text)), ["message.posted", "message.routed"], "{text}");
    }
    assert!(harness.state.view().run.is_none());
    harness.reach_gate();
    harness.ok(OWNER, say("@P2 shall we approve?"));
    assert_eq!(harness.phase(), Phase::Waiting);
}

#[test]
fn an_unknown_name_reaches_nobody() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say("@Genn write"));
    assert!(harness.state.view().run.is_none());
    let Fact::MessageRouted { unresolved, .. } = &harness.log.last().expect("an event").fact else {
        panic!("a receipt")
    };
    assert_eq!((&*unresolved[0].text, &*unresolved[0].nearest[0]), ("Genn", "Gen"));
}

#[test]
fn a_conversation_has_as_many_rounds_as_people_want() {
    let settings = Settings { max_messages_per_run: 4, max_steps_per_run: 3, ..Settings::default() };
    let roles = [("Gen", AgentRole::Generator), ("Rev", AgentRole::Reviewer), ("Opt", AgentRole::Optimizer)];
    let mut harness = KernelHarness::with(team(&roles), settings);
    harness.reach_gate();
    let first = harness.state.view().run.clone().expect("a run").id;
    for round in 0..12 {
        harness.ok(OWNER, say("once more"));
        harness.finish("draft");
        harness.finish("remarks");
        let gate = &harness.state.view().gates[0];
        assert!(gate.context.is_none(), "round {round}: {:?}", gate.context);
    }
    harness.ok(OWNER, say("approve"));
    harness.finish("final");
    let run = harness.state.view().run.clone().expect("a run");
    assert_eq!((run.id, run.phase), (first, Phase::Completed));
}

#[test]
fn at_the_limit_of_a_round_people_decide_how_to_continue() {
    let roles = [("Gen", AgentRole::Generator), ("Rev", AgentRole::Reviewer), ("Opt", AgentRole::Optimizer)];
    let few_messages = Settings { max_messages_per_run: 2, ..Settings::default() };
    let few_steps = Settings { max_steps_per_run: 1, ..Settings::default() };
    for (settings, text) in [(few_messages, "2 messages"), (few_steps, "1 steps")] {
        let mut harness = KernelHarness::with(team(&roles), settings);
        harness.ok(OWNER, say("write"));
        harness.finish("draft");
        for feedback in ["@Rev look at it", "again"] {
            let gate = harness.state.view().gates[0].clone();
            let context = gate.context.expect("it says why nobody works");
            assert!(context.contains(text), "{context}");
            harness.ok(OWNER, say(feedback));
            harness.finish("written");
            if feedback.starts_with("@Rev") {
                let gate = harness.state.view().gates[0].clone();
                assert!(gate.context.is_none(), "what it wanted is done");
                harness.ok(OWNER, say("@all go on"));
                harness.finish("draft");
            }
        }
        harness.ok(OWNER, say("approve"));
        assert_eq!(harness.writing_agents(), ["Opt"]);
    }
}

#[test]
fn feedback_without_a_known_mention_is_for_the_whole_team() {
    for text in ["add `x` and @NotNull checks", "@Test on each", "@张三 说得对，请补充", "@TestCase_Foo do it"]
    {
        let mut harness = KernelHarness::new();
        harness.reach_gate();
        let names = harness.ok(OWNER, say(text));
        assert!(names.contains(&"gate.decided".into()), "{text}: {names:?}");
        assert_eq!(harness.writing_agents(), ["Gen"], "{text}");
        let routed = harness.log.iter().rev().find_map(|event| match &event.fact {
            Fact::MessageRouted { unresolved, .. } => Some(unresolved.len()),
            _ => None,
        });
        assert_eq!(routed, Some(1), "{text}");
    }
}

#[test]
fn the_optimizer_writes_the_final_answer() {
    let mut harness = KernelHarness::new();
    harness.reach_gate();
    harness.ok(OWNER, say("@Opt give the final version"));
    assert_eq!(harness.writing_agents(), ["Opt"]);
    harness.finish("final");
    let run = harness.state.view().run.clone().expect("a run");
    assert_eq!(run.phase, Phase::Completed);
    let answer = harness.state.view().message(run.final_message.expect("an answer")).expect("a message").text.clone();
    assert_eq!(&*answer, "final");

    let mut harness = KernelHarness::new();
    harness.reach_gate();
    harness.ok(OWNER, say("@Opt and @Rev look again"));
    harness.finish("remarks");
    harness.finish("version");
    assert_eq!(harness.state.view().gates.len(), 1, "others were asked too: people decide");
}

#[test]
fn a_gate_records_the_seq_of_its_end() {
    let mut harness = KernelHarness::new();
    harness.reach_gate();
    assert_eq!(harness.state.view().gates[0].ended, None);
    harness.ok(OWNER, say("shorter"));
    let decided =
        harness.log.iter().find(|event| matches!(event.fact, Fact::GateDecided { .. })).expect("a decision").seq;
    let gate = harness.state.view().decided.back().expect("a gate").clone();
    assert_eq!(gate.ended.map(u64::from), Some(decided));
    assert!(decided > gate.id.0);
}

#[test]
fn the_next_message_after_the_end_starts_a_new_run() {
    let mut harness = KernelHarness::new();
    harness.reach_gate();
    harness.ok(OWNER, say("approve"));
    harness.finish("final");
    let first = harness.state.view().run.clone().expect("a run").id;
    harness.ok(OWNER, say("@Rev one more look"));
    assert_ne!(harness.state.view().run.clone().expect("a run").id, first);
    assert_eq!(harness.writing_agents(), ["Rev"]);
}

#[test]
fn a_failed_attempt_is_retried_at_its_time_and_the_last_one_fails_the_run() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say("write"));
    for attempt in 1..=3 {
        assert_eq!(harness.fail(Some(5_000)), ["attempt.failed", "usage.recorded"]);
        let due = harness.state.next_due().expect("a retry").millis();
        harness.now = due - 1;
        assert_eq!(harness.submit_as_orchestrator(Command::DeadlineReached), [""; 0], "not before its time");
        harness.now = due;
        assert_eq!(harness.submit_as_orchestrator(Command::DeadlineReached), ["message.started"]);
        let running = harness.state.view().active_run().expect("a run").running[0].clone();
        assert_eq!((running.attempt, running.failures), (attempt + 1, attempt));
    }
    assert_eq!(
        harness.fail(Some(5_000)),
        ["attempt.failed", "usage.recorded", "message.aborted", "step.skipped", "run.failed"]
    );
    assert_eq!(harness.phase(), Phase::Failed);
}

#[test]
fn permanent_errors_are_not_retried() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say("write"));
    assert_eq!(
        harness.fail(None),
        ["attempt.failed", "usage.recorded", "message.aborted", "step.skipped", "run.failed"]
    );
}

#[test]
fn a_result_of_an_earlier_attempt_is_dropped() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say("write"));
    let running = harness.state.view().active_run().expect("a run").running[0].clone();
    harness.submit_as_orchestrator(recover());
    assert_eq!(harness.phase(), Phase::Recovering);
    assert_eq!(harness.finish_message(running.message, running.attempt, "late"), [""; 0]);
    assert_eq!(harness.writing_agents(), ["Gen"]);
    harness.finish_message(running.message, running.attempt + 1, "new");
    assert_eq!(harness.writing_agents(), ["Rev"]);
    assert_eq!(harness.phase(), Phase::Executing);
}

#[test]
fn usage_is_summed_by_agent_person_and_run() {
    let mut harness = KernelHarness::new();
    harness.reach_gate();
    let view = harness.state.view();
    assert_eq!((view.usage_of_run.turns, view.usage_of_run.input_tokens, view.usage_of_run.cost_micros), (2, 20, 6));
    assert_eq!(view.usage_by_agent.len(), 2);
    assert_eq!(view.usage_by_participant[0].output_tokens, 10);
}
