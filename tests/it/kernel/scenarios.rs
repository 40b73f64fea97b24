//! The five scenarios of seed 0, and variations of them.

use roundtable::kernel::gate::Choice;
use roundtable::kernel::*;

use super::harness::*;

#[test]
fn first_words_start_generator_then_reviewer_then_the_gate() {
    let mut stage = KernelHarness::new();
    assert_eq!(
        stage.ok(OWNER, say("生成支付接口的测试用例")),
        ["message.posted", "message.routed", "run.started", "step.started", "message.started", "run.state_changed"]
    );
    assert_eq!((stage.writing(), stage.phase()), (vec!["Gen".into()], Phase::Executing));
    assert_eq!(
        stage.finish("cases"),
        ["message.completed", "usage.recorded", "step.completed", "step.started", "message.started"]
    );
    assert_eq!(stage.writing(), ["Rev"]);
    assert_eq!(
        stage.finish("remarks"),
        ["message.completed", "usage.recorded", "step.completed", "gate.opened", "run.state_changed"]
    );
    let gate = stage.gate();
    assert_eq!(gate.agent, Some(agent("Rev")));
    assert_eq!(gate.agents, [agent("Gen"), agent("Rev"), agent("Opt")]);
    assert_eq!(stage.phase(), Phase::Waiting);
}

#[test]
fn an_approval_brings_the_optimizer_and_the_end() {
    let mut stage = KernelHarness::new();
    stage.reach_gate();
    assert_eq!(
        stage.vote(OWNER, Choice::Approve, None).expect("accepted"),
        ["gate.voted", "gate.decided", "step.started", "message.started", "run.state_changed"]
    );
    assert_eq!(stage.writing(), ["Opt"]);
    assert_eq!(stage.finish("final"), ["message.completed", "usage.recorded", "step.completed", "run.finished"]);
    let run = stage.state.view().run.clone().expect("a run");
    assert_eq!(run.phase, Phase::Completed);
    let answer = stage.state.view().message(run.final_message.expect("an answer")).expect("kept").clone();
    assert_eq!(&*answer.text, "final");
}

#[test]
fn words_approve_only_from_one_who_may_and_stand_in_the_history() {
    let mut stage = KernelHarness::new();
    stage.enter(2, Role::Bot);
    stage.reach_gate();
    assert_eq!(stage.ok(2, say("approve")), ["message.posted", "message.routed"], "they wait, as all its words do");
    assert_eq!(stage.writing(), [""; 0]);
    stage.ok(OWNER, say("同意"));
    assert_eq!(stage.writing(), ["Opt"]);
    assert_eq!(stage.texts(), ["P1: write tests", "Gen: cases", "Rev: remarks", "P2: approve", "P1: 同意"]);
}

#[test]
fn an_empty_text_approves_at_the_gate_and_nowhere_else() {
    let mut stage = KernelHarness::new();
    assert!(matches!(stage.does(OWNER, say("  ")), Err(Rejection::Invalid(_))));
    stage.reach_gate();
    stage.ok(OWNER, say(""));
    assert_eq!(stage.writing(), ["Opt"]);
}

#[test]
fn text_that_only_resembles_an_approval_is_feedback() {
    for text in ["I do not approve", "不同意"] {
        let mut stage = KernelHarness::new();
        stage.reach_gate();
        stage.ok(OWNER, say(text));
        assert_eq!(stage.writing(), ["Gen"], "{text}");
    }
}

#[test]
fn feedback_runs_generator_and_reviewer_again() {
    let mut stage = KernelHarness::new();
    stage.reach_gate();
    assert_eq!(
        stage.ok(OWNER, say("请添加边界测试用例")),
        ["message.posted", "message.routed", "gate.decided", "step.started", "message.started", "run.state_changed"]
    );
    assert_eq!(stage.writing(), ["Gen"]);
    stage.finish("more cases");
    assert_eq!(stage.writing(), ["Rev"]);
    stage.finish("new remarks");
    assert_eq!(stage.phase(), Phase::Waiting);
    stage.ok(OWNER, say("同意"));
    stage.finish("final");
    assert_eq!(
        stage.texts(),
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
        let mut stage = KernelHarness::new();
        stage.reach_gate();
        stage.ok(OWNER, say(&format!("@{who} 请添加性能测试")));
        assert_eq!(stage.writing(), [who]);
        stage.finish("done");
        assert_eq!((stage.writing().len(), stage.phase()), (0, Phase::Waiting));
        assert_eq!(stage.gate().agent, Some(agent(who)));
    }
}

