//! The five controls of a busy run.

use roundtable::kernel::gate::Choice;
use roundtable::kernel::*;

use super::harness::*;

#[test]
fn queued_words_go_in_at_the_next_step_boundary() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say("write"));
    assert_eq!(stage.ok(OWNER, say("mind the limits")), ["message.posted", "message.routed"]);
    assert_eq!(stage.state.view().inbox.len(), 1);
    assert_eq!(
        stage.finish("cases"),
        [
            "message.completed",
            "usage.recorded",
            "step.completed",
            "step.started",
            "message.consumed",
            "message.started"
        ]
    );
    assert!(stage.state.view().inbox.is_empty());
}

#[test]
fn words_for_an_agent_wait_for_that_agent() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say("write"));
    stage.ok(OWNER, say("@Gen also negative amounts"));
    stage.finish("cases");
    assert_eq!(stage.state.view().inbox.len(), 1, "the reviewer's step does not take them");
    let names = stage.finish("remarks");
    assert!(!names.contains(&"gate.opened".into()), "somebody has already said what comes next: {names:?}");
    assert_eq!(stage.writing(), ["Gen"]);
    stage.finish("more");
    assert_eq!(stage.phase(), Phase::Waiting, "that agent only, then the gate");
}

#[test]
fn a_steer_goes_into_the_running_step() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say("write"));
    stage.ok(OWNER, steer("in English please"));
    assert_eq!(stage.finish("cases"), ["message.completed", "usage.recorded", "message.consumed", "message.started"]);
    assert_eq!(stage.writing(), ["Gen"], "another request of the same step");
    stage.finish("cases in English");
    assert_eq!(stage.writing(), ["Rev"]);
}

#[test]
fn a_steer_is_folded_in_before_a_retry() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say("write"));
    stage.ok(OWNER, steer("shorter"));
    stage.fail(Some(1_000));
    stage.now += 2_000;
    assert_eq!(stage.shell(Command::DeadlineReached), ["message.consumed", "message.started"]);
}

#[test]
fn a_message_that_waits_at_the_end_starts_the_next_run() {
    let mut stage = KernelHarness::new();
    stage.reach_gate();
    stage.ok(OWNER, say("approve"));
    stage.ok(OWNER, steer("@Rev and now a checklist"));
    let first = stage.state.view().run.clone().expect("a run").id;
    stage.finish("final");
    let run = stage.state.view().active_run().expect("never dropped").clone();
    assert_ne!(run.id, first);
    assert_eq!(stage.writing(), ["Rev"]);
}

#[test]
fn only_its_author_withdraws_and_only_while_it_waits() {
    let mut stage = KernelHarness::new();
    stage.enter(2, Role::Member);
    stage.ok(OWNER, say("write"));
    stage.ok(OWNER, say("mind the limits"));
    let message = stage.state.view().inbox[0].message;
    assert_eq!(stage.does(2, Command::Withdraw { message }), Err(Rejection::NotTheAuthor));
    assert_eq!(stage.ok(OWNER, Command::Withdraw { message }), ["message.withdrawn"]);
    assert_eq!(stage.does(OWNER, Command::Withdraw { message }), Err(Rejection::NotWaiting));
    assert!(!stage.texts().contains(&"P1: mind the limits".into()));
}

#[test]
fn the_inbox_is_bounded() {
    let roles = [("Gen", AgentRole::Generator)];
    let mut stage = KernelHarness::with(team(&roles), Settings { max_waiting_messages: 2, ..Settings::default() });
    stage.ok(OWNER, say("write"));
    stage.ok(OWNER, say("a"));
    stage.ok(OWNER, say("b"));
    assert_eq!(stage.does(OWNER, say("c")), Err(Rejection::InboxFull { limit: 2 }));
}

#[test]
fn a_pause_lets_what_runs_finish_and_starts_nothing() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say("write"));
    assert_eq!(stage.ok(OWNER, stage.pause()), ["control.requested", "control.acknowledged", "run.state_changed"]);
    assert_eq!(stage.phase(), Phase::Paused);
    assert_eq!(stage.finish("cases"), ["message.completed", "usage.recorded", "step.completed", "control.effective"]);
    assert_eq!(stage.writing(), [""; 0]);
    assert_eq!(stage.does(OWNER, stage.pause()), Err(Rejection::AlreadyPaused));
    stage.ok(OWNER, stage.resume());
    assert_eq!((stage.writing(), stage.phase()), (vec!["Rev".into()], Phase::Executing));
    assert_eq!(stage.does(OWNER, stage.resume()), Err(Rejection::NotPaused));
}

