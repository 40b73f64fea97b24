//! Group decisions: quorums, revisions, late votes, deadlines.

use roundtable::kernel::gate::{Choice, Quorum, SubjectId};
use roundtable::kernel::*;
use serde_json::json;

use super::harness::*;

fn start_at_gate(rule: Quorum) -> KernelHarness {
    let roles = [("Gen", AgentRole::Generator), ("Rev", AgentRole::Reviewer), ("Opt", AgentRole::Optimizer)];
    let mut harness = KernelHarness::with(team(&roles), settings(rule));
    harness.enter(2, Role::Member);
    harness.enter(3, Role::Reviewer);
    harness.enter(4, Role::Viewer);
    harness.reach_gate();
    harness
}

type QuorumCase = (Quorum, &'static [(u128, char)], &'static str);

/// Casts votes in order (`+` for, `-` against, `0` neutral) and returns the resulting state of the gate.
fn outcome(rule: Quorum, votes: &[(u128, char)]) -> &'static str {
    let mut harness = start_at_gate(rule);
    for (who, vote) in votes {
        let (choice, comment) = match vote {
            '+' => (Choice::Approve, None),
            '-' => (Choice::Reject, Some("no")),
            _ => (Choice::Abstain, None),
        };
        harness.vote(*who, choice, comment).expect("accepted");
    }
    match harness.writing_agents().first().map(String::as_str) {
        Some("Opt") => "approved",
        Some("Gen") => "rejected",
        _ => "open",
    }
}

#[test]
fn quorums_decide_as_soon_as_the_outcome_cannot_change() {
    let two = Quorum::AtLeast { n: 2, role: None };
    let reviewer = Quorum::Role { role: Role::Reviewer };
    let table: &[QuorumCase] = &[
        (Quorum::Any {}, &[(1, '+')], "approved"),
        (Quorum::Any {}, &[(3, '-')], "rejected"),
        (Quorum::Any {}, &[(1, '0')], "open"),
        (Quorum::All {}, &[(1, '+'), (2, '+')], "open"),
        (Quorum::All {}, &[(1, '+'), (2, '+'), (3, '+')], "approved"),
        (Quorum::All {}, &[(1, '+'), (2, '-')], "rejected"),
        (Quorum::All {}, &[(1, '+'), (2, '+'), (3, '0')], "open"),
        (two, &[(1, '+')], "open"),
        (two, &[(1, '+'), (1, '+')], "open"),
        (two, &[(1, '+'), (3, '+')], "approved"),
        (two, &[(1, '-')], "open"),
        (two, &[(1, '-'), (2, '-')], "rejected"),
        (two, &[(1, '-'), (1, '+'), (2, '+')], "approved"),
        (reviewer, &[(1, '+'), (2, '+')], "open"),
        (reviewer, &[(3, '+')], "approved"),
        (Quorum::Veto {}, &[(1, '+'), (2, '0')], "open"),
        (Quorum::Veto {}, &[(1, '+'), (2, '0'), (3, '+')], "approved"),
        (Quorum::Veto {}, &[(1, '+'), (2, '-')], "rejected"),
    ];
    for (rule, votes, expected) in table {
        assert_eq!(outcome(*rule, votes), *expected, "{rule:?} {votes:?}");
    }
}

#[test]
fn the_decision_lists_the_votes_that_made_it() {
    let mut harness = start_at_gate(Quorum::AtLeast { n: 2, role: None });
    harness.vote(1, Choice::Approve, None).expect("accepted");
    harness.vote(2, Choice::Approve, Some("good")).expect("accepted");
    let decided = harness.state.view().decided.back().expect("kept").clone();
    assert_eq!(decided.votes.len(), 2);
    assert_eq!(decided.votes[1].comment.as_deref(), Some("good"));
}

#[test]
fn a_late_vote_gets_the_decider_and_the_time() {
    let mut harness = start_at_gate(Quorum::Any {});
    let gate = harness.gate().id;
    harness.vote(3, Choice::Approve, None).expect("accepted");
    let late = harness
        .submit(1, Command::Vote { gate, rev: 1, choice: Choice::Approve, comment: None, edit: None, standing: None });
    let Err(Rejection::AlreadyDecided { decision, .. }) = late else { panic!("{late:?}") };
    assert_eq!(&*decision.by.name, "P3");
}

