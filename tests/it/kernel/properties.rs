//! Properties of all histories: random commands, checked against the laws.

use proptest::prelude::*;
use roundtable::kernel::gate::{Choice, Gate, Quorum};
use roundtable::kernel::*;
use serde_json::json;

use super::harness::*;

#[derive(Debug, Clone)]
enum Act {
    Say(u128, &'static str, Mode),
    Start(u128, bool),
    Vote(u128, Choice),
    /// The participant, the verb, and the intended target.
    Control(u128, u8, u8),
    Person(u128, u8),
    Withdraw(u128),
    /// Access to steering that reviewers get.
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
    /// Resends one of the refused commands under its id.
    RepeatRefused(usize),
}

fn act() -> impl Strategy<Value = Act> {
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
        4 => (who.clone(), text, mode).prop_map(|(who, text, mode)| Act::Say(who, text, mode)),
        1 => (who.clone(), any::<bool>()).prop_map(|(who, structured)| Act::Start(who, structured)),
        2 => (who.clone(), choice).prop_map(|(who, choice)| Act::Vote(who, choice)),
        3 => (who.clone(), 0..4u8, 0..5u8).prop_map(|(who, verb, meant)| Act::Control(who, verb, meant)),
        1 => (who.clone(), 0..4u8).prop_map(|(who, what)| Act::Person(who, what)),
        1 => who.clone().prop_map(Act::Withdraw),
        1 => prop::sample::select(vec!["allow", "ask", "ask", "deny"]).prop_map(Act::Ask),
        1 => who.clone().prop_map(Act::WithdrawCommand),
        1 => (who.clone(), prop::sample::select(vec!["Payments", "Refunds"])).prop_map(|(who, title)| Act::Set(who, title)),
        2 => (who.clone(), 0..4u8, prop::sample::select(vec!["a.md", "b.md"])).prop_map(|(who, what, name)| Act::File(who, what, name)),
        6 => Just(Act::Finish),
        1 => Just(Act::Stale),
        2 => any::<bool>().prop_map(Act::Fail),
        3 => Just(Act::Stop),
        2 => (0..20_000u64).prop_map(Act::Wait),
        1 => Just(Act::Restart),
        1 => Just(Act::Repeat),
        2 => any::<usize>().prop_map(Act::RepeatRefused),
    ]
}