#[test]
fn a_pause_at_a_gate_is_effective_at_once_and_holds_what_is_decided() {
    let mut stage = KernelHarness::new();
    stage.reach_gate();
    assert!(stage.ok(OWNER, stage.pause()).contains(&"control.effective".into()));
    stage.vote(OWNER, Choice::Approve, None).expect("people may decide meanwhile");
    assert_eq!(stage.writing(), [""; 0]);
    stage.ok(OWNER, stage.resume());
    assert_eq!(stage.writing(), ["Opt"]);
}

#[test]
fn a_paused_run_makes_no_new_attempt() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say("write"));
    stage.fail(Some(1_000));
    stage.ok(OWNER, stage.pause());
    assert_eq!(stage.state.next_due(), None);
    stage.now += 5_000;
    assert_eq!(stage.shell(Command::DeadlineReached), [""; 0]);
    assert!(stage.ok(OWNER, stage.resume()).contains(&"message.started".into()));
}

#[test]
fn an_interrupt_has_three_phases_keeps_the_text_and_asks_people() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say("write"));
    assert_eq!(stage.ok(OWNER, stage.interrupt(None)), ["control.requested"]);
    assert_eq!(stage.does(OWNER, stage.interrupt(None)), Err(Rejection::AlreadyRequested));
    assert_eq!(
        stage.stop("half a sen"),
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
    let message = stage.state.view().messages.back().expect("kept").clone();
    assert_eq!((&*message.text, message.aborted), ("half a sen", Some(AbortReason::Interrupted)));
    assert_eq!(stage.phase(), Phase::Waiting);
}

#[test]
fn an_interrupt_with_words_sends_the_stopped_agent_on_with_them() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say("write"));
    stage.ok(OWNER, stage.interrupt(Some("in a table")));
    stage.stop("half");
    assert_eq!(stage.writing(), ["Gen"]);
    assert!(stage.state.view().gates.is_empty());
    stage.finish("table");
    assert_eq!(stage.phase(), Phase::Waiting);
}

#[test]
fn an_interrupt_stops_even_if_words_wait_and_its_own_words_go_first() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say("write"));
    stage.ok(OWNER, say("@Rev mind the limits"));
    stage.ok(OWNER, stage.interrupt(None));
    stage.stop("half");
    assert_eq!((stage.phase(), stage.state.view().inbox.len()), (Phase::Waiting, 1));

    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say("write"));
    stage.ok(OWNER, say("@Rev mind the limits"));
    stage.ok(OWNER, stage.interrupt(Some("in a table")));
    stage.stop("half");
    assert_eq!(stage.writing(), ["Gen"], "with the words of the interrupt");
}

#[test]
fn words_for_several_agents_reach_them_all() {
    for text in ["@Gen @Rev ISO dates", "@all again"] {
        let mut stage = KernelHarness::new();
        stage.ok(OWNER, say("write"));
        stage.ok(OWNER, say(text));
        stage.finish("cases");
        assert_eq!(stage.state.view().inbox.len(), 1, "{text}: not for the reviewer alone");
        stage.finish("remarks");
        assert_eq!(stage.writing(), ["Gen"], "{text}");
        stage.finish("cases");
        assert_eq!(stage.writing(), ["Rev"], "{text}");
    }
}

#[test]
fn words_without_room_in_a_round_begin_the_next_one() {
    let roles = [("Gen", AgentRole::Generator)];
    let mut stage = KernelHarness::with(team(&roles), Settings { max_messages_per_run: 6, ..Settings::default() });
    stage.ok(OWNER, say("write"));
    let first = stage.state.view().run.clone().expect("a run").id;
    for _ in 0..5 {
        stage.ok(OWNER, steer("more"));
        stage.finish("more");
        assert_eq!(stage.writing(), ["Gen"]);
    }
    assert_eq!(stage.state.view().run.clone().expect("a run").id, first);
    assert!(stage.state.view().inbox.is_empty(), "none is lost");
}

#[test]
fn a_step_takes_no_more_waiting_words_than_its_round_has_room_for() {
    let roles = [("Gen", AgentRole::Generator), ("Rev", AgentRole::Reviewer)];
    let mut stage = KernelHarness::with(team(&roles), Settings { max_messages_per_run: 4, ..Settings::default() });
    stage.ok(OWNER, say("write"));
    for text in ["a", "b", "c", "d"] {
        stage.ok(OWNER, say(text));
    }
    stage.finish("written");
    assert_eq!(stage.writing(), ["Rev"]);
    assert_eq!(stage.state.view().inbox.len(), 3, "beside them there is room for what the reviewer writes");
    stage.finish("remarks");
    assert_eq!(stage.writing(), ["Gen"], "the next words begin a round, which has room for the rest");
    assert!(stage.state.view().inbox.is_empty());
}

