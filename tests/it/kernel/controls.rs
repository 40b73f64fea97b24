//! The five controls of a busy run.

use roundtable::kernel::gate::Choice;
use roundtable::kernel::*;

use super::harness::*;

#[test]
fn queued_messages_are_delivered_at_the_next_step_boundary() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say("write"));
    assert_eq!(harness.ok(OWNER, say("mind the limits")), ["message.posted", "message.routed"]);
    assert_eq!(harness.state.view().inbox.len(), 1);
    assert_eq!(
        harness.finish("cases"),
        [
            "message.completed",
            "usage.recorded",
            "step.completed",
            "step.started",
            "message.consumed",
            "message.started"
        ]
    );
    assert!(harness.state.view().inbox.is_empty());
}

#[test]
fn messages_for_an_agent_wait_for_that_agent() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say("write"));
    harness.ok(OWNER, say("@Gen also negative amounts"));
    harness.finish("cases");
    assert_eq!(harness.state.view().inbox.len(), 1, "the reviewer's step does not take them");
    let names = harness.finish("remarks");
    assert!(!names.contains(&"gate.opened".into()), "somebody has already said what comes next: {names:?}");
    assert_eq!(harness.writing_agents(), ["Gen"]);
    harness.finish("more");
    assert_eq!(harness.phase(), Phase::Waiting, "that agent only, then the gate");
}

#[test]
fn a_steering_message_is_delivered_to_the_running_step() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say("write"));
    harness.ok(OWNER, steer("in English please"));
    assert_eq!(harness.finish("cases"), ["message.completed", "usage.recorded", "message.consumed", "message.started"]);
    assert_eq!(harness.writing_agents(), ["Gen"], "another request of the same step");
    harness.finish("cases in English");
    assert_eq!(harness.writing_agents(), ["Rev"]);
}

#[test]
fn a_steering_message_is_included_in_a_retry() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say("write"));
    harness.ok(OWNER, steer("shorter"));
    harness.fail(Some(1_000));
    harness.now += 2_000;
    assert_eq!(harness.submit_as_orchestrator(Command::DeadlineReached), ["message.consumed", "message.started"]);
}

#[test]
fn a_message_that_is_queued_at_the_end_starts_the_next_run() {
    let mut harness = KernelHarness::new();
    harness.reach_gate();
    harness.ok(OWNER, say("approve"));
    harness.ok(OWNER, steer("@Rev and now a checklist"));
    let first = harness.state.view().run.clone().expect("a run").id;
    harness.finish("final");
    let run = harness.state.view().active_run().expect("never dropped").clone();
    assert_ne!(run.id, first);
    assert_eq!(harness.writing_agents(), ["Rev"]);
}

#[test]
fn only_the_author_can_withdraw_a_queued_message() {
    let mut harness = KernelHarness::new();
    harness.enter(2, Role::Member);
    harness.ok(OWNER, say("write"));
    harness.ok(OWNER, say("mind the limits"));
    let message = harness.state.view().inbox[0].message;
    assert_eq!(harness.submit(2, Command::Withdraw { message }), Err(Rejection::NotTheAuthor));
    assert_eq!(harness.ok(OWNER, Command::Withdraw { message }), ["message.withdrawn"]);
    assert_eq!(harness.submit(OWNER, Command::Withdraw { message }), Err(Rejection::NotWaiting));
    assert!(!harness.texts().contains(&"P1: mind the limits".into()));
}

#[test]
fn the_inbox_is_bounded() {
    let roles = [("Gen", AgentRole::Generator)];
    let mut harness = KernelHarness::with(team(&roles), Settings { max_waiting_messages: 2, ..Settings::default() });
    harness.ok(OWNER, say("write"));
    harness.ok(OWNER, say("a"));
    harness.ok(OWNER, say("b"));
    assert_eq!(harness.submit(OWNER, say("c")), Err(Rejection::InboxFull { limit: 2 }));
}

#[test]
fn a_pause_lets_running_turns_finish_and_starts_none() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say("write"));
    assert_eq!(harness.ok(OWNER, harness.pause()), ["control.requested", "control.acknowledged", "run.state_changed"]);
    assert_eq!(harness.phase(), Phase::Paused);
    assert_eq!(harness.finish("cases"), ["message.completed", "usage.recorded", "step.completed", "control.effective"]);
    assert_eq!(harness.writing_agents(), [""; 0]);
    assert_eq!(harness.submit(OWNER, harness.pause()), Err(Rejection::AlreadyPaused));
    harness.ok(OWNER, harness.resume());
    assert_eq!((harness.writing_agents(), harness.phase()), (vec!["Rev".into()], Phase::Executing));
    assert_eq!(harness.submit(OWNER, harness.resume()), Err(Rejection::NotPaused));
}

