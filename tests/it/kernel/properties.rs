//! Properties of all histories: random commands, checked against the laws.

use proptest::prelude::*;
use roundtable::kernel::gate::{Choice, Gate, Quorum};
use roundtable::kernel::*;
use serde_json::json;

use super::harness::*;

#[derive(Debug, Clone)]
enum HistoryAction {
    Say(u128, &'static str, Mode),
    Start(u128, bool),
    Vote(u128, Choice),
    /// The participant, the verb, and the intended target.
    Control(u128, u8, u8),
    Person(u128, u8),
    Withdraw(u128),
    /// Reviewers' access to steering and interrupts.
    Ask(&'static str),
    WithdrawCommand(u128),
    Set(u128, &'static str),
    File(u128, u8, &'static str),
    Finish,
    Stale,
    Fail(bool),
    Stop,
    Wait(u64),
    Restart,
    Repeat,
    /// Resends one of the rejected commands under its id.
    RepeatRefused(usize),
}

fn any_action() -> impl Strategy<Value = HistoryAction> {
    let who = 1..4u128;
    let text = prop::sample::select(vec![
        "write",
        "同意",
        "approve",
        "不同意",
        "@Gen more",
        "@all again",
        "@P2 look",
        "@nobody",
        "",
        "@Opt final?",
    ]);
    let mode = prop::sample::select(vec![Mode::Queue, Mode::Steer]);
    let choice = prop::sample::select(vec![Choice::Approve, Choice::Reject, Choice::Abstain]);
    prop_oneof![
        4 => (who.clone(), text, mode).prop_map(|(who, text, mode)| HistoryAction::Say(who, text, mode)),
        1 => (who.clone(), any::<bool>()).prop_map(|(who, structured)| HistoryAction::Start(who, structured)),
        2 => (who.clone(), choice).prop_map(|(who, choice)| HistoryAction::Vote(who, choice)),
        3 => (who.clone(), 0..4u8, 0..5u8).prop_map(|(who, verb, meant)| HistoryAction::Control(who, verb, meant)),
        1 => (who.clone(), 0..4u8).prop_map(|(who, what)| HistoryAction::Person(who, what)),
        1 => who.clone().prop_map(HistoryAction::Withdraw),
        1 => prop::sample::select(vec!["allow", "ask", "ask", "deny"]).prop_map(HistoryAction::Ask),
        1 => who.clone().prop_map(HistoryAction::WithdrawCommand),
        1 => (who.clone(), prop::sample::select(vec!["Payments", "Refunds"])).prop_map(|(who, title)| HistoryAction::Set(who, title)),
        2 => (who.clone(), 0..4u8, prop::sample::select(vec!["a.md", "b.md"])).prop_map(|(who, what, name)| HistoryAction::File(who, what, name)),
        6 => Just(HistoryAction::Finish),
        1 => Just(HistoryAction::Stale),
        2 => any::<bool>().prop_map(HistoryAction::Fail),
        3 => Just(HistoryAction::Stop),
        2 => (0..20_000u64).prop_map(HistoryAction::Wait),
        1 => Just(HistoryAction::Restart),
        1 => Just(HistoryAction::Repeat),
        2 => any::<usize>().prop_map(HistoryAction::RepeatRefused),
    ]
}

/// Performs an action if it applies. Ignores rejections; the harness checks every accepted command.
fn perform(harness: &mut KernelHarness, act: &HistoryAction, sent: &mut SentCommands) {
    let run = harness.state.view().active_run().cloned();
    let running = run.as_ref().and_then(|run| run.running.iter().find(|running| running.retry_at.is_none()).cloned());
    let control = run.as_ref().and_then(|run| run.controls.first().map(|control| control.id));
    let (by, command) = match act.clone() {
        HistoryAction::Say(who, text, mode) => (who, Command::Say { text: text.into(), to: None, mode, files: vec![] }),
        HistoryAction::Start(who, structured) => (who, super::requests::start(structured)),
        HistoryAction::Vote(who, choice) => {
            // Gates about waiting commands come last.
            let gates = &harness.state.view().gates;
            let newest = choice != Choice::Abstain && who != 2;
            let Some(gate) = (if newest { gates.last() } else { gates.first() }).cloned() else { return };
            let comment = (choice == Choice::Reject).then(|| "because".into());
            (who, Command::Vote { gate: gate.id, rev: gate.rev, choice, comment, edit: None, standing: None })
        }
        HistoryAction::Control(who, verb, meant) => {
            (who, control_command(harness, verb, meant, (who == 2).then_some("rather so")))
        }
        HistoryAction::Person(who, 0) => (who, Command::Enter { role: Role::Member }),
        HistoryAction::Person(who, 1) => (who, Command::Leave),
        HistoryAction::Person(who, 2) => (who, Command::SetRole { participant: id(2), role: Role::Reviewer }),
        HistoryAction::Person(who, _) => (who, Command::Remove { participant: id(3) }),
        HistoryAction::Withdraw(who) => {
            let Some(queued) = harness.state.view().inbox.first().cloned() else { return };
            (who, Command::Withdraw { message: queued.message })
        }
        HistoryAction::Ask(access) => {
            let rules =
                ["steer", "interrupt"].map(|right| json!({ "role": "reviewer", "right": right, "access": access }));
            (1, set(json!({ "rights": rules })))
        }
        HistoryAction::WithdrawCommand(who) => {
            let Some(gate) = harness.state.view().gates.last().cloned() else { return };
            (who, Command::WithdrawCommand { gate: gate.id })
        }
        HistoryAction::Set(who, title) => {
            let settings = serde_json::json!({ "max_messages_per_run": 20 }).as_object().cloned();
            (who, Command::Set { title: Some(title.into()), settings })
        }
        HistoryAction::File(who, 0, name) => (who, Command::RemoveFile { name: name.parse().expect("a name") }),
        HistoryAction::File(who, 1, _) => {
            let Some(file) = harness.state.view().files.first().cloned() else { return };
            (who, Command::RestoreFile { file: file.id, limits: super::files::FILE_LIMITS })
        }
        HistoryAction::File(who, content, name) => {
            let file = super::files::file(name, if content == 2 { "one" } else { "two" });
            (who, Command::AddFile { file, limits: super::files::FILE_LIMITS })
        }
        HistoryAction::Finish => {
            if let Some(running) = running {
                harness.finish_message(running.message, running.attempt, "text");
            }
            return;
        }
        HistoryAction::Stale => {
            if let Some(running) = running {
                assert!(harness.finish_message(running.message, running.attempt + 1, "from nowhere").is_empty());
            }
            return;
        }
        HistoryAction::Fail(again) => {
            if let Some(running) = running {
                let error = AttemptError { code: "model_unavailable".into(), message: "down".into() };
                let left = PartialMessage { message: running.message, text: "so far".into(), usage: None };
                let retry_in_ms = again.then_some(1_000);
                harness.submit_as_orchestrator(Command::TurnFailed {
                    attempt: running.attempt,
                    error,
                    retry_in_ms,
                    left,
                });
            }
            return;
        }
        HistoryAction::Stop => {
            if let Some(control) = control {
                harness.submit_as_orchestrator(Command::Acknowledge { control });
                harness.submit_as_orchestrator(Command::Stopped { control, left: vec![] });
            }
            return;
        }
        HistoryAction::Wait(millis) => {
            harness.now += millis;
            harness.submit_as_orchestrator(Command::DeadlineReached);
            return;
        }
        HistoryAction::Restart => {
            harness.submit_as_orchestrator(recover());
            return;
        }
        HistoryAction::RepeatRefused(which) => {
            if !sent.refused.is_empty() {
                let (envelope, for_good) = sent.refused.swap_remove(which % sent.refused.len());
                let before = harness.log.len();
                send(harness, envelope, sent);
                assert!(!for_good || harness.log.len() == before, "a control whose target is over is never accepted");
            }
            return;
        }
        HistoryAction::Repeat => {
            if let Some(envelope) = sent.last.clone() {
                let before = harness.state.clone();
                if let Ok(names) = harness.decide(&envelope) {
                    assert!(names == ["repeated"] || names.is_empty(), "{names:?}");
                    assert_eq!(harness.state, before, "a command counts once");
                }
            }
            return;
        }
    };
    let envelope = harness.envelope(by, command);
    send(harness, envelope, sent);
}

/// Commands that can be resent.
#[derive(Default)]
struct SentCommands {
    /// Last command that was accepted.
    last: Option<Envelope>,
    /// Rejected commands, and whether each was rejected permanently.
    refused: Vec<(Envelope, bool)>,
}

/// Returns a control of the current run, of a run that is over, or, for an interrupt, of the step or message in
/// progress.
fn control_command(harness: &KernelHarness, verb: u8, meant: u8, text: Option<&str>) -> Command {
    let active = harness.state.view().active_run();
    let run = if meant == 0 { RunId(1) } else { harness.run() };
    let step = active.and_then(|run| run.step).filter(|_| meant == 1);
    let message = active.and_then(|run| run.running.first()).map(|running| running.message).filter(|_| meant == 2);
    match verb {
        0 => Command::Pause { run },
        1 => Command::Resume { run },
        2 => Command::Interrupt { run, step, message, text: text.map(Into::into) },
        _ => Command::Cancel { run, reason: None },
    }
}

fn send(harness: &mut KernelHarness, envelope: Envelope, sent: &mut SentCommands) {
    let before = harness.log.len();
    match harness.decide(&envelope) {
        Ok(_) => {
            for event in &harness.log[before..] {
                if let (Fact::ControlRequested { run, .. }, Some(Cause::Command(_))) = (&event.fact, &event.cause) {
                    assert_eq!(Some(*run), target_run(&envelope.command), "a control reaches what it names");
                }
            }
            sent.last = Some(envelope);
        }
        Err(rejection) => {
            // A message is written only once. It ends before the control that kept it from being stopped, so the
            // rejection is permanent.
            let of_message = matches!(envelope.command, Command::Interrupt { message: Some(_), .. });
            let over = matches!(rejection, Rejection::TargetOver(_));
            sent.refused.push((envelope, over || of_message && rejection == Rejection::AlreadyRequested));
        }
    }
}

fn target_run(command: &Command) -> Option<RunId> {
    match command {
        Command::Pause { run } | Command::Resume { run } => Some(*run),
        Command::Interrupt { run, .. } | Command::Cancel { run, .. } => Some(*run),
        _ => None,
    }
}

fn check(harness: &KernelHarness, cut: usize) {
    let replay = |state: State, events: &[Event]| {
        events.iter().fold(state, |mut state, event| {
            let wire = serde_json::to_string(event).expect("writes");
            let read: Event = serde_json::from_str(&wire).expect("reads");
            assert_eq!(&read, event, "the log is what was decided");
            evolve(&mut state, &read);
            state
        })
    };
    let session = harness.state.view().session;
    assert_eq!(replay(State::new(session), &harness.log), harness.state, "replay = live");

    for cut in [cut % (harness.log.len() + 1), harness.log.len()] {
        let head = replay(State::new(session), &harness.log[..cut]);
        let written = serde_json::to_string(&head.snapshot()).expect("writes");
        let restored = serde_json::from_str::<Snapshot>(&written).expect("reads").restore().expect("this version");
        assert_eq!(replay(restored, &harness.log[cut..]), harness.state, "snapshot + tail = replay");
    }

    let view = harness.state.view();
    if let Some(run) = view.active_run() {
        let waits = view.gates.iter().any(Gate::holds_work) || run.paused || run.stopping();
        assert!(waits || !run.running.is_empty(), "a run that is not over works or waits for somebody");
    } else {
        assert!(!view.gates.iter().any(Gate::holds_work), "no gate outlives its run");
    }
    for pending in view.gates.iter().filter_map(|gate| gate.command.as_deref()) {
        let asker = pending.by.participant_id().expect("a participant");
        assert!(view.member(asker).is_some(), "nobody who left waits for the owners");
    }
    assert!(harness.log.windows(2).all(|pair| pair[0].at <= pair[1].at), "time does not run backwards");
    let mut open = std::collections::BTreeSet::new();
    for event in &harness.log {
        match &event.fact {
            Fact::MessageStarted { message, attempt, .. } => assert!(*attempt > 1 || open.insert(*message)),
            Fact::MessageCompleted { message, .. } | Fact::MessageAborted { message, .. } => {
                assert!(open.remove(message), "a message ends once");
            }
            _ => {}
        }
    }
    let running = view.active_run().map_or(0, |run| run.running.len());
    assert_eq!(open.len(), running, "every message ends");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_history_keeps_the_laws(acts in prop::collection::vec(any_action(), 1..60), cut in any::<usize>(), rule in 0..4u8, close in any::<bool>()) {
        let approval = match rule {
            0 => Quorum::Any {},
            1 => Quorum::All {},
            2 => Quorum::AtLeast { n: 2, role: None },
            _ => Quorum::Veto {},
        };
        let roles = [("Gen", AgentRole::Generator), ("Rev", AgentRole::Reviewer), ("Rev2", AgentRole::Reviewer), ("Opt", AgentRole::Optimizer)];
        let mut harness = KernelHarness::with(team(&roles), Settings { gate_seconds: Some(30), max_messages_per_run: 12, ..settings(approval) });
        harness.enter(2, Role::Owner);
        harness.enter(3, Role::Reviewer);
        let mut sent = SentCommands::default();
        for act in &acts {
            perform(&mut harness, act, &mut sent);
        }
        if close {
            let _ = harness.submit(OWNER, Command::Close { reason: "done".into() });
        }
        check(&harness, cut);
    }
}