#[test]
fn an_approval_has_its_final_answer_at_every_limit_and_steering_it_ends_there() {
    let roles = [("Gen", AgentRole::Generator), ("Opt", AgentRole::Optimizer)];
    for limits in [
        Settings { max_messages_per_run: 2, ..Settings::default() },
        Settings { max_steps_per_run: 1, ..Settings::default() },
    ] {
        let few_messages = limits.max_messages_per_run == 2;
        let mut stage = KernelHarness::with(team(&roles), limits);
        stage.ok(OWNER, say("write"));
        stage.finish("draft");
        stage.vote(OWNER, Choice::Approve, None).expect("counts");
        assert_eq!(stage.writing(), ["Opt"]);
        if few_messages {
            stage.ok(OWNER, steer("shorter"));
        }
        let names = stage.finish("final");
        assert!(names.contains(&"run.finished".into()), "{names:?}");
        assert_eq!(stage.writing().is_empty(), !few_messages, "a steer without room waits for a run of its own");
    }
}

#[test]
fn talk_among_people_pushes_nothing_out_of_what_agents_read() {
    let mut stage = KernelHarness::new();
    stage.enter(2, Role::Member);
    stage.ok(OWNER, say("write tests"));
    stage.ok(OWNER, say("@Rev be strict"));
    for _ in 0..150 {
        stage.ok(OWNER, say("@P2 lunch?"));
    }
    let heard: Vec<_> = stage.state.view().heard.iter().map(|message| message.text.to_string()).collect();
    assert_eq!(heard, ["write tests", "@Rev be strict"]);
    let message = stage.state.view().inbox[0].message;
    stage.ok(OWNER, Command::Withdraw { message });
}

#[test]
fn an_interrupt_opens_a_gate_even_if_the_turn_completed_first() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say("write"));
    stage.ok(OWNER, stage.interrupt(None));
    stage.finish("whole");
    assert_eq!(stage.writing(), [""; 0], "nothing new starts under a stop");
    stage.stop("");
    assert_eq!(stage.phase(), Phase::Waiting);
}

#[test]
fn an_interrupt_stops_agents_that_work_side_by_side() {
    let roles = [("A", AgentRole::Generator), ("B", AgentRole::Generator)];
    let mut stage = KernelHarness::with(team(&roles), Settings::default());
    stage.ok(OWNER, say("write"));
    stage.ok(OWNER, stage.interrupt(None));
    let names = stage.stop("so far");
    assert_eq!(names.iter().filter(|name| *name == "message.aborted").count(), 2);
}

#[test]
fn two_who_interrupt_at_once_are_both_heard() {
    let mut stage = KernelHarness::new();
    stage.enter(2, Role::Member);
    stage.ok(OWNER, say("write"));
    stage.ok(OWNER, stage.interrupt(Some("only the happy path")));
    assert_eq!(stage.does(2, stage.interrupt(None)), Err(Rejection::AlreadyRequested), "it stops anyway");
    stage.ok(2, stage.interrupt(Some("in a table")));
    stage.stop("so far");
    assert_eq!(stage.writing(), [""; 0], "the second stop is still under way");
    stage.stop("");
    assert_eq!(stage.writing(), ["Gen"], "and the run goes on with what was said");
    assert!(stage.state.view().inbox.is_empty(), "both went into the turn: {:?}", stage.state.view().inbox);
}

#[test]
fn nothing_runs_nothing_to_interrupt() {
    let mut stage = KernelHarness::new();
    assert_eq!(stage.does(OWNER, stage.interrupt(None)), Err(Rejection::NoRun));
    stage.reach_gate();
    assert_eq!(stage.does(OWNER, stage.interrupt(None)), Err(Rejection::NothingRunning));
}

#[test]
fn a_control_that_is_sent_again_reaches_no_other_run() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say("write"));
    let verbs = [stage.pause(), stage.resume(), stage.interrupt(None), stage.cancel(None)];
    stage.ok(OWNER, stage.cancel(None));
    let late = verbs.map(|command| stage.envelope(OWNER, command));
    stage.stop("half");
    let over = Err(Rejection::TargetOver(stage.run().to_string().into()));
    for envelope in &late {
        assert_eq!(stage.decide(envelope), over, "its run is over");
    }
    stage.ok(OWNER, say("something else"));
    for envelope in &late {
        assert_eq!(stage.decide(envelope), over, "another run is none of its business: {envelope:?}");
    }
    assert_eq!(stage.phase(), Phase::Executing);
}

