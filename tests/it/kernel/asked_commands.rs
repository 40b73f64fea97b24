//! Commands that a participant must ask the owners for: the session runs exactly what they approved, once, on behalf of
//! the participant.

use roundtable::kernel::gate::{
    AskedCommand, AskedCommandData, Choice, CommandFailure, Gate, GateKind, Outcome, Quorum,
};
use roundtable::kernel::*;
use serde_json::json;

use super::files::{ROOM, add};
use super::harness::*;
use super::redaction::{leftovers, rewrite};

/// A session whose members must ask for these rights: P1 and P4 own it, P2 and P3 are members.
fn stage(rights: &[Right]) -> KernelHarness {
    let mut stage = KernelHarness::new();
    stage.enter(2, Role::Member);
    stage.enter(3, Role::Member);
    stage.enter(4, Role::Owner);
    asks(&mut stage, rights);
    stage
}

/// Sets the rights that members must ask for from here on.
fn asks(stage: &mut KernelHarness, rights: &[Right]) {
    let rules: Vec<_> =
        rights.iter().map(|right| RightRule { role: Role::Member, right: *right, access: RightAccess::Ask }).collect();
    stage.ok(OWNER, set(json!({ "rights": rules })));
}

fn asked(stage: &KernelHarness) -> Vec<Gate> {
    stage.state.view().gates.iter().filter(|gate| gate.kind == GateKind::Command).cloned().collect()
}

/// Votes at the newest gate about a command.
fn vote(stage: &mut KernelHarness, by: u128, choice: Choice) -> Result<Vec<String>, Rejection> {
    let gate = asked(stage).pop().expect("a gate about a command");
    stage.does(by, Command::Vote { gate: gate.id, rev: 1, choice, comment: None, edit: None, standing: None })
}

fn decided(stage: &KernelHarness) -> gate::Decision {
    let gate = stage.state.view().decided.back().expect("a gate that ended");
    gate.decision.clone().expect("a decision")
}

#[test]
fn a_command_that_an_owner_approves_is_carried_out_as_that_of_whoever_asked() {
    let mut stage = stage(&[Right::Steer]);
    assert_eq!(stage.ok(2, say("write tests")), ["gate.opened"]);
    let opened = stage.log.last().expect("an event").clone();
    assert_eq!((&opened.by.id, opened.run), (&person(2).id, None), "whoever asks opens the gate");
    assert!(stage.state.view().messages.is_empty() && stage.state.view().run.is_none(), "nothing happens before");
    let gate = asked(&stage).remove(0);
    assert_eq!((gate.eligible, gate.quorum), (vec![Role::Owner], Quorum::Any));

    let names = vote(&mut stage, OWNER, Choice::Approve).expect("an owner decides");
    assert_eq!(names[..4], ["gate.voted", "gate.decided", "message.posted", "message.routed"]);
    assert!(names.contains(&"run.started".to_owned()), "{names:?}");
    assert_eq!(stage.texts(), ["P2: write tests"]);
    let seq_of = |wanted: &str| stage.log.iter().find(|event| name(event) == wanted).expect("is there").seq;
    let posted = stage.log.iter().find(|event| name(event) == "message.posted").expect("is there");
    assert_eq!(posted.cause, Some(Cause::Seq(seq_of("gate.decided"))), "its cause is the decision");
    assert_eq!(decided(&stage).by.id, person(OWNER).id);
    let run = stage.state.view().run.as_ref().expect("a run");
    assert_eq!(run.directed_by, [id(2)], "the owner only allowed it");
}

#[test]
fn a_repeated_vote_is_answered_with_the_seq_behind_what_it_let_through() {
    for right in [Right::Steer, Right::Say] {
        let mut stage = stage(&[right]);
        stage.ok(2, say(if right == Right::Say { "@people hello" } else { "write tests" }));
        let gate = asked(&stage).remove(0).id;
        let vote = Command::Vote { gate, rev: 1, choice: Choice::Approve, comment: None, edit: None, standing: None };
        let envelope = stage.envelope(OWNER, vote);
        stage.decide(&envelope).expect("an owner decides");
        assert_ne!(name(stage.log.last().expect("an event")), "gate.decided", "it let something through");
        let again = decide(&stage.state, &envelope).expect("counts once");
        let CommandOutcome::Repeated(seq) = again else { panic!("{right:?}: it counts again") };
        assert_eq!(seq, stage.state.seq(), "{right:?}");
    }
}

