//! Commands that need the owners' approval: the session runs exactly what the owners approved, once, on behalf of the
//! participant who asked.

use roundtable::kernel::gate::{
    AskedCommand, AskedCommandData, Choice, CommandFailure, Gate, GateKind, Outcome, Quorum,
};
use roundtable::kernel::*;
use serde_json::json;

use super::files::{FILE_LIMITS, add};
use super::harness::*;
use super::redaction::{remaining_places, rewrite};

/// Starts a session whose members must ask for these rights. P1 and P4 are owners; P2 and P3 are members.
fn start_session(rights: &[Right]) -> KernelHarness {
    let mut harness = KernelHarness::new();
    harness.enter(2, Role::Member);
    harness.enter(3, Role::Member);
    harness.enter(4, Role::Owner);
    require_approval(&mut harness, rights);
    harness
}

/// Requires members to ask for these rights from now on.
fn require_approval(harness: &mut KernelHarness, rights: &[Right]) {
    let rules: Vec<_> =
        rights.iter().map(|right| RightRule { role: Role::Member, right: *right, access: RightAccess::Ask }).collect();
    harness.ok(OWNER, set(json!({ "rights": rules })));
}

fn invite(who: u128, role: Role) -> Command {
    Command::Invite { participant: id(who), kind: ActorKind::User, name: person(who).name, role, guest: false }
}

fn command_gates(harness: &KernelHarness) -> Vec<Gate> {
    harness.state.view().gates.iter().filter(|gate| gate.kind == GateKind::Command).cloned().collect()
}

/// Votes at the newest gate about a command.
fn vote(harness: &mut KernelHarness, by: u128, choice: Choice) -> Result<Vec<String>, Rejection> {
    let gate = command_gates(harness).pop().expect("a gate about a command");
    harness.submit(by, Command::Vote { gate: gate.id, rev: 1, choice, comment: None, edit: None, standing: None })
}

fn last_decision(harness: &KernelHarness) -> gate::Decision {
    let gate = harness.state.view().decided.back().expect("a gate that ended");
    gate.decision.clone().expect("a decision")
}

#[test]
fn an_approved_command_runs_as_its_requester() {
    let mut harness = start_session(&[Right::Steer]);
    assert_eq!(harness.ok(2, say("write tests")), ["gate.opened"]);
    let opened = harness.log.last().expect("an event").clone();
    assert_eq!((&opened.by.id, opened.run), (&person(2).id, None), "whoever asks opens the gate");
    assert!(harness.state.view().messages.is_empty() && harness.state.view().run.is_none(), "nothing happens before");
    let gate = command_gates(&harness).remove(0);
    assert_eq!((gate.eligible, gate.quorum), (vec![Role::Owner], Quorum::Any {}));

    let names = vote(&mut harness, OWNER, Choice::Approve).expect("an owner decides");
    assert_eq!(names[..4], ["gate.voted", "gate.decided", "message.posted", "message.routed"]);
    assert!(names.contains(&"run.started".to_owned()), "{names:?}");
    assert_eq!(harness.texts(), ["P2: write tests"]);
    let seq_of = |wanted: &str| harness.log.iter().find(|event| name(event) == wanted).expect("is there").seq;
    let posted = harness.log.iter().find(|event| name(event) == "message.posted").expect("is there");
    assert_eq!(posted.cause, Some(Cause::Seq(seq_of("gate.decided"))), "its cause is the decision");
    assert_eq!(last_decision(&harness).by.id, person(OWNER).id);
    let run = harness.state.view().run.as_ref().expect("a run");
    assert_eq!(run.directed_by, [id(2)], "the owner only allowed it");
}