#[test]
fn a_pause_at_a_gate_is_effective_at_once_and_delays_the_decided_work() {
    let mut harness = KernelHarness::new();
    harness.reach_gate();
    assert!(harness.ok(OWNER, harness.pause()).contains(&"control.effective".into()));
    harness.vote(OWNER, Choice::Approve, None).expect("people may decide meanwhile");
    assert_eq!(harness.writing_agents(), [""; 0]);
    harness.ok(OWNER, harness.resume());
    assert_eq!(harness.writing_agents(), ["Opt"]);
}

#[test]
fn a_paused_run_makes_no_new_attempt() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say("write"));
    harness.fail(Some(1_000));
    harness.ok(OWNER, harness.pause());
    assert_eq!(harness.state.next_due(), None);
    harness.now += 5_000;
    assert_eq!(harness.submit_as_orchestrator(Command::DeadlineReached), [""; 0]);
    assert!(harness.ok(OWNER, harness.resume()).contains(&"message.started".into()));
}

#[test]
fn an_interrupt_has_three_phases_keeps_the_text_and_asks_people() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say("write"));
    assert_eq!(harness.ok(OWNER, harness.interrupt(None)), ["control.requested"]);
    assert_eq!(harness.submit(OWNER, harness.interrupt(None)), Err(Rejection::AlreadyRequested));
    assert_eq!(
        harness.stop("half a sen"),
        [
            "control.acknowledged",
            "usage.recorded",
            "message.aborted",
            "control.effective",
            "step.skipped",
            "gate.opened",
            "run.state_changed"
        ]
    );
    let message = harness.state.view().messages.back().expect("kept").clone();
    assert_eq!((&*message.text, message.aborted), ("half a sen", Some(AbortReason::Interrupted)));
    assert_eq!(harness.phase(), Phase::Waiting);
}

#[test]
fn an_interrupt_with_a_message_continues_the_stopped_agent_with_it() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say("write"));
    harness.ok(OWNER, harness.interrupt(Some("in a table")));
    harness.stop("half");
    assert_eq!(harness.writing_agents(), ["Gen"]);
    assert!(harness.state.view().gates.is_empty());
    harness.finish("table");
    assert_eq!(harness.phase(), Phase::Waiting);
}

#[test]
fn an_interrupt_with_a_message_precedes_queued_messages() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say("write"));
    harness.ok(OWNER, say("@Rev mind the limits"));
    harness.ok(OWNER, harness.interrupt(None));
    harness.stop("half");
    assert_eq!((harness.phase(), harness.state.view().inbox.len()), (Phase::Waiting, 1));

    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say("write"));
    harness.ok(OWNER, say("@Rev mind the limits"));
    harness.ok(OWNER, harness.interrupt(Some("in a table")));
    harness.stop("half");
    assert_eq!(harness.writing_agents(), ["Gen"], "with the words of the interrupt");
}

#[test]
fn a_message_for_several_agents_reaches_all_of_them() {
    for text in ["@Gen @Rev ISO dates", "@all again"] {
        let mut harness = KernelHarness::new();
        harness.ok(OWNER, say("write"));
        harness.ok(OWNER, say(text));
        harness.finish("cases");
        assert_eq!(harness.state.view().inbox.len(), 1, "{text}: not for the reviewer alone");
        harness.finish("remarks");
        assert_eq!(harness.writing_agents(), ["Gen"], "{text}");
        harness.finish("cases");
        assert_eq!(harness.writing_agents(), ["Rev"], "{text}");
    }
}

#[test]
fn messages_beyond_the_limit_of_a_round_start_the_next_one() {
    let roles = [("Gen", AgentRole::Generator)];
    let mut harness = KernelHarness::with(team(&roles), Settings { max_messages_per_run: 6, ..Settings::default() });
    harness.ok(OWNER, say("write"));
    let first = harness.state.view().run.clone().expect("a run").id;
    for _ in 0..5 {
        harness.ok(OWNER, steer("more"));
        harness.finish("more");
        assert_eq!(harness.writing_agents(), ["Gen"]);
    }
    assert_eq!(harness.state.view().run.clone().expect("a run").id, first);
    assert!(harness.state.view().inbox.is_empty(), "none is lost");
}

#[test]
fn a_step_takes_only_as_many_queued_messages_as_its_round_allows() {
    let roles = [("Gen", AgentRole::Generator), ("Rev", AgentRole::Reviewer)];
    let mut harness = KernelHarness::with(team(&roles), Settings { max_messages_per_run: 4, ..Settings::default() });
    harness.ok(OWNER, say("write"));
    for text in ["a", "b", "c", "d"] {
        harness.ok(OWNER, say(text));
    }
    harness.finish("written");
    assert_eq!(harness.writing_agents(), ["Rev"]);
    assert_eq!(harness.state.view().inbox.len(), 3, "beside them there is room for what the reviewer writes");
    harness.finish("remarks");
    assert_eq!(harness.writing_agents(), ["Gen"], "the next words begin a round, which has room for the rest");
    assert!(harness.state.view().inbox.is_empty());
}