#[test]
fn a_vote_names_the_revision_it_saw() {
    let mut harness = start_at_gate(Quorum::Any {});
    let gate = harness.gate().id;
    let stale = harness
        .submit(1, Command::Vote { gate, rev: 7, choice: Choice::Approve, comment: None, edit: None, standing: None });
    assert_eq!(stale, Err(Rejection::StaleRevision { given: 7, current: 1 }));
    let never = stale.expect_err("is refused").to_string();
    assert_eq!(never, "the subject has no revision 7 yet; look at revision 1, then send it again");
    let unknown =
        Command::Vote { gate: GateId(999), rev: 1, choice: Choice::Approve, comment: None, edit: None, standing: None };
    assert_eq!(harness.submit(1, unknown), Err(Rejection::UnknownGate(GateId(999))));
    let stale = Command::Answer { rev: Some(7), gate, text: "add refunds".into() };
    assert_eq!(harness.submit(1, stale), Err(Rejection::StaleRevision { given: 7, current: 1 }));
    harness.ok(1, Command::Answer { rev: Some(1), gate, text: "add refunds".into() });
}

#[test]
fn a_gate_names_the_text_under_review() {
    let mut harness = start_at_gate(Quorum::Any {});
    let subject = harness.gate().subject.expect("something was written");
    let SubjectId::Message(judged) = subject.id else { panic!("is a message") };
    let judged = harness.state.view().message(judged).expect("kept").clone();
    assert_eq!((&*judged.text, &*subject.digest), ("remarks", &*blake3::hash(b"remarks").to_hex()));
    harness.ok(1, say("@Rev again"));
    harness.finish("other remarks");
    let next = harness.gate().subject.expect("something was written");
    assert_eq!(&*next.digest, &*blake3::hash(b"other remarks").to_hex());
    assert_ne!(next.id, subject.id);
}

#[test]
fn a_vote_without_the_right_is_rejected() {
    let mut harness = start_at_gate(Quorum::Any {});
    assert!(matches!(harness.vote(4, Choice::Approve, None), Err(Rejection::Forbidden { .. })));
    assert_eq!(harness.vote(5, Choice::Approve, None), Err(Rejection::NotAMember));
    assert_eq!(harness.vote(1, Choice::Reject, None), Err(Rejection::CommentRequired));
    assert_eq!(harness.vote(1, Choice::Reject, Some("  ")), Err(Rejection::CommentRequired));
    assert_eq!(harness.vote(1, Choice::Reject, Some("\u{200b}\u{feff}")), Err(Rejection::CommentRequired));
}

#[test]
fn rejections_reach_the_agents_as_messages_of_their_authors() {
    let mut harness = start_at_gate(Quorum::AtLeast { n: 2, role: None });
    harness.vote(1, Choice::Reject, Some("no limits tested, @P2 is right")).expect("accepted");
    harness.vote(3, Choice::Reject, Some("@Rev look again")).expect("accepted");
    assert_eq!(harness.writing_agents(), ["Rev"], "the comments' mentions count");
    let texts = harness.texts();
    assert_eq!(texts[texts.len() - 2..], ["P1: no limits tested, @P2 is right", "P3: @Rev look again"]);
    let view = harness.state.view();
    let run = view.active_run().expect("a run").id;
    let read = view.model_messages.iter().filter(|message| message.run == Some(run) && message.to.is_empty());
    assert!(read.clone().any(|message| message.text.starts_with("no limits")), "addressed to the agents");
}

#[test]
fn approving_text_of_non_voters_is_queued() {
    let mut harness = start_at_gate(Quorum::Any {});
    harness.enter(9, Role::Bot);
    assert_eq!(harness.ok(9, say("approve")), ["message.posted", "message.routed"]);
    assert_eq!((harness.phase(), harness.state.view().inbox.len()), (Phase::Waiting, 1));
}

#[test]
fn approving_text_of_bots_counts_where_their_votes_count() {
    let roles = [("Gen", AgentRole::Generator), ("Rev", AgentRole::Reviewer), ("Opt", AgentRole::Optimizer)];
    let mut harness = KernelHarness::with(team(&roles), Settings::default());
    harness.enter(9, Role::Bot);
    harness.ok(OWNER, set(json!({ "approval_rules": [{ "bots": true, "quorum": { "kind": "any" } }] })));
    harness.reach_gate();
    assert_eq!(harness.ok(9, say("approve"))[..3], ["message.posted", "message.routed", "gate.voted"]);
    assert!(harness.state.view().gates.is_empty(), "it decides");
}

#[test]
fn text_with_an_approval_reaches_the_optimizer() {
    let mut harness = start_at_gate(Quorum::Any {});
    harness.ok(1, say("同意，以上用例非常好"));
    let run = harness.state.view().active_run().expect("a run").clone();
    let input = run.round.input.expect("the words of the approval");
    assert_eq!(&*harness.state.view().message(input).expect("kept").text, "同意，以上用例非常好");
    assert!(run.round.approved);

    let mut harness = start_at_gate(Quorum::Any {});
    harness.vote(1, Choice::Approve, Some("cap amounts at 100")).expect("accepted");
    assert!(harness.state.view().active_run().expect("a run").round.input.is_some());
}