/// Carries out an act if it applies. Any refusal is fine, and the stage checks every acceptance.
fn perform(stage: &mut KernelHarness, act: &Act, sent: &mut SentFrames) {
    let run = stage.state.view().active_run().cloned();
    let item = run.as_ref().and_then(|run| run.items.iter().find(|item| item.retry_at.is_none()).cloned());
    let control = run.as_ref().and_then(|run| run.controls.first().map(|control| control.id));
    let (by, command) = match act.clone() {
        Act::Say(who, text, mode) => (who, Command::Say { text: text.into(), to: None, mode, files: vec![] }),
        Act::Start(who, structured) => (who, super::requests::start(structured)),
        Act::Vote(who, choice) => {
            // Gates about waiting commands come last.
            let gates = &stage.state.view().gates;
            let newest = choice != Choice::Abstain && who != 2;
            let Some(gate) = (if newest { gates.last() } else { gates.first() }).cloned() else { return };
            let comment = (choice == Choice::Reject).then(|| "because".into());
            (who, Command::Vote { gate: gate.id, rev: gate.rev, choice, comment, edit: None, standing: None })
        }
        Act::Control(who, verb, meant) => (who, control_of(stage, verb, meant, (who == 2).then_some("rather so"))),
        Act::Person(who, 0) => (who, Command::Enter { role: Role::Member }),
        Act::Person(who, 1) => (who, Command::Leave),
        Act::Person(who, 2) => (who, Command::SetRole { participant: id(2), role: Role::Reviewer }),
        Act::Person(who, _) => (who, Command::Remove { participant: id(3) }),
        Act::Withdraw(who) => {
            let Some(queued) = stage.state.view().inbox.first().cloned() else { return };
            (who, Command::Withdraw { message: queued.message })
        }
        Act::Ask(access) => {
            let rules =
                ["steer", "interrupt"].map(|right| json!({ "role": "reviewer", "right": right, "access": access }));
            (1, set(json!({ "rights": rules })))
        }
        Act::WithdrawCommand(who) => {
            let Some(gate) = stage.state.view().gates.last().cloned() else { return };
            (who, Command::WithdrawCommand { gate: gate.id })
        }
        Act::Set(who, title) => {
            let settings = serde_json::json!({ "max_messages_per_run": 20 }).as_object().cloned();
            (who, Command::Set { title: Some(title.into()), settings })
        }
        Act::File(who, 0, name) => (who, Command::RemoveFile { name: name.parse().expect("a name") }),
        Act::File(who, 1, _) => {
            let Some(file) = stage.state.view().files.first().cloned() else { return };
            (who, Command::RestoreFile { file: file.id, room: super::files::ROOM })
        }
        Act::File(who, content, name) => {
            let file = super::files::file(name, if content == 2 { "one" } else { "two" });
            (who, Command::AddFile { file, room: super::files::ROOM })
        }
        Act::Finish => {
            if let Some(item) = item {
                stage.finish_item(item.message, item.attempt, "text");
            }
            return;
        }
        Act::Stale => {
            if let Some(item) = item {
                assert!(stage.finish_item(item.message, item.attempt + 1, "from nowhere").is_empty());
            }
            return;
        }
        Act::Fail(again) => {
            if let Some(item) = item {
                let error = AttemptError { code: "model_unavailable".into(), message: "down".into() };
                let left = PartialMessage { message: item.message, text: "so far".into(), usage: None };
                let retry_in_ms = again.then_some(1_000);
                stage.shell(Command::TurnFailed { attempt: item.attempt, error, retry_in_ms, left });
            }
            return;
        }
        Act::Stop => {
            if let Some(control) = control {
                stage.shell(Command::Acknowledge { control });
                stage.shell(Command::Stopped { control, left: vec![] });
            }
            return;
        }
        Act::Wait(millis) => {
            stage.now += millis;
            stage.shell(Command::DeadlineReached);
            return;
        }
        Act::Restart => {
            stage.shell(Command::Recover);
            return;
        }
        Act::RepeatRefused(which) => {
            if !sent.refused.is_empty() {
                let (envelope, for_good) = sent.refused.swap_remove(which % sent.refused.len());
                let before = stage.log.len();
                send(stage, envelope, sent);
                assert!(!for_good || stage.log.len() == before, "a control whose target is over is never accepted");
            }
            return;
        }
        Act::Repeat => {
            if let Some(envelope) = sent.last.clone() {
                let before = stage.state.clone();
                if let Ok(names) = stage.decide(&envelope) {
                    assert!(names == ["repeated"] || names.is_empty(), "{names:?}");
                    assert_eq!(stage.state, before, "a command counts once");
                }
            }
            return;
        }
    };
    let envelope = stage.envelope(by, command);
    send(stage, envelope, sent);
}

/// Commands that can be resent.
#[derive(Default)]
struct SentFrames {
    /// The last command that was accepted.
    last: Option<Envelope>,
    /// The refused commands, and whether each was refused permanently.
    refused: Vec<(Envelope, bool)>,
}

/// A control of the current run, of one that is over, or, for an interrupt, of the step or item in progress.
fn control_of(stage: &KernelHarness, verb: u8, meant: u8, words: Option<&str>) -> Command {
    let active = stage.state.view().active_run();
    let run = if meant == 0 { RunId(1) } else { stage.run() };
    let step = active.and_then(|run| run.step).filter(|_| meant == 1);
    let item = active.and_then(|run| run.items.first()).map(|item| item.message).filter(|_| meant == 2);
    match verb {
        0 => Command::Pause { run },
        1 => Command::Resume { run },
        2 => Command::Interrupt { run, step, item, text: words.map(Into::into) },
        _ => Command::Cancel { run, reason: None },
    }
}