#[test]
fn everybody_runs_the_whole_flow_again() {
    let mut stage = KernelHarness::new();
    stage.reach_gate();
    stage.ok(OWNER, say("@ALL 重新生成"));
    assert_eq!(stage.writing(), ["Gen"]);
    stage.finish("again");
    assert_eq!(stage.writing(), ["Rev"]);
}

#[test]
fn agents_of_one_role_work_side_by_side() {
    let roles = [
        ("Gen", AgentRole::Generator),
        ("Sec", AgentRole::Reviewer),
        ("Perf", AgentRole::Reviewer),
        ("Opt", AgentRole::Optimizer),
    ];
    let mut stage = KernelHarness::with(team(&roles), Settings::default());
    stage.ok(OWNER, say("write"));
    stage.finish("cases");
    assert_eq!(stage.writing(), ["Sec", "Perf"]);
    stage.finish("secure");
    assert_eq!(stage.writing(), ["Perf"]);
    stage.finish("fast");
    assert_eq!(stage.phase(), Phase::Waiting);
}

#[test]
fn talk_among_people_starts_nothing() {
    let mut stage = KernelHarness::new();
    stage.enter(2, Role::Member);
    for text in ["@P2 have a look", "@people lunch?", "@role:reviewer please"] {
        assert_eq!(stage.ok(OWNER, say(text)), ["message.posted", "message.routed"], "{text}");
    }
    assert!(stage.state.view().run.is_none());
    stage.reach_gate();
    stage.ok(OWNER, say("@P2 shall we approve?"));
    assert_eq!(stage.phase(), Phase::Waiting);
}

#[test]
fn an_unknown_name_reaches_nobody() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say("@Genn write"));
    assert!(stage.state.view().run.is_none());
    let Fact::MessageRouted { unresolved, .. } = &stage.log.last().expect("an event").fact else { panic!("a receipt") };
    assert_eq!((&*unresolved[0].text, &*unresolved[0].nearest[0]), ("Genn", "Gen"));
}

#[test]
fn a_conversation_has_as_many_rounds_as_people_want() {
    let settings = Settings { max_messages_per_run: 4, max_steps_per_run: 3, ..Settings::default() };
    let roles = [("Gen", AgentRole::Generator), ("Rev", AgentRole::Reviewer), ("Opt", AgentRole::Optimizer)];
    let mut stage = KernelHarness::with(team(&roles), settings);
    stage.reach_gate();
    let first = stage.state.view().run.clone().expect("a run").id;
    for round in 0..12 {
        stage.ok(OWNER, say("once more"));
        stage.finish("draft");
        stage.finish("remarks");
        let gate = &stage.state.view().gates[0];
        assert!(gate.context.is_none(), "round {round}: {:?}", gate.context);
    }
    stage.ok(OWNER, say("approve"));
    stage.finish("final");
    let run = stage.state.view().run.clone().expect("a run");
    assert_eq!((run.id, run.phase), (first, Phase::Completed));
}

#[test]
fn at_a_limit_of_one_round_people_say_how_it_goes_on() {
    let roles = [("Gen", AgentRole::Generator), ("Rev", AgentRole::Reviewer), ("Opt", AgentRole::Optimizer)];
    let few_messages = Settings { max_messages_per_run: 2, ..Settings::default() };
    let few_steps = Settings { max_steps_per_run: 1, ..Settings::default() };
    for (settings, words) in [(few_messages, "2 messages"), (few_steps, "1 steps")] {
        let mut stage = KernelHarness::with(team(&roles), settings);
        stage.ok(OWNER, say("write"));
        stage.finish("draft");
        for feedback in ["@Rev look at it", "again"] {
            let gate = stage.state.view().gates[0].clone();
            let context = gate.context.expect("it says why nobody works");
            assert!(context.contains(words), "{context}");
            stage.ok(OWNER, say(feedback));
            stage.finish("written");
            if feedback.starts_with("@Rev") {
                let gate = stage.state.view().gates[0].clone();
                assert!(gate.context.is_none(), "what it wanted is done");
                stage.ok(OWNER, say("@all go on"));
                stage.finish("draft");
            }
        }
        stage.ok(OWNER, say("approve"));
        assert_eq!(stage.writing(), ["Opt"]);
    }
}