#[test]
fn an_approval_with_other_text_is_feedback() {
    for text in ["同意，先别发布", "Approve. No, wait", "同意，请精简", "同意 @Rev不要发布", "approve @all, never mind"]
    {
        let mut harness = start_at_gate(Quorum::Any {});
        harness.ok(1, say(text));
        let run = harness.state.view().active_run().expect("a run");
        assert!(!run.round.approved, "{text}");
        assert!(!harness.writing_agents().is_empty(), "{text}: its agents work on it");
    }
    for text in ["@all approve 👍", "@Rev同意"] {
        let mut harness = start_at_gate(Quorum::Any {});
        harness.ok(1, say(text));
        assert!(harness.state.view().active_run().expect("a run").round.approved, "{text}");
    }
}

#[test]
fn textual_feedback_decides_under_any_quorum() {
    let mut harness = start_at_gate(Quorum::All {});
    harness.vote(1, Choice::Approve, None).expect("accepted");
    harness.ok(2, say("@Gen add refunds"));
    assert_eq!(harness.writing_agents(), ["Gen"]);
    let gate = harness.state.view().decided.back().expect("kept").id;
    let answer = harness.submit(1, Command::Answer { rev: None, gate, text: "more".into() });
    assert!(matches!(answer, Err(Rejection::AlreadyDecided { .. })), "{answer:?}");
}

#[test]
fn an_answer_is_feedback_at_its_gate() {
    let mut harness = start_at_gate(Quorum::Any {});
    let gate = harness.gate().id;
    harness.ok(2, Command::Answer { rev: None, gate, text: "approve of nothing yet, add refunds".into() });
    assert_eq!(harness.writing_agents(), ["Gen"], "words at a gate are never read as a vote");
}

#[test]
fn a_gate_is_decided_when_its_last_open_voter_leaves() {
    let mut harness = start_at_gate(Quorum::All {});
    harness.vote(1, Choice::Approve, None).expect("accepted");
    harness.vote(2, Choice::Approve, None).expect("accepted");
    harness.ok(1, Command::Remove { participant: id(3) });
    assert_eq!(harness.writing_agents(), ["Opt"]);
}

#[test]
fn leaving_does_not_make_anybody_an_owner() {
    let mut harness = start_at_gate(Quorum::Role { role: Role::Owner });
    harness.vote(2, Choice::Approve, None).expect("a comment under this rule");
    harness.ok(2, Command::Leave);
    assert_eq!(harness.phase(), Phase::Waiting);

    let mut harness = start_at_gate(Quorum::All {});
    harness.vote(1, Choice::Approve, None).expect("accepted");
    harness.vote(2, Choice::Approve, None).expect("accepted");
    assert!(
        harness.ok(3, Command::Leave).contains(&"gate.decided".into()),
        "decided by the leaving, not by the next word"
    );
}

#[test]
fn an_administrators_vote_counts_after_their_command_too() {
    let mut harness = start_at_gate(Quorum::AtLeast { n: 2, role: None });
    let gate = harness.gate();
    let by = CommandSender::Participant {
        actor: person(8),
        id: "admin".parse().expect("an id"),
        granted_role: Some(Role::Owner),
        max_role: None,
    };
    let command =
        Command::Vote { gate: gate.id, rev: 1, choice: Choice::Approve, comment: None, edit: None, standing: None };
    let at = Timestamp::from_millis(harness.now);
    harness.decide(&Envelope { at, by, command }).expect("accepted");
    harness.vote(2, Choice::Approve, None).expect("accepted");
    assert_eq!(harness.writing_agents(), ["Opt"]);
}

#[test]
fn text_of_a_participant_who_cannot_decide_is_queued() {
    let mut harness = start_at_gate(Quorum::Role { role: Role::Owner });
    harness.enter(9, Role::Bot);
    for who in [3, 9] {
        harness.ok(who, say("looks odd"));
    }
    assert_eq!((harness.phase(), harness.state.view().inbox.len()), (Phase::Waiting, 2));
    let gate = harness.gate().id;
    assert!(matches!(
        harness.submit(3, Command::Answer { rev: None, gate, text: "odd".into() }),
        Err(Rejection::Forbidden { .. })
    ));
    harness.ok(1, say("mind what they said"));
    assert!(harness.state.view().inbox.is_empty(), "they go in with the next step");
}