#[test]
fn an_approval_gets_a_final_answer_at_every_limit() {
    let roles = [("Gen", AgentRole::Generator), ("Opt", AgentRole::Optimizer)];
    for limits in [
        Settings { max_messages_per_run: 2, ..Settings::default() },
        Settings { max_steps_per_run: 1, ..Settings::default() },
    ] {
        let few_messages = limits.max_messages_per_run == 2;
        let mut harness = KernelHarness::with(team(&roles), limits);
        harness.ok(OWNER, say("write"));
        harness.finish("draft");
        harness.vote(OWNER, Choice::Approve, None).expect("counts");
        assert_eq!(harness.writing_agents(), ["Opt"]);
        if few_messages {
            harness.ok(OWNER, steer("shorter"));
        }
        let names = harness.finish("final");
        assert!(names.contains(&"run.finished".into()), "{names:?}");
        assert_eq!(
            harness.writing_agents().is_empty(),
            !few_messages,
            "a steer without room waits for a run of its own"
        );
    }
}

#[test]
fn talk_among_people_does_not_displace_messages_that_agents_read() {
    let mut harness = KernelHarness::new();
    harness.enter(2, Role::Member);
    harness.ok(OWNER, say("write tests"));
    harness.ok(OWNER, say("@Rev be strict"));
    for _ in 0..150 {
        harness.ok(OWNER, say("@P2 lunch?"));
    }
    let texts: Vec<_> = harness.state.view().model_messages.iter().map(|message| message.text.to_string()).collect();
    assert_eq!(texts, ["write tests", "@Rev be strict"]);
    let message = harness.state.view().inbox[0].message;
    harness.ok(OWNER, Command::Withdraw { message });
}

#[test]
fn an_interrupt_opens_a_gate_even_if_the_turn_completed_first() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say("write"));
    harness.ok(OWNER, harness.interrupt(None));
    harness.finish("whole");
    assert_eq!(harness.writing_agents(), [""; 0], "nothing new starts under a stop");
    harness.stop("");
    assert_eq!(harness.phase(), Phase::Waiting);
}

#[test]
fn an_interrupt_stops_agents_that_work_in_parallel() {
    let roles = [("A", AgentRole::Generator), ("B", AgentRole::Generator)];
    let mut harness = KernelHarness::with(team(&roles), Settings::default());
    harness.ok(OWNER, say("write"));
    harness.ok(OWNER, harness.interrupt(None));
    let names = harness.stop("so far");
    assert_eq!(names.iter().filter(|name| *name == "message.aborted").count(), 2);
}

#[test]
fn concurrent_interrupts_both_take_effect() {
    let mut harness = KernelHarness::new();
    harness.enter(2, Role::Member);
    harness.ok(OWNER, say("write"));
    harness.ok(OWNER, harness.interrupt(Some("only the happy path")));
    assert_eq!(harness.submit(2, harness.interrupt(None)), Err(Rejection::AlreadyRequested), "it stops anyway");
    harness.ok(2, harness.interrupt(Some("in a table")));
    harness.stop("so far");
    assert_eq!(harness.writing_agents(), [""; 0], "the second stop is still under way");
    harness.stop("");
    assert_eq!(harness.writing_agents(), ["Gen"], "and the run goes on with what was said");
    assert!(harness.state.view().inbox.is_empty(), "both went into the turn: {:?}", harness.state.view().inbox);
}

#[test]
fn an_interrupt_without_running_work_is_rejected() {
    let mut harness = KernelHarness::new();
    assert_eq!(harness.submit(OWNER, harness.interrupt(None)), Err(Rejection::NoRun));
    harness.reach_gate();
    assert_eq!(harness.submit(OWNER, harness.interrupt(None)), Err(Rejection::NothingRunning));
}

#[test]
fn a_repeated_control_does_not_reach_another_run() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say("write"));
    let verbs = [harness.pause(), harness.resume(), harness.interrupt(None), harness.cancel(None)];
    harness.ok(OWNER, harness.cancel(None));
    let late = verbs.map(|command| harness.envelope(OWNER, command));
    harness.stop("half");
    let over = Err(Rejection::TargetOver(harness.run().to_string().into()));
    for envelope in &late {
        assert_eq!(harness.decide(envelope), over, "its run is over");
    }
    harness.ok(OWNER, say("something else"));
    for envelope in &late {
        assert_eq!(harness.decide(envelope), over, "another run is none of its business: {envelope:?}");
    }
    assert_eq!(harness.phase(), Phase::Executing);
}