#[test]
fn a_repeated_vote_gets_the_seq_after_the_command_that_it_approved() {
    for right in [Right::Steer, Right::Say] {
        let mut harness = start_session(&[right]);
        harness.ok(2, say(if right == Right::Say { "@people hello" } else { "write tests" }));
        let gate = command_gates(&harness).remove(0).id;
        let vote = Command::Vote { gate, rev: 1, choice: Choice::Approve, comment: None, edit: None, standing: None };
        let envelope = harness.envelope(OWNER, vote);
        harness.decide(&envelope).expect("an owner decides");
        assert_ne!(name(harness.log.last().expect("an event")), "gate.decided", "it let something through");
        let again = decide(&harness.state, &envelope).expect("counts once");
        let CommandOutcome::Repeated(seq) = again else { panic!("{right:?}: it counts again") };
        assert_eq!(seq, harness.state.seq(), "{right:?}");
    }
}

#[test]
fn the_executed_command_is_exactly_the_approved_one() {
    let file = |harness: &mut KernelHarness| {
        harness.ok(OWNER, add("a.md", "one"));
        vec![harness.state.view().files[0].id]
    };
    type CommandFn = Box<dyn Fn(&mut KernelHarness) -> Command>;
    let cases: Vec<(&str, CommandFn)> = vec![
        ("idle", Box::new(|_| say("@Gen write 1,000 tests"))),
        (
            "idle",
            Box::new(move |harness| {
                let files = file(harness);
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
        ("idle", Box::new(|_| invite(9, Role::Viewer))),
        ("running", Box::new(|_| steer("shorter"))),
        ("running", Box::new(|harness| harness.pause())),
        ("running", Box::new(|harness| harness.interrupt(Some("rather so")))),
        ("running", Box::new(|harness| harness.interrupt(None))),
        ("running", Box::new(|harness| harness.cancel(Some("begin again")))),
        ("paused", Box::new(|harness| harness.resume())),
    ];
    for (place, command) in cases {
        let prepared = || {
            let mut harness = start_session(&[]);
            if place != "idle" {
                harness.ok(OWNER, say("write tests"));
            }
            if place == "paused" {
                harness.ok(OWNER, harness.pause());
            }
            harness
        };
        // Events as text, without ids and times, so that a command with approval can be compared to the same command
        // without it.
        let plain = |log: &[Event]| -> Vec<String> {
            let text = |event: &Event| {
                let wire = serde_json::to_value(event).expect("JSON");
                let fields =
                    ["text", "to", "files", "waiting", "verb", "reason", "participant", "role", "name", "kind"];
                let input = fields.map(|field| wire["data"][field].to_string());
                format!("{} by {}: {}", name(event), event.by.name, input.join(" "))
            };
            log.iter().map(text).collect()
        };
        let mut direct = prepared();
        let sent = command(&mut direct);
        // Both sessions have the same ids, so the command is also valid in the other session, where it needs approval.
        let from = direct.log.len();
        let mut other = prepared();
        assert_eq!(format!("{sent:?}"), format!("{:?}", command(&mut other)));
        direct.ok(2, sent.clone());
        require_approval(&mut other, &[Right::Say, Right::Steer, Right::Interrupt, Right::Invite]);
        assert_eq!(other.ok(2, sent.clone()), ["gate.opened"], "{sent:?}");
        let before = other.log.len();
        vote(&mut other, OWNER, Choice::Approve).expect("approved");
        // The vote and the decision come first.
        assert_eq!(plain(&other.log[before + 2..]), plain(&direct.log[from..]), "{sent:?}");
        assert!(last_decision(&other).failure.is_none(), "{sent:?}");
        assert!(command_gates(&other).is_empty());
    }
}

#[test]
fn a_rejected_expired_or_withdrawn_command_does_nothing() {
    let mut harness = start_session(&[Right::Steer]);
    harness.ok(OWNER, set(json!({ "gate_seconds": 30 })));
    harness.ok(2, say("one"));
    assert_eq!(vote(&mut harness, OWNER, Choice::Reject).expect("no reason is needed"), ["gate.voted", "gate.decided"]);
    assert_eq!(
        (last_decision(&harness).outcome, &*last_decision(&harness).by.id),
        (Outcome::Rejected, &*person(OWNER).id)
    );

    harness.ok(2, say("one"));
    let gate = command_gates(&harness).remove(0);
    let withdraw = Command::WithdrawCommand { gate: gate.id };
    assert_eq!(harness.submit(3, withdraw.clone()), Err(Rejection::NotTheAuthor));
    assert_eq!(harness.submit(OWNER, withdraw.clone()), Err(Rejection::NotTheAuthor), "an owner refuses it");
    assert_eq!(harness.ok(2, withdraw.clone()), ["gate.decided"]);
    assert_eq!(
        (last_decision(&harness).outcome, &*last_decision(&harness).by.id),
        (Outcome::Withdrawn, &*person(2).id)
    );
    assert!(matches!(harness.submit(2, withdraw), Err(Rejection::AlreadyDecided { .. })));
    assert!(matches!(
        harness.submit(2, Command::WithdrawCommand { gate: GateId(999) }),
        Err(Rejection::UnknownGate(_))
    ));

    harness.ok(2, say("one"));
    // No run is in progress, but the deadline still applies.
    harness.now = harness.state.next_due().expect("a deadline").millis();
    assert!(harness.state.is_unfinished(), "also after a restart");
    assert_eq!(harness.submit_as_orchestrator(Command::DeadlineReached), ["gate.expired"]);
    assert!(harness.state.view().messages.is_empty() && harness.state.view().run.is_none());
}

#[test]
fn silence_never_grants_a_right() {
    let mut harness = start_session(&[Right::Steer]);
    // Under this quorum, silence means approval at gates of other kinds.
    let rule = json!({ "gate": "command", "quorum": { "kind": "veto" }, "deadline_seconds": 5 });
    harness.ok(OWNER, set(json!({ "approval_rules": [rule] })));
    harness.ok(2, say("one"));
    harness.now += 5_000;
    assert_eq!(harness.submit_as_orchestrator(Command::DeadlineReached), ["gate.expired"]);
}

#[test]
fn only_owners_decide_and_a_session_rule_sets_the_quorum() {
    let mut harness = start_session(&[Right::Steer]);
    // The default quorum requires more people than there are owners.
    harness.ok(OWNER, set(json!({ "approval": { "kind": "at_least", "n": 4 } })));
    harness.ok(2, say("one"));
    for by in [2, 3] {
        let refused = vote(&mut harness, by, Choice::Approve);
        assert!(matches!(refused, Err(Rejection::Forbidden { right: Right::Approve, .. })), "{refused:?}");
    }
    vote(&mut harness, OWNER, Choice::Approve).expect("one owner decides");
    harness.ok(OWNER, harness.cancel(None));
    harness.stop("");

    let rule = |quorum| set(json!({ "approval_rules": [{ "gate": "command", "quorum": quorum }] }));
    harness.ok(OWNER, rule(json!({ "kind": "at_least", "n": 2 })));
    harness.ok(2, say("two"));
    assert_eq!(vote(&mut harness, OWNER, Choice::Approve).expect("an owner votes"), ["gate.voted"]);
    assert!(vote(&mut harness, 4, Choice::Approve).expect("the other owner").contains(&"message.posted".to_owned()));
    for wrong in [
        rule(json!({ "kind": "at_least", "n": 3 })),
        rule(json!({ "kind": "role", "role": "member" })),
        set(json!({ "approval_rules": [{ "gate": "command", "quorum": { "kind": "any" }, "bots": true }] })),
        set(json!({ "approval_rules": [{ "gate": "command", "quorum": { "kind": "any" }, "separate_duties": true }] })),
    ] {
        assert!(matches!(harness.submit(OWNER, wrong.clone()), Err(Rejection::Invalid(_))), "{wrong:?}");
    }
}

#[test]
fn the_right_is_checked_again_when_the_command_runs() {
    let deny = |right| RightRule { role: Role::Member, right, access: RightAccess::Deny };
    for change in
        [set(json!({ "rights": [deny(Right::Steer)] })), Command::SetRole { participant: id(2), role: Role::Viewer }]
    {
        let mut harness = start_session(&[Right::Steer]);
        harness.ok(2, say("write tests"));
        harness.ok(OWNER, change);
        assert_eq!(vote(&mut harness, OWNER, Choice::Approve).expect("a vote"), ["gate.voted", "gate.decided"]);
        assert_eq!(last_decision(&harness).failure, Some(CommandFailure::NotAllowed));
        assert!(harness.state.view().messages.is_empty());
    }
    // If the participant has gained the right in the meantime, the command runs.
    let mut harness = start_session(&[Right::Steer]);
    harness.ok(2, say("write tests"));
    require_approval(&mut harness, &[]);
    vote(&mut harness, OWNER, Choice::Approve).expect("a vote");
    assert_eq!(harness.texts(), ["P2: write tests"]);
}

#[test]
fn the_command_of_a_barred_participant_is_not_carried_out() {
    for (barred, failure, texts) in [([id(2)].into(), Some(CommandFailure::NotAllowed), 0), ([id(3)].into(), None, 1)] {
        let mut harness = start_session(&[Right::Steer]);
        harness.ok(2, say("write tests"));
        let gate = command_gates(&harness).remove(0).id;
        let choice = Choice::Approve;
        let vote = Command::Vote { gate, rev: 1, choice, comment: None, edit: None, standing: None };
        let envelope = harness.envelope(OWNER, vote);
        let decided = decide_barring(&harness.state, &envelope, &barred).expect("a vote");
        let CommandOutcome::Events { next, .. } = decided else { panic!("applies") };
        let ended = next.view().decided.back().and_then(|gate| gate.decision.clone()).expect("a decision");
        assert_eq!((ended.outcome, ended.failure), (Outcome::Approved, failure));
        assert_eq!(next.view().messages.len(), texts);
    }
}

#[test]
fn obsolete_requests_are_closed() {
    // The participant who asked was removed or has left.
    for departure in [(OWNER, Command::Remove { participant: id(2) }), (2, Command::Leave)] {
        let mut harness = start_session(&[Right::Steer]);
        harness.ok(2, say("write tests"));
        assert_eq!(harness.ok(departure.0, departure.1), ["participant.left", "gate.closed"]);
        assert!(command_gates(&harness).is_empty());
    }
    // The run that the interrupt refers to has ended. The request to send a message stays open, and the message starts
    // the next run.
    let mut harness = start_session(&[Right::Steer, Right::Interrupt]);
    harness.ok(OWNER, say("write tests"));
    harness.ok(2, harness.interrupt(Some("shorter")));
    harness.ok(3, say("more of it"));
    harness.ok(OWNER, harness.cancel(None));
    let names = harness.stop("");
    assert_eq!(names.iter().filter(|name| *name == "gate.closed").count(), 1, "{names:?}");
    assert_eq!(command_gates(&harness).len(), 1);
    vote(&mut harness, OWNER, Choice::Approve).expect("approved");
    assert_eq!(harness.state.view().active_run().expect("a new run").started_by.map(|by| by.0), Some(id(3)));
    // The session is closed.
    let mut harness = self::start_session(&[Right::Steer]);
    harness.ok(2, say("write tests"));
    assert_eq!(harness.ok(OWNER, Command::Close { reason: "done".into() }), ["gate.closed", "session.closed"]);
}

#[test]
fn a_command_whose_target_is_over_only_records_its_failure() {
    let mut harness = start_session(&[Right::Interrupt]);
    harness.ok(OWNER, say("write tests"));
    let step = harness.state.view().active_run().expect("a run").step;
    harness.ok(2, Command::Interrupt { run: harness.run(), step, message: None, text: None });
    harness.ok(3, harness.pause());
    harness.finish("cases");
    let first = command_gates(&harness).remove(0);
    let approve =
        Command::Vote { gate: first.id, rev: 1, choice: Choice::Approve, comment: None, edit: None, standing: None };
    assert_eq!(harness.ok(OWNER, approve), ["gate.voted", "gate.decided"]);
    assert_eq!(last_decision(&harness).failure, Some(CommandFailure::TargetOver));
    harness.ok(OWNER, harness.pause());
    assert_eq!(vote(&mut harness, OWNER, Choice::Approve).expect("a vote"), ["gate.voted", "gate.decided"]);
    assert_eq!(last_decision(&harness).failure, Some(CommandFailure::NothingToDo));
}

#[test]
fn invalid_commands_are_rejected_without_asking_owners() {
    let mut harness = start_session(&[Right::Say, Right::Steer, Right::Interrupt]);
    assert_eq!(harness.submit(2, harness.pause()), Err(Rejection::NoRun));
    assert!(matches!(harness.submit(2, say("")), Err(Rejection::Invalid(_))));
    // Participants cannot ask to change files, or to send commands that only programs send.
    let forbidden = [
        add("a.md", "one"),
        Command::RemoveFile { name: "a.md".parse().expect("a name") },
        Command::RestoreFile { file: FileId(1), limits: FILE_LIMITS },
        super::requests::start(true),
    ];
    for command in forbidden {
        let refused = harness.submit(2, command.clone());
        assert!(matches!(refused, Err(Rejection::Forbidden { .. })), "{command:?}: {refused:?}");
    }
    // A denied right stays denied, whatever other rights the command requires.
    let rule = |right, access| RightRule { role: Role::Member, right, access };
    harness.ok(
        OWNER,
        set(json!({ "rights": [rule(Right::Interrupt, RightAccess::Ask), rule(Right::Steer, RightAccess::Deny)] })),
    );
    harness.ok(OWNER, say("write tests"));
    let refused = harness.submit(2, harness.interrupt(Some("shorter")));
    assert!(matches!(refused, Err(Rejection::Forbidden { right: Right::Steer, .. })), "{refused:?}");
    assert!(command_gates(&harness).is_empty());
}

#[test]
fn open_requests_of_a_participant_are_limited_and_distinct() {
    let mut harness = start_session(&[Right::Steer]);
    let first = harness.envelope(2, say("one"));
    assert_eq!(harness.decide(&first).expect("accepted"), ["gate.opened"]);
    assert_eq!(harness.decide(&first).expect("accepted"), ["repeated"], "a command counts once");
    assert_eq!(harness.submit(2, say("one")), Err(Rejection::AlreadyAsked));
    for n in 1..AskedCommand::MAX_OPEN {
        harness.ok(2, say(&format!("another {n}")));
    }
    assert_eq!(harness.submit(2, say("too many")), Err(Rejection::TooManyAsked { limit: AskedCommand::MAX_OPEN }));
    assert_eq!(harness.ok(3, say("one")), ["gate.opened"], "others ask as well");
    vote(&mut harness, OWNER, Choice::Approve).expect("approved");
    assert_eq!(harness.decide(&first).expect("accepted"), ["repeated"], "also after others were carried out");
}

#[test]
fn an_approved_message_is_never_a_vote_or_an_answer() {
    let mut harness = start_session(&[Right::Steer]);
    harness.ok(2, say("approve"));
    harness.reach_gate();
    let gate = harness.gate();
    assert_eq!(harness.state.view().gates.len(), 2, "a gate of the run, and the command");
    vote(&mut harness, OWNER, Choice::Approve).expect("approved");
    assert!(harness.state.view().gates.iter().any(|open| open.id == gate.id || open.kind == GateKind::Feedback));
    assert_eq!(harness.state.view().inbox.len(), 1, "it waits for the next step as any message does");
}

#[test]
fn a_queued_message_can_be_withdrawn_without_approval() {
    let mut harness = start_session(&[Right::Steer]);
    harness.ok(OWNER, say("write tests"));
    harness.ok(2, say("shorter"));
    vote(&mut harness, OWNER, Choice::Approve).expect("approved");
    let message = harness.state.view().inbox[0].message;
    assert_eq!(harness.ok(2, Command::Withdraw { message }), ["message.withdrawn"]);
}

#[test]
fn redaction_erases_the_command_and_closes_its_gate() {
    let secret = "hunter2";
    let mut harness = start_session(&[Right::Say]);
    harness.ok(2, say(&format!("@people the password is {secret}")));
    vote(&mut harness, OWNER, Choice::Approve).expect("approved");
    let message = harness.state.view().messages.back().expect("a message").id;
    harness.ok(OWNER, Command::Redact { target: RedactionTarget::Message(message), reason: None });
    rewrite(&mut harness);
    assert_eq!(remaining_places(&harness, secret), Vec::<String>::new());

    harness.ok(2, say(&format!("@people again: {secret}")));
    let target = RedactionTarget::Participant { participant: id(2), content: true };
    let names = harness.ok(OWNER, Command::Redact { target, reason: None });
    assert!(names.contains(&"gate.closed".to_owned()), "{names:?}");
    let at = harness.log.iter().position(|event| name(event) == "participant.redacted").expect("is there");
    let after = harness.log.split_off(at + 1);
    rewrite(&mut harness);
    after.iter().for_each(|event| evolve(&mut harness.state, event));
    harness.log.extend(after);
    assert_eq!(remaining_places(&harness, secret), Vec::<String>::new());
    assert_eq!(remaining_places(&harness, "\"P2\""), Vec::<String>::new(), "nor the name of whoever asked");
    assert!(command_gates(&harness).is_empty());
}

#[test]
fn a_limited_token_needs_approval_like_its_role() {
    let mut harness = start_session(&[]);
    let rule = RightRule { role: Role::Reviewer, right: Right::Steer, access: RightAccess::Ask };
    harness.ok(OWNER, set(json!({ "rights": [rule] })));
    let mut envelope = harness.envelope(2, say("write tests"));
    let CommandSender::Participant { max_role, .. } = &mut envelope.by else { unreachable!("a participant") };
    *max_role = Some(Role::Reviewer);
    assert_eq!(harness.decide(&envelope).expect("accepted"), ["gate.opened"]);
    vote(&mut harness, OWNER, Choice::Approve).expect("approved");
    assert_eq!(harness.texts(), ["P2: write tests"]);
    let AskedCommandData::Say { text, .. } = &harness
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

#[test]
fn an_invitation_waits_for_the_owners_and_gives_no_more_than_the_rights_of_its_sender() {
    let mut harness = start_session(&[Right::Invite]);
    assert_eq!(harness.ok(2, invite(9, Role::Viewer)), ["gate.opened"]);
    assert!(harness.state.view().member(id(9)).is_none(), "nobody joins before");
    assert_eq!(harness.submit(2, invite(9, Role::Viewer)), Err(Rejection::AlreadyAsked));
    let owner = harness.submit(2, invite(10, Role::Owner));
    assert!(matches!(owner, Err(Rejection::Forbidden { right: Right::Invite, .. })), "{owner:?}");
    // At the time of the approval, the participant's role can no longer ask for this right.
    harness.ok(OWNER, Command::SetRole { participant: id(2), role: Role::Viewer });
    vote(&mut harness, OWNER, Choice::Approve).expect("an owner decides");
    assert_eq!(last_decision(&harness).failure, Some(CommandFailure::NotAllowed));
    assert!(harness.state.view().member(id(9)).is_none());

    harness.ok(OWNER, Command::SetRole { participant: id(2), role: Role::Member });
    harness.ok(2, invite(9, Role::Viewer));
    vote(&mut harness, OWNER, Choice::Approve).expect("an owner decides");
    assert_eq!(harness.state.view().member(id(9)).map(|member| member.role), Some(Role::Viewer));

    // A person whose name has been redacted is not added under that name.
    harness.ok(2, invite(10, Role::Viewer));
    let target = RedactionTarget::Participant { participant: id(10), content: false };
    harness.ok(OWNER, Command::Redact { target, reason: None });
    assert!(command_gates(&harness).is_empty());

    // Another request must not bring the name back, even if the request was in flight during the redaction.
    harness.ok(2, invite(10, Role::Viewer));
    let gate = command_gates(&harness).remove(0);
    let AskedCommandData::Invite { name, .. } = &gate.command.expect("a command").command else {
        panic!("an invitation")
    };
    assert_eq!(&**name, REDACTED);
}