#[test]
fn the_command_that_is_carried_out_is_exactly_the_one_that_was_approved() {
    let file = |stage: &mut KernelHarness| {
        stage.ok(OWNER, add("a.md", "one"));
        vec![stage.state.view().files[0].id]
    };
    type Make = Box<dyn Fn(&mut KernelHarness) -> Command>;
    let cases: Vec<(&str, Make)> = vec![
        ("idle", Box::new(|_| say("@Gen write 1,000 tests"))),
        (
            "idle",
            Box::new(move |stage| {
                let files = file(stage);
                Command::Say {
                    text: "read it".into(),
                    to: Some(vec![mention::Addressee::Name("Rev".into())]),
                    mode: Mode::Steer,
                    files,
                }
            }),
        ),
        ("idle", Box::new(|_| say("@people hello"))),
        (
            "idle",
            Box::new(|_| Command::Start {
                flow: None,
                input: "go".into(),
                files: vec![],
                earlier: vec![],
                request: None,
            }),
        ),
        ("running", Box::new(|_| steer("shorter"))),
        ("running", Box::new(|stage| stage.pause())),
        ("running", Box::new(|stage| stage.interrupt(Some("rather so")))),
        ("running", Box::new(|stage| stage.interrupt(None))),
        ("running", Box::new(|stage| stage.cancel(Some("begin again")))),
        ("paused", Box::new(|stage| stage.resume())),
    ];
    for (place, command) in cases {
        let prepared = || {
            let mut stage = stage(&[]);
            if place != "idle" {
                stage.ok(OWNER, say("write tests"));
            }
            if place == "paused" {
                stage.ok(OWNER, stage.pause());
            }
            stage
        };
        // The effects of the command without an approval, without ids and times.
        let plain = |log: &[Event]| -> Vec<String> {
            let text = |event: &Event| {
                let wire = serde_json::to_value(event).expect("JSON");
                let words =
                    ["text", "to", "files", "waiting", "verb", "reason"].map(|field| wire["data"][field].to_string());
                format!("{} by {}: {}", name(event), event.by.name, words.join(" "))
            };
            log.iter().map(text).collect()
        };
        let mut direct = prepared();
        let sent = command(&mut direct);
        // Both sessions have the same ids, so the command is valid in the other one, too. There, it needs an approval.
        let from = direct.log.len();
        let mut other = prepared();
        assert_eq!(format!("{sent:?}"), format!("{:?}", command(&mut other)));
        direct.ok(2, sent.clone());
        asks(&mut other, &[Right::Say, Right::Steer, Right::Interrupt]);
        assert_eq!(other.ok(2, sent.clone()), ["gate.opened"], "{sent:?}");
        let before = other.log.len();
        vote(&mut other, OWNER, Choice::Approve).expect("approved");
        // The vote and the decision come first.
        assert_eq!(plain(&other.log[before + 2..]), plain(&direct.log[from..]), "{sent:?}");
        assert!(decided(&other).failure.is_none(), "{sent:?}");
        assert!(asked(&other).is_empty());
    }
}

#[test]
fn a_command_that_is_refused_expires_or_is_taken_back_does_nothing() {
    let mut stage = stage(&[Right::Steer]);
    stage.ok(OWNER, set(json!({ "gate_seconds": 30 })));
    stage.ok(2, say("one"));
    assert_eq!(vote(&mut stage, OWNER, Choice::Reject).expect("no reason is needed"), ["gate.voted", "gate.decided"]);
    assert_eq!((decided(&stage).outcome, &*decided(&stage).by.id), (Outcome::Rejected, &*person(OWNER).id));

    stage.ok(2, say("one"));
    let gate = asked(&stage).remove(0);
    let withdraw = Command::WithdrawCommand { gate: gate.id };
    assert_eq!(stage.does(3, withdraw.clone()), Err(Rejection::NotTheAuthor));
    assert_eq!(stage.does(OWNER, withdraw.clone()), Err(Rejection::NotTheAuthor), "an owner refuses it");
    assert_eq!(stage.ok(2, withdraw.clone()), ["gate.decided"]);
    assert_eq!((decided(&stage).outcome, &*decided(&stage).by.id), (Outcome::Withdrawn, &*person(2).id));
    assert!(matches!(stage.does(2, withdraw), Err(Rejection::AlreadyDecided { .. })));
    assert!(matches!(stage.does(2, Command::WithdrawCommand { gate: GateId(999) }), Err(Rejection::UnknownGate(_))));

    stage.ok(2, say("one"));
    // No run is in progress, but the deadline still applies.
    stage.now = stage.state.next_due().expect("a deadline").millis();
    assert!(stage.state.is_unfinished(), "also after a restart");
    assert_eq!(stage.shell(Command::DeadlineReached), ["gate.expired"]);
    assert!(stage.state.view().messages.is_empty() && stage.state.view().run.is_none());
}