#[test]
fn a_removed_participant_returns_only_by_an_owner() {
    let mut harness = start_at_gate(Quorum::Any {});
    harness.ok(1, Command::Remove { participant: id(3) });
    assert!(matches!(harness.submit(3, Command::Enter { role: Role::Reviewer }), Err(Rejection::Forbidden { .. })));
    let invite = Command::Invite {
        participant: id(3),
        kind: ActorKind::User,
        name: "P3".into(),
        role: Role::Reviewer,
        guest: false,
    };
    assert!(matches!(harness.submit(2, invite.clone()), Err(Rejection::Forbidden { .. })));
    harness.ok(1, invite);
    harness.ok(1, Command::SetRole { participant: id(3), role: Role::Viewer });
    harness.ok(3, Command::Enter { role: Role::Member });
    assert_eq!(harness.state.view().member(id(3)).expect("in").role, Role::Viewer, "an old link raises nobody");
}

#[test]
fn a_deadline_fails_the_run_or_approves_under_veto() {
    let roles = [("Gen", AgentRole::Generator), ("Rev", AgentRole::Reviewer), ("Opt", AgentRole::Optimizer)];
    for (rule, expected) in [(Quorum::Any {}, Phase::Failed), (Quorum::Veto {}, Phase::Executing)] {
        let mut harness = KernelHarness::with(team(&roles), Settings { gate_seconds: Some(60), ..settings(rule) });
        harness.enter(2, Role::Reviewer);
        harness.reach_gate();
        harness.now = harness.state.next_due().expect("a deadline").millis();
        harness.submit_as_orchestrator(Command::DeadlineReached);
        assert_eq!(harness.phase(), expected, "{rule:?}");
    }
}

#[test]
fn roles_are_granted_only_by_their_holders_and_one_owner_remains() {
    let mut harness = KernelHarness::new();
    harness.enter(2, Role::Member);
    let invite =
        |role| Command::Invite { participant: id(7), kind: ActorKind::User, name: "P7".into(), role, guest: false };
    assert!(matches!(harness.submit(2, invite(Role::Owner)), Err(Rejection::Forbidden { .. })));
    harness.ok(2, invite(Role::Reviewer));
    assert!(
        matches!(harness.submit(2, invite(Role::Member)), Err(Rejection::Invalid(_))),
        "in already: said, not ignored"
    );
    assert!(matches!(harness.submit(2, Command::Remove { participant: id(7) }), Err(Rejection::Forbidden { .. })));
    assert_eq!(harness.submit(OWNER, Command::Leave), Err(Rejection::LastOwner));
    let demote = Command::SetRole { participant: id(OWNER), role: Role::Viewer };
    assert_eq!(harness.submit(OWNER, demote), Err(Rejection::LastOwner));
    // Bots do not decide, so a bot as the only other owner is not enough.
    let (kind, name, role) = (ActorKind::Bot, "P8".into(), Role::Owner);
    harness.ok(OWNER, Command::Invite { participant: id(8), kind, name, role, guest: false });
    assert_eq!(harness.submit(OWNER, Command::Leave), Err(Rejection::LastOwner));
    harness.ok(OWNER, Command::Remove { participant: id(8) });
    harness.ok(OWNER, Command::SetRole { participant: id(2), role: Role::Owner });
    harness.ok(OWNER, Command::Leave);
    assert_eq!(harness.submit(OWNER, say("still here?")), Err(Rejection::NotAMember));
}

#[test]
fn a_closed_session_accepts_no_commands() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, Command::Close { reason: "done".into() });
    assert_eq!(harness.submit(OWNER, say("hello")), Err(Rejection::SessionClosed));
}

#[test]
fn events_keep_the_role_of_their_author() {
    let mut harness = start_at_gate(Quorum::AtLeast { n: 2, role: None });
    harness.vote(3, Choice::Approve, None).expect("accepted");
    harness.ok(OWNER, Command::SetRole { participant: id(3), role: Role::Viewer });
    harness.ok(OWNER, Command::SetRole { participant: id(2), role: Role::Reviewer });
    harness.vote(2, Choice::Approve, None).expect("accepted");
    let by = |name: &str, who: u128| {
        let of = |event: &&Event| {
            event.by.participant_id() == Some(id(who)) && super::harness::name(event).starts_with(name)
        };
        harness.log.iter().rfind(of).expect("in the log").by.role
    };
    assert_eq!((by("gate.voted", 3), by("gate.voted", 2)), (Some(Role::Reviewer), Some(Role::Reviewer)));
    assert_eq!(by("participant.role_changed", 1), Some(Role::Owner));
    let first = harness.state.view().messages.front().expect("the first words");
    assert_eq!((first.by.kind, first.by.role), (ActorKind::User, Some(Role::Owner)));
    let agents = harness.log.iter().filter(|event| event.by.kind != ActorKind::User);
    assert!(agents.clone().count() > 0 && agents.clone().all(|event| event.by.role.is_none()));
}