#[test]
fn an_interrupt_of_a_step_or_an_item_stops_nothing_that_comes_after_it() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say("write"));
    let run = stage.state.view().active_run().expect("a run").clone();
    let of = |step, item| Command::Interrupt { run: run.id, step, item, text: None };
    let (step, item) = (run.step.expect("a step"), run.items[0].message);
    let late = [of(Some(step), None), of(None, Some(item))].map(|command| stage.envelope(OWNER, command));
    stage.finish("cases");
    for (envelope, id) in late.iter().zip([step.to_string(), item.to_string()]) {
        assert_eq!(stage.decide(envelope), Err(Rejection::TargetOver(id.into())), "the reviewer writes by now");
    }
    let later = of(None, Some(MessageId(stage.state.seq() + 1)));
    let unknown = Rejection::UnknownTarget(format!("m_{}", stage.state.seq() + 1).into());
    assert_eq!(stage.does(OWNER, later), Err(unknown), "there is no such item yet");
    let other = RunId(stage.state.seq() + 1);
    let active = stage.state.view().active_run().expect("a run").id;
    let control = Command::Pause { run: other };
    assert_eq!(stage.does(OWNER, control), Err(Rejection::OtherRun { asked: other, active }));
    let run = stage.state.view().active_run().expect("a run").clone();
    let (step, item) = (run.step, run.items[0].message);
    stage.ok(OWNER, Command::Interrupt { run: run.id, step, item: Some(item), text: None });
}

#[test]
fn a_cancel_ends_the_run_with_the_texts_so_far_and_closes_its_gates() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say("write"));
    stage.ok(OWNER, stage.cancel(Some("wrong subject")));
    let names = stage.stop("half");
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
    assert_eq!(stage.phase(), Phase::Cancelled);

    let mut stage = KernelHarness::new();
    stage.reach_gate();
    let gate = stage.gate().id;
    stage.ok(OWNER, stage.cancel(None));
    assert_eq!(stage.phase(), Phase::Cancelled);
    let vote = Command::Vote { gate, rev: 1, choice: Choice::Approve, comment: None, edit: None, standing: None };
    assert_eq!(stage.does(OWNER, vote), Err(Rejection::GateClosed(gate)));

    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say("write"));
    stage.ok(OWNER, stage.pause());
    stage.ok(OWNER, stage.cancel(None));
    let control = stage.state.view().active_run().expect("a run").controls[1].id;
    stage.shell(Command::Stopped { control, left: vec![] });
    let run = stage.state.view().run.clone().expect("a run");
    assert_eq!((run.phase, run.paused), (Phase::Cancelled, false), "what is over is not paused");
}

#[test]
fn a_cancel_overtakes_an_interrupt_that_is_on_its_way() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say("write"));
    stage.ok(OWNER, stage.interrupt(None));
    stage.ok(OWNER, stage.cancel(None));
    let cancel = stage.state.view().active_run().expect("a run").controls[1].id;
    stage.shell(Command::Stopped { control: cancel, left: vec![] });
    assert_eq!(stage.phase(), Phase::Cancelled);
    let run = stage.state.view().run.clone().expect("a run");
    assert!(run.controls.is_empty(), "both have come true: {:?}", run.controls);
}

#[test]
fn a_control_without_the_right_is_rejected() {
    let mut stage = KernelHarness::new();
    stage.enter(2, Role::Reviewer);
    assert!(matches!(stage.does(2, stage.pause()), Err(Rejection::Forbidden { .. })), "rights come before the state");
    stage.ok(OWNER, say("write"));
    for command in [stage.pause(), stage.interrupt(None), stage.cancel(None)] {
        assert!(matches!(stage.does(2, command), Err(Rejection::Forbidden { right: Right::Interrupt, .. })));
    }
    assert_eq!(stage.does(3, stage.pause()), Err(Rejection::NotAMember));
}

#[test]
fn a_restart_takes_up_turns_and_finishes_stops() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say("write"));
    assert!(stage.state.is_unfinished());
    assert_eq!(stage.shell(Command::Recover), ["message.started", "run.state_changed"]);
    stage.ok(OWNER, stage.interrupt(None));
    stage.shell(Command::Recover);
    assert_eq!(stage.phase(), Phase::Waiting, "what was to be stopped has stopped");
    assert!(!stage.state.is_unfinished());
    assert_eq!(stage.shell(Command::Recover), [""; 0], "nothing is outstanding");
}