#[test]
fn silence_never_gives_a_right() {
    let mut stage = stage(&[Right::Steer]);
    let rule =
        json!({ "gate": "command", "quorum": { "kind": "veto" }, "deadline_seconds": 5, "at_deadline": "approved" });
    stage.ok(OWNER, set(json!({ "approval_rules": [rule] })));
    stage.ok(2, say("one"));
    stage.now += 5_000;
    assert_eq!(stage.shell(Command::DeadlineReached), ["gate.expired"]);
}

#[test]
fn only_owners_decide_and_a_rule_of_the_session_says_how_many() {
    let mut stage = stage(&[Right::Steer]);
    // The default quorum requires more people than there are owners.
    stage.ok(OWNER, set(json!({ "approval": { "kind": "at_least", "n": 4 } })));
    stage.ok(2, say("one"));
    for by in [2, 3] {
        let refused = vote(&mut stage, by, Choice::Approve);
        assert!(matches!(refused, Err(Rejection::Forbidden { right: Right::Approve, .. })), "{refused:?}");
    }
    vote(&mut stage, OWNER, Choice::Approve).expect("one owner decides");
    stage.ok(OWNER, stage.cancel(None));
    stage.stop("");

    let rule = |quorum| set(json!({ "approval_rules": [{ "gate": "command", "quorum": quorum }] }));
    stage.ok(OWNER, rule(json!({ "kind": "at_least", "n": 2 })));
    stage.ok(2, say("two"));
    assert_eq!(vote(&mut stage, OWNER, Choice::Approve).expect("an owner votes"), ["gate.voted"]);
    assert!(vote(&mut stage, 4, Choice::Approve).expect("the other owner").contains(&"message.posted".to_owned()));
    for wrong in [
        rule(json!({ "kind": "at_least", "n": 3 })),
        rule(json!({ "kind": "role", "role": "member" })),
        set(json!({ "approval_rules": [{ "gate": "command", "quorum": { "kind": "any" }, "bots": true }] })),
        set(json!({ "approval_rules": [{ "gate": "command", "quorum": { "kind": "any" }, "separate_duties": true }] })),
    ] {
        assert!(matches!(stage.does(OWNER, wrong.clone()), Err(Rejection::Invalid(_))), "{wrong:?}");
    }
}

#[test]
fn the_right_is_checked_again_when_the_command_is_carried_out() {
    let deny = |right| RightRule { role: Role::Member, right, access: RightAccess::Deny };
    for change in
        [set(json!({ "rights": [deny(Right::Steer)] })), Command::SetRole { participant: id(2), role: Role::Viewer }]
    {
        let mut stage = stage(&[Right::Steer]);
        stage.ok(2, say("write tests"));
        stage.ok(OWNER, change);
        assert_eq!(vote(&mut stage, OWNER, Choice::Approve).expect("a vote"), ["gate.voted", "gate.decided"]);
        assert_eq!(decided(&stage).failure, Some(CommandFailure::NotAllowed));
        assert!(stage.state.view().messages.is_empty());
    }
    // If the participant has gained the right in the meantime, the command runs.
    let mut stage = stage(&[Right::Steer]);
    stage.ok(2, say("write tests"));
    asks(&mut stage, &[]);
    vote(&mut stage, OWNER, Choice::Approve).expect("a vote");
    assert_eq!(stage.texts(), ["P2: write tests"]);
}