#[test]
fn an_interrupt_of_a_step_or_a_message_stops_nothing_that_comes_after_it() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say("write"));
    let run = harness.state.view().active_run().expect("a run").clone();
    let of = |step, message| Command::Interrupt { run: run.id, step, message, text: None };
    let (step, message) = (run.step.expect("a step"), run.running[0].message);
    let late = [of(Some(step), None), of(None, Some(message))].map(|command| harness.envelope(OWNER, command));
    harness.finish("cases");
    for (envelope, id) in late.iter().zip([step.to_string(), message.to_string()]) {
        assert_eq!(harness.decide(envelope), Err(Rejection::TargetOver(id.into())), "the reviewer writes by now");
    }
    let later = of(None, Some(MessageId(harness.state.seq() + 1)));
    let unknown = Rejection::UnknownTarget(format!("m_{}", harness.state.seq() + 1).into());
    assert_eq!(harness.submit(OWNER, later), Err(unknown), "there is no such message yet");
    let other = RunId(harness.state.seq() + 1);
    let active = harness.state.view().active_run().expect("a run").id;
    let control = Command::Pause { run: other };
    assert_eq!(harness.submit(OWNER, control), Err(Rejection::OtherRun { requested: other, active }));
    let run = harness.state.view().active_run().expect("a run").clone();
    let (step, message) = (run.step, run.running[0].message);
    harness.ok(OWNER, Command::Interrupt { run: run.id, step, message: Some(message), text: None });
}

#[test]
fn a_cancel_ends_the_run_with_the_texts_so_far_and_closes_its_gates() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say("write"));
    harness.ok(OWNER, harness.cancel(Some("wrong subject")));
    let names = harness.stop("half");
    assert_eq!(
        names,
        [
            "control.acknowledged",
            "usage.recorded",
            "message.aborted",
            "step.skipped",
            "run.cancelled",
            "control.effective"
        ]
    );
    assert_eq!(harness.phase(), Phase::Cancelled);

    let mut harness = KernelHarness::new();
    harness.reach_gate();
    let gate = harness.gate().id;
    harness.ok(OWNER, harness.cancel(None));
    assert_eq!(harness.phase(), Phase::Cancelled);
    let vote = Command::Vote { gate, rev: 1, choice: Choice::Approve, comment: None, edit: None, standing: None };
    assert_eq!(harness.submit(OWNER, vote), Err(Rejection::GateClosed(gate)));

    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say("write"));
    harness.ok(OWNER, harness.pause());
    harness.ok(OWNER, harness.cancel(None));
    let control = harness.state.view().active_run().expect("a run").controls[1].id;
    harness.submit_as_orchestrator(Command::Stopped { control, left: vec![] });
    let run = harness.state.view().run.clone().expect("a run");
    assert_eq!((run.phase, run.paused), (Phase::Cancelled, false), "what is over is not paused");
}

#[test]
fn a_cancel_overrides_a_pending_interrupt() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say("write"));
    harness.ok(OWNER, harness.interrupt(None));
    harness.ok(OWNER, harness.cancel(None));
    let cancel = harness.state.view().active_run().expect("a run").controls[1].id;
    harness.submit_as_orchestrator(Command::Stopped { control: cancel, left: vec![] });
    assert_eq!(harness.phase(), Phase::Cancelled);
    let run = harness.state.view().run.clone().expect("a run");
    assert!(run.controls.is_empty(), "both have come true: {:?}", run.controls);
}

#[test]
fn a_control_without_the_right_is_rejected() {
    let mut harness = KernelHarness::new();
    harness.enter(2, Role::Reviewer);
    assert!(
        matches!(harness.submit(2, harness.pause()), Err(Rejection::Forbidden { .. })),
        "rights come before the state"
    );
    harness.ok(OWNER, say("write"));
    for command in [harness.pause(), harness.interrupt(None), harness.cancel(None)] {
        assert!(matches!(harness.submit(2, command), Err(Rejection::Forbidden { right: Right::Interrupt, .. })));
    }
    assert_eq!(harness.submit(3, harness.pause()), Err(Rejection::NotAMember));
}

#[test]
fn a_restart_recovers_turns_and_finishes_stops() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say("write"));
    assert!(harness.state.is_unfinished());
    assert_eq!(harness.submit_as_orchestrator(recover()), ["message.started", "run.state_changed"]);
    harness.ok(OWNER, harness.interrupt(None));
    harness.submit_as_orchestrator(recover());
    assert_eq!(harness.phase(), Phase::Waiting, "what was to be stopped has stopped");
    assert!(!harness.state.is_unfinished());
    assert_eq!(harness.submit_as_orchestrator(recover()), [""; 0], "nothing is outstanding");
}