#[test]
fn feedback_that_names_nobody_is_for_the_whole_team_and_says_so() {
    for words in ["add `x` and @NotNull checks", "@Test on each", "@张三 说得对，请补充", "@TestCase_Foo do it"]
    {
        let mut stage = KernelHarness::new();
        stage.reach_gate();
        let names = stage.ok(OWNER, say(words));
        assert!(names.contains(&"gate.decided".into()), "{words}: {names:?}");
        assert_eq!(stage.writing(), ["Gen"], "{words}");
        let routed = stage.log.iter().rev().find_map(|event| match &event.fact {
            Fact::MessageRouted { unresolved, .. } => Some(unresolved.len()),
            _ => None,
        });
        assert_eq!(routed, Some(1), "{words}");
    }
}

#[test]
fn the_optimizer_writes_the_final_answer() {
    let mut stage = KernelHarness::new();
    stage.reach_gate();
    stage.ok(OWNER, say("@Opt give the final version"));
    assert_eq!(stage.writing(), ["Opt"]);
    stage.finish("final");
    let run = stage.state.view().run.clone().expect("a run");
    assert_eq!(run.phase, Phase::Completed);
    let answer = stage.state.view().message(run.final_message.expect("an answer")).expect("a message").text.clone();
    assert_eq!(&*answer, "final");

    let mut stage = KernelHarness::new();
    stage.reach_gate();
    stage.ok(OWNER, say("@Opt and @Rev look again"));
    stage.finish("remarks");
    stage.finish("version");
    assert_eq!(stage.state.view().gates.len(), 1, "others were asked too: people decide");
}

#[test]
fn a_gate_says_where_in_the_log_it_ended() {
    let mut stage = KernelHarness::new();
    stage.reach_gate();
    assert_eq!(stage.state.view().gates[0].ended, None);
    stage.ok(OWNER, say("shorter"));
    let decided =
        stage.log.iter().find(|event| matches!(event.fact, Fact::GateDecided { .. })).expect("a decision").seq;
    let gate = stage.state.view().decided.back().expect("a gate").clone();
    assert_eq!(gate.ended.map(u64::from), Some(decided));
    assert!(decided > gate.id.0);
}

#[test]
fn the_next_words_after_the_end_begin_a_new_run() {
    let mut stage = KernelHarness::new();
    stage.reach_gate();
    stage.ok(OWNER, say("approve"));
    stage.finish("final");
    let first = stage.state.view().run.clone().expect("a run").id;
    stage.ok(OWNER, say("@Rev one more look"));
    assert_ne!(stage.state.view().run.clone().expect("a run").id, first);
    assert_eq!(stage.writing(), ["Rev"]);
}

#[test]
fn a_failed_attempt_is_tried_again_at_its_time_and_the_last_one_fails_the_run() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say("write"));
    for attempt in 1..=3 {
        assert_eq!(stage.fail(Some(5_000)), ["attempt.failed", "usage.recorded"]);
        let due = stage.state.next_due().expect("a retry").millis();
        stage.now = due - 1;
        assert_eq!(stage.shell(Command::DeadlineReached), [""; 0], "not before its time");
        stage.now = due;
        assert_eq!(stage.shell(Command::DeadlineReached), ["message.started"]);
        let item = stage.state.view().active_run().expect("a run").items[0].clone();
        assert_eq!((item.attempt, item.failures), (attempt + 1, attempt));
    }
    assert_eq!(
        stage.fail(Some(5_000)),
        ["attempt.failed", "usage.recorded", "message.aborted", "step.skipped", "run.failed"]
    );
    assert_eq!(stage.phase(), Phase::Failed);
}

#[test]
fn permanent_errors_are_not_retried() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say("write"));
    assert_eq!(stage.fail(None), ["attempt.failed", "usage.recorded", "message.aborted", "step.skipped", "run.failed"]);
}

#[test]
fn a_result_of_an_earlier_attempt_is_dropped() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say("write"));
    let item = stage.state.view().active_run().expect("a run").items[0].clone();
    stage.shell(Command::Recover);
    assert_eq!(stage.phase(), Phase::Recovering);
    assert_eq!(stage.finish_item(item.message, item.attempt, "late"), [""; 0]);
    assert_eq!(stage.writing(), ["Gen"]);
    stage.finish_item(item.message, item.attempt + 1, "new");
    assert_eq!(stage.writing(), ["Rev"]);
    assert_eq!(stage.phase(), Phase::Executing);
}

#[test]
fn usage_is_summed_by_agent_person_and_run() {
    let mut stage = KernelHarness::new();
    stage.reach_gate();
    let view = stage.state.view();
    assert_eq!((view.usage_of_run.turns, view.usage_of_run.input_tokens, view.usage_of_run.cost_micros), (2, 20, 6));
    assert_eq!(view.usage_by_agent.len(), 2);
    assert_eq!(view.usage_by_participant[0].output_tokens, 10);
}