#[test]
fn what_nobody_can_want_any_more_is_closed() {
    // The participant who asked was removed or has left.
    for gone in [(OWNER, Command::Remove { participant: id(2) }), (2, Command::Leave)] {
        let mut stage = stage(&[Right::Steer]);
        stage.ok(2, say("write tests"));
        assert_eq!(stage.ok(gone.0, gone.1), ["participant.left", "gate.closed"]);
        assert!(asked(&stage).is_empty());
    }
    // The run that it referred to has ended; a waiting message stays and starts the next run.
    let mut stage = stage(&[Right::Steer, Right::Interrupt]);
    stage.ok(OWNER, say("write tests"));
    stage.ok(2, stage.interrupt(Some("shorter")));
    stage.ok(3, say("more of it"));
    stage.ok(OWNER, stage.cancel(None));
    let names = stage.stop("");
    assert_eq!(names.iter().filter(|name| *name == "gate.closed").count(), 1, "{names:?}");
    assert_eq!(asked(&stage).len(), 1);
    vote(&mut stage, OWNER, Choice::Approve).expect("approved");
    assert_eq!(stage.state.view().active_run().expect("a new run").started_by.map(|by| by.0), Some(id(3)));
    // The session is closed.
    let mut stage = self::stage(&[Right::Steer]);
    stage.ok(2, say("write tests"));
    assert_eq!(stage.ok(OWNER, Command::Close { reason: "done".into() }), ["gate.closed", "session.closed"]);
}

#[test]
fn a_command_whose_target_is_over_fails_with_a_note_and_nothing_else() {
    let mut stage = stage(&[Right::Interrupt]);
    stage.ok(OWNER, say("write tests"));
    let step = stage.state.view().active_run().expect("a run").step;
    stage.ok(2, Command::Interrupt { run: stage.run(), step, item: None, text: None });
    stage.ok(3, stage.pause());
    stage.finish("cases");
    let first = asked(&stage).remove(0);
    let approve =
        Command::Vote { gate: first.id, rev: 1, choice: Choice::Approve, comment: None, edit: None, standing: None };
    assert_eq!(stage.ok(OWNER, approve), ["gate.voted", "gate.decided"]);
    assert_eq!(decided(&stage).failure, Some(CommandFailure::TargetOver));
    stage.ok(OWNER, stage.pause());
    assert_eq!(vote(&mut stage, OWNER, Choice::Approve).expect("a vote"), ["gate.voted", "gate.decided"]);
    assert_eq!(decided(&stage).failure, Some(CommandFailure::NothingToDo));
}

#[test]
fn owners_are_not_asked_for_what_would_be_rejected_anyway() {
    let mut stage = stage(&[Right::Say, Right::Steer, Right::Interrupt]);
    assert_eq!(stage.does(2, stage.pause()), Err(Rejection::NoRun));
    assert!(matches!(stage.does(2, say("")), Err(Rejection::Invalid(_))));
    // Files, and commands that only programs send.
    let forbidden = [
        add("a.md", "one"),
        Command::RemoveFile { name: "a.md".parse().expect("a name") },
        Command::RestoreFile { file: FileId(1), room: ROOM },
        super::requests::start(true),
    ];
    for command in forbidden {
        let refused = stage.does(2, command.clone());
        assert!(matches!(refused, Err(Rejection::Forbidden { .. })), "{command:?}: {refused:?}");
    }
    // A denied right stays denied, whatever other rights the command requires.
    let rule = |right, access| RightRule { role: Role::Member, right, access };
    stage.ok(
        OWNER,
        set(json!({ "rights": [rule(Right::Interrupt, RightAccess::Ask), rule(Right::Steer, RightAccess::Deny)] })),
    );
    stage.ok(OWNER, say("write tests"));
    let refused = stage.does(2, stage.interrupt(Some("shorter")));
    assert!(matches!(refused, Err(Rejection::Forbidden { right: Right::Steer, .. })), "{refused:?}");
    assert!(asked(&stage).is_empty());
}