fn send(stage: &mut KernelHarness, envelope: Envelope, sent: &mut SentFrames) {
    let before = stage.log.len();
    match stage.decide(&envelope) {
        Ok(_) => {
            for event in &stage.log[before..] {
                if let (Fact::ControlRequested { run, .. }, Some(Cause::Command(_))) = (&event.fact, &event.cause) {
                    assert_eq!(Some(*run), meant(&envelope.command), "a control reaches what it names");
                }
            }
            sent.last = Some(envelope);
        }
        Err(rejection) => {
            // An item is written once. It ends before the control that kept it from being stopped, so the refusal is
            // permanent.
            let item = matches!(envelope.command, Command::Interrupt { item: Some(_), .. });
            let over = matches!(rejection, Rejection::TargetOver(_));
            sent.refused.push((envelope, over || item && rejection == Rejection::AlreadyRequested));
        }
    }
}

fn meant(command: &Command) -> Option<RunId> {
    match command {
        Command::Pause { run } | Command::Resume { run } => Some(*run),
        Command::Interrupt { run, .. } | Command::Cancel { run, .. } => Some(*run),
        _ => None,
    }
}

fn check(stage: &KernelHarness, cut: usize) {
    let replay = |state: State, events: &[Event]| {
        events.iter().fold(state, |mut state, event| {
            let wire = serde_json::to_string(event).expect("writes");
            let read: Event = serde_json::from_str(&wire).expect("reads");
            assert_eq!(&read, event, "the log is what was decided");
            evolve(&mut state, &read);
            state
        })
    };
    let session = stage.state.view().session;
    assert_eq!(replay(State::new(session), &stage.log), stage.state, "replay = live");

    for cut in [cut % (stage.log.len() + 1), stage.log.len()] {
        let head = replay(State::new(session), &stage.log[..cut]);
        let written = serde_json::to_string(&head.snapshot()).expect("writes");
        let restored = serde_json::from_str::<Snapshot>(&written).expect("reads").restore().expect("this version");
        assert_eq!(replay(restored, &stage.log[cut..]), stage.state, "snapshot + tail = replay");
    }

    let view = stage.state.view();
    if let Some(run) = view.active_run() {
        let waits = view.gates.iter().any(Gate::holds_work) || run.paused || run.stopping();
        assert!(waits || !run.items.is_empty(), "a run that is not over works or waits for somebody");
    } else {
        assert!(!view.gates.iter().any(Gate::holds_work), "no gate outlives its run");
    }
    for asked in view.gates.iter().filter_map(|gate| gate.command.as_deref()) {
        let asker = asked.by.participant_id().expect("a participant");
        assert!(view.member(asker).is_some(), "nobody who left waits for the owners");
    }
    assert!(stage.log.windows(2).all(|pair| pair[0].at <= pair[1].at), "time does not run backwards");
    let mut open = std::collections::BTreeSet::new();
    for event in &stage.log {
        match &event.fact {
            Fact::MessageStarted { message, attempt, .. } => assert!(*attempt > 1 || open.insert(*message)),
            Fact::MessageCompleted { message, .. } | Fact::MessageAborted { message, .. } => {
                assert!(open.remove(message), "an item ends once");
            }
            _ => {}
        }
    }
    let running = view.active_run().map_or(0, |run| run.items.len());
    assert_eq!(open.len(), running, "every item ends");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_history_keeps_the_laws(acts in prop::collection::vec(act(), 1..60), cut in any::<usize>(), rule in 0..4u8, close in any::<bool>()) {
        let approval = match rule {
            0 => Quorum::Any,
            1 => Quorum::All,
            2 => Quorum::AtLeast { n: 2, role: None },
            _ => Quorum::Veto,
        };
        let roles = [("Gen", AgentRole::Generator), ("Rev", AgentRole::Reviewer), ("Rev2", AgentRole::Reviewer), ("Opt", AgentRole::Optimizer)];
        let mut stage = KernelHarness::with(team(&roles), Settings { gate_seconds: Some(30), max_messages_per_run: 12, ..settings(approval) });
        stage.enter(2, Role::Owner);
        stage.enter(3, Role::Reviewer);
        let mut sent = SentFrames::default();
        for act in &acts {
            perform(&mut stage, act, &mut sent);
        }
        if close {
            let _ = stage.does(OWNER, Command::Close { reason: "done".into() });
        }
        check(&stage, cut);
    }
}