#[test]
fn a_participant_has_few_open_requests_and_no_two_alike() {
    let mut stage = stage(&[Right::Steer]);
    let first = stage.envelope(2, say("one"));
    assert_eq!(stage.decide(&first).expect("accepted"), ["gate.opened"]);
    assert_eq!(stage.decide(&first).expect("accepted"), ["repeated"], "a command counts once");
    assert_eq!(stage.does(2, say("one")), Err(Rejection::AlreadyRequested));
    for n in 1..AskedCommand::MAX_OPEN {
        stage.ok(2, say(&format!("another {n}")));
    }
    assert_eq!(stage.does(2, say("too many")), Err(Rejection::TooManyAsked { limit: AskedCommand::MAX_OPEN }));
    assert_eq!(stage.ok(3, say("one")), ["gate.opened"], "others ask as well");
    vote(&mut stage, OWNER, Choice::Approve).expect("approved");
    assert_eq!(stage.decide(&first).expect("accepted"), ["repeated"], "also after others were carried out");
}

#[test]
fn an_approved_message_is_never_a_vote_or_an_answer() {
    let mut stage = stage(&[Right::Steer]);
    stage.ok(2, say("approve"));
    stage.reach_gate();
    let gate = stage.gate();
    assert_eq!(stage.state.view().gates.len(), 2, "a gate of the run, and the command");
    vote(&mut stage, OWNER, Choice::Approve).expect("approved");
    assert!(stage.state.view().gates.iter().any(|open| open.id == gate.id || open.kind == GateKind::Feedback));
    assert_eq!(stage.state.view().inbox.len(), 1, "it waits for the next step as any message does");
}

#[test]
fn a_message_that_waits_is_taken_back_without_asking() {
    let mut stage = stage(&[Right::Steer]);
    stage.ok(OWNER, say("write tests"));
    stage.ok(2, say("shorter"));
    vote(&mut stage, OWNER, Choice::Approve).expect("approved");
    let message = stage.state.view().inbox[0].message;
    assert_eq!(stage.ok(2, Command::Withdraw { message }), ["message.withdrawn"]);
}

#[test]
fn redaction_erases_the_command_with_its_message_and_closes_what_waits() {
    let secret = "hunter2";
    let mut stage = stage(&[Right::Say]);
    stage.ok(2, say(&format!("@people the password is {secret}")));
    vote(&mut stage, OWNER, Choice::Approve).expect("approved");
    let message = stage.state.view().messages.back().expect("a message").id;
    stage.ok(OWNER, Command::Redact { target: RedactionTarget::Message(message), reason: None });
    rewrite(&mut stage);
    assert_eq!(leftovers(&stage, secret), Vec::<String>::new());

    stage.ok(2, say(&format!("@people again: {secret}")));
    let target = RedactionTarget::Participant { participant: id(2), content: true };
    let names = stage.ok(OWNER, Command::Redact { target, reason: None });
    assert!(names.contains(&"gate.closed".to_owned()), "{names:?}");
    let at = stage.log.iter().position(|event| name(event) == "participant.redacted").expect("is there");
    let after = stage.log.split_off(at + 1);
    rewrite(&mut stage);
    after.iter().for_each(|event| evolve(&mut stage.state, event));
    stage.log.extend(after);
    assert_eq!(leftovers(&stage, secret), Vec::<String>::new());
    assert_eq!(leftovers(&stage, "\"P2\""), Vec::<String>::new(), "nor the name of whoever asked");
    assert!(asked(&stage).is_empty());
}

#[test]
fn a_limited_token_asks_where_its_role_asks() {
    let mut stage = stage(&[]);
    let rule = RightRule { role: Role::Reviewer, right: Right::Steer, access: RightAccess::Ask };
    stage.ok(OWNER, set(json!({ "rights": [rule] })));
    let mut envelope = stage.envelope(2, say("write tests"));
    let CommandSender::Participant { max_role, .. } = &mut envelope.by else { unreachable!("a participant") };
    *max_role = Some(Role::Reviewer);
    assert_eq!(stage.decide(&envelope).expect("accepted"), ["gate.opened"]);
    vote(&mut stage, OWNER, Choice::Approve).expect("approved");
    assert_eq!(stage.texts(), ["P2: write tests"]);
    let AskedCommandData::Say { text, .. } = &stage
        .log
        .iter()
        .find_map(|event| match &event.fact {
            Fact::GateOpened { gate } => gate.command.clone(),
            _ => None,
        })
        .expect("a gate")
        .command
    else {
        panic!("a message")
    };
    assert_eq!(&**text, "write tests");
}
