//! Rights: every role × every command × every state, by default and under a session's rules.

use std::collections::BTreeSet;

use roundtable::kernel::gate::{BatchedVote, Choice, CommentTarget, Quorum};
use roundtable::kernel::*;
use roundtable::protocol::CommandData;
use serde_json::json;

use super::call_gates::{call_twice, worker};
use super::files::{FILE_LIMITS, add};
use super::harness::*;
use super::scripted_runner::ScriptedRunner;

/// Rights that a rule can change.
const CHANGEABLE: [Right; 7] =
    [Right::Say, Right::Steer, Right::Answer, Right::Approve, Right::Edit, Right::Interrupt, Right::Invite];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SessionPhase {
    Idle,
    Running,
    Paused,
    /// The run waits for a decision on its result.
    Gate,
    /// A call waits for a decision, while the run continues.
    CallGate,
    Closed,
}

impl SessionPhase {
    const ALL: [Self; 6] = [Self::Idle, Self::Running, Self::Paused, Self::Gate, Self::CallGate, Self::Closed];
}

/// Starts a session in this phase, with one participant of each role, in the order of `Role::ALL`. The first is the
/// owner.
fn start_session(place: SessionPhase, rights: &[RightRule]) -> KernelHarness {
    if place == SessionPhase::CallGate {
        return start_call_gate(rights);
    }
    let roles = [("Gen", AgentRole::Generator), ("Rev", AgentRole::Reviewer), ("Opt", AgentRole::Optimizer)];
    let mut harness = KernelHarness::with(team(&roles), Settings { rights: rights.to_vec(), ..Settings::default() });
    for (n, role) in (1..).zip(Role::ALL).skip(1) {
        harness.enter(n, role);
    }
    match place {
        SessionPhase::Idle => {}
        SessionPhase::Running => drop(harness.ok(OWNER, say("write tests"))),
        SessionPhase::Paused => {
            harness.ok(OWNER, say("write tests"));
            harness.ok(OWNER, harness.pause());
        }
        SessionPhase::Gate => harness.reach_gate(),
        SessionPhase::CallGate => unreachable!("another team"),
        SessionPhase::Closed => drop(harness.ok(OWNER, Command::Close { reason: "done".into() })),
    }
    harness
}

/// Starts a session in which a call waits for a decision, with one participant of each role.
fn start_call_gate(rights: &[RightRule]) -> KernelHarness {
    let mut runner = ScriptedRunner::new(worker(), call_twice).ask_before_calls();
    runner.harness.ok(OWNER, set(json!({ "rights": rights })));
    for (n, role) in (1..).zip(Role::ALL).skip(1) {
        runner.harness.enter(n, role);
    }
    runner.begin("write tests");
    while runner.harness.state.view().gates.is_empty() {
        assert!(runner.step());
    }
    runner.harness
}

/// Returns one command of each name, and both variants of those that have two meanings.
fn commands(harness: &KernelHarness) -> Vec<(&'static str, Command)> {
    let view = harness.state.view();
    let gate = view.gates.first().map_or(GateId(1), |gate| gate.id);
    let member = id(4);
    let vote = Command::Vote { gate, rev: 1, choice: Choice::Approve, comment: None, edit: None, standing: None };
    let comment = |target| Command::Comment { gate, rev: 1, target, text: "why?".into() };
    let viewer = Role::Viewer;
    vec![
        ("say", say("@people hello")),
        ("say", say("more of it")),
        ("withdraw", Command::Withdraw { message: MessageId(1) }),
        ("withdraw_command", Command::WithdrawCommand { gate }),
        ("start", super::requests::start(false)),
        ("start", Command::Start { flow: None, input: "go".into(), files: vec![], earlier: vec![], request: None }),
        ("vote", vote),
        ("vote_batch", Command::VoteBatch { votes: vec![BatchedVote { gate, rev: 1, choice: Choice::Approve }] }),
        ("withdraw_vote", Command::WithdrawVote { gate }),
        ("delegate_votes", Command::DelegateVotes { to: None, until: None }),
        ("comment", comment(CommentTarget::Subject { path: "".into(), line: None })),
        ("comment", comment(CommentTarget::File { file: FileId(1), line: None })),
        ("resolve_comment", Command::ResolveComment { gate, thread: MessageId(1), resolved: true }),
        ("delete_comment", Command::DeleteComment { gate, comment: MessageId(1) }),
        ("answer", Command::Answer { rev: None, gate, text: "more of it".into() }),
        ("propose_rule", Command::ProposeRule { suggestion: "0".into() }),
        ("revoke_permission", Command::RevokePermission { permission: PermissionId(1) }),
        ("pause", harness.pause()),
        ("resume", harness.resume()),
        ("interrupt", harness.interrupt(None)),
        ("interrupt", harness.interrupt(Some("rather so"))),
        ("cancel", harness.cancel(None)),
        (
            "invite",
            Command::Invite {
                participant: id(9),
                kind: ActorKind::User,
                name: "P9".into(),
                role: viewer,
                guest: false,
            },
        ),
        ("set_role", Command::SetRole { participant: member, role: viewer }),
        ("admit", Command::Admit { participant: id(9) }),
        ("refuse", Command::Refuse { participant: id(9) }),
        ("remove", Command::Remove { participant: member }),
        ("leave", Command::Leave),
        ("set", set(json!({ "max_retries": 1 }))),
        ("remove_file", Command::RemoveFile { name: "a.md".parse().expect("a name") }),
        ("restore_file", Command::RestoreFile { file: FileId(1), limits: FILE_LIMITS }),
        ("redact", Command::Redact { target: RedactionTarget::Message(MessageId(1)), reason: None }),
        ("close", Command::Close { reason: "done".into() }),
        ("add_file", add("a.md", "one")),
    ]
}

/// Returns whether the role has the right according to the rules alone, without the function that the kernel uses.
fn allows(settings: &Settings, role: Role, right: Right) -> bool {
    let rule = settings.rights.iter().find(|rule| (rule.role, rule.right) == (role, right));
    rule.map_or(role.default_rights().contains(&right), |rule| rule.access == RightAccess::Allow)
}

/// Returns whether the rules let the role send the command in this phase. Written independently of the kernel, from the
/// table in docs/people.md.
fn expected(settings: &Settings, role: Role, place: SessionPhase, name: &str, command: &Command) -> bool {
    let may = |right| allows(settings, role, right);
    // Without an approval rule, the voters of the gate are all participants who may approve.
    let votes = may(Right::Approve);
    match (name, command) {
        ("say", Command::Say { text, .. }) if text.starts_with("@people") => may(Right::Say),
        ("say", _) if place == SessionPhase::Gate && votes => may(Right::Answer),
        ("say" | "withdraw" | "start", _) => may(Right::Steer),
        ("vote" | "vote_batch" | "withdraw_vote" | "delegate_votes" | "propose_rule" | "revoke_permission", _) => {
            may(Right::Approve)
        }
        ("comment" | "resolve_comment" | "delete_comment", _) => may(Right::Answer),
        ("answer", _) => may(Right::Answer) && (votes || !matches!(place, SessionPhase::Gate | SessionPhase::CallGate)),
        ("interrupt", Command::Interrupt { text: Some(_), .. })
            if matches!(place, SessionPhase::Running | SessionPhase::Paused | SessionPhase::CallGate) =>
        {
            may(Right::Interrupt) && may(Right::Steer)
        }
        ("pause" | "resume" | "interrupt" | "cancel", _) => may(Right::Interrupt),
        ("invite", _) => {
            may(Right::Invite)
                && Right::ALL.into_iter().all(|right| may(right) || !allows(settings, Role::Viewer, right))
        }
        ("set_role" | "admit" | "refuse" | "remove" | "set" | "redact" | "close", _) => may(Right::Manage),
        ("remove_file" | "restore_file" | "add_file", _) => may(Right::Say),
        ("leave" | "withdraw_command", _) => true,
        other => panic!("say here which right {} takes", other.0),
    }
}

/// Result of the rules for a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CommandAccess {
    Yes,
    /// The owners are asked, unless the command is rejected for another reason, and nothing else happens.
    Asks,
    No,
}

/// Returns how restricted the right is for the role: 0 if it has the right, 1 if it must ask, 2 if it lacks it.
fn strictness(settings: &Settings, role: Role, right: Right) -> u8 {
    let asks = |rule: &RightRule| (rule.role, rule.right, rule.access) == (role, right, RightAccess::Ask);
    match allows(settings, role, right) {
        true => 0,
        false => 2 - u8::from(settings.rights.iter().any(asks)),
    }
}

/// Returns the result of the rules: the owners are asked if the command is allowed with the rights that the role must
/// ask for, but forbidden without them.
fn expected_access(
    settings: &Settings,
    role: Role,
    place: SessionPhase,
    name: &str,
    command: &Command,
) -> CommandAccess {
    let with = |access| {
        let mut settings = settings.clone();
        settings.rights.iter_mut().filter(|rule| rule.access == RightAccess::Ask).for_each(|rule| rule.access = access);
        expected(&settings, role, place, name, command)
    };
    if name == "invite" {
        // Nobody can grant a role with fewer restrictions than their own.
        let covers = |right| strictness(settings, role, right) <= strictness(settings, Role::Viewer, right);
        return match strictness(settings, role, Right::Invite) {
            0 if Right::ALL.into_iter().all(covers) => CommandAccess::Yes,
            1 if Right::ALL.into_iter().all(covers) => CommandAccess::Asks,
            _ => CommandAccess::No,
        };
    }
    let takes_more = matches!(command, Command::Start { request: Some(_), .. });
    match (with(RightAccess::Deny), with(RightAccess::Allow), name) {
        (true, ..) | (_, true, "withdraw") => CommandAccess::Yes,
        (_, true, "remove_file" | "restore_file" | "add_file") | (_, false, _) => CommandAccess::No,
        (_, true, _) if takes_more => CommandAccess::No,
        (_, true, _) => CommandAccess::Asks,
    }
}

/// Returns the actual outcome of a command.
fn actual_access(result: &Result<CommandOutcome, Rejection>) -> CommandAccess {
    let asks = |event: &Event| matches!(&event.fact, Fact::GateOpened { gate } if gate.command.is_some());
    match result {
        Ok(CommandOutcome::Events { events, .. }) if events.iter().any(asks) => {
            assert_eq!(events.len(), 1, "nothing happens before the owners decide: {events:?}");
            CommandAccess::Asks
        }
        result if is_forbidden(result) => CommandAccess::No,
        _ => CommandAccess::Yes,
    }
}

fn is_forbidden(result: &Result<CommandOutcome, Rejection>) -> bool {
    match result {
        Err(Rejection::InBatch { reason, .. }) => matches!(**reason, Rejection::Forbidden { .. }),
        other => matches!(other, Err(Rejection::Forbidden { .. })),
    }
}

fn check(rights: &[RightRule]) {
    for place in SessionPhase::ALL {
        let mut harness = start_session(place, rights);
        let settings = harness.state.view().settings.clone();
        for (name, command) in commands(&harness) {
            for (n, role) in (1..).zip(Role::ALL) {
                let envelope = harness.envelope(n, command.clone());
                let result = decide(&harness.state, &envelope);
                let details = format!("{name} as {role:?} in {place:?} under {rights:?}: {result:?}");
                if place == SessionPhase::Closed && name != "redact" {
                    assert!(matches!(result, Err(Rejection::SessionClosed)), "{details}");
                } else {
                    let permitted = expected_access(&settings, role, place, name, &command);
                    // Owners are not asked about a command that would be rejected anyway.
                    let rejected = permitted == CommandAccess::Asks && result.is_err() && !is_forbidden(&result);
                    assert!(rejected || actual_access(&result) == permitted, "{permitted:?}: {details}");
                }
            }
        }
    }
}

/// Returns the kinds of access that a rule can give to the right.
fn accesses(right: Right) -> &'static [RightAccess] {
    match right {
        Right::Say | Right::Steer | Right::Interrupt | Right::Invite => {
            &[RightAccess::Allow, RightAccess::Ask, RightAccess::Deny]
        }
        _ => &[RightAccess::Allow, RightAccess::Deny],
    }
}

fn rule(role: Role, right: Right, access: RightAccess) -> RightRule {
    RightRule { role, right, access }
}

#[test]
fn every_command_is_in_the_table() {
    let known: BTreeSet<_> =
        commands(&start_session(SessionPhase::Idle, &[])).into_iter().map(|(name, _)| name).collect();
    let names = CommandData::NAMES.iter().copied().chain(["add_file"]).collect();
    assert_eq!(known, names);
}

#[test]
fn a_role_cannot_exceed_its_rights_by_default() {
    check(&[]);
}

#[test]
fn a_role_cannot_exceed_its_rights_under_any_rule() {
    for role in &Role::ALL[1..] {
        for right in CHANGEABLE {
            for access in accesses(right) {
                check(&[rule(*role, right, *access)]);
            }
        }
    }
}

#[test]
fn a_role_cannot_exceed_its_rights_under_many_rules() {
    let mut seed = 17_u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        seed >> 33
    };
    for _ in 0..24 {
        let mut rights = vec![];
        for role in &Role::ALL[1..] {
            for right in CHANGEABLE {
                let accesses = accesses(right);
                let choice = usize::try_from(random()).expect("is small") % (accesses.len() + 1);
                rights.extend(accesses.get(choice).map(|access| rule(*role, right, *access)));
            }
        }
        // Approval rules govern the votes of bots.
        rights.retain(|rule| (rule.role, rule.right) != (Role::Bot, Right::Approve));
        check(&rights);
    }
}

#[test]
fn owners_keep_every_right_and_only_they_manage() {
    let mut harness = start_session(SessionPhase::Idle, &[]);
    for (role, right) in [
        (Role::Owner, Right::Manage),
        (Role::Owner, Right::Watch),
        (Role::Owner, Right::Say),
        (Role::Member, Right::Manage),
        (Role::Viewer, Right::Watch),
    ] {
        for access in [RightAccess::Allow, RightAccess::Deny] {
            let refused = harness.submit(OWNER, set(json!({ "rights": [rule(role, right, access)] })));
            assert!(matches!(refused, Err(Rejection::Invalid(_))), "{role:?} {right:?}: {refused:?}");
        }
    }
    let twice = [rule(Role::Member, Right::Say, RightAccess::Allow), rule(Role::Member, Right::Say, RightAccess::Deny)];
    assert!(matches!(harness.submit(OWNER, set(json!({ "rights": twice }))), Err(Rejection::Invalid(_))));
    for right in [Right::Answer, Right::Approve, Right::Edit] {
        let refused = harness.submit(OWNER, set(json!({ "rights": [rule(Role::Member, right, RightAccess::Ask)] })));
        assert!(matches!(refused, Err(Rejection::Invalid(_))), "{right:?} cannot be asked for: {refused:?}");
    }
    let own = set(json!({ "rights": [rule(Role::Member, Right::Say, RightAccess::Allow)] }));
    assert!(matches!(harness.submit(2, own), Err(Rejection::Forbidden { right: Right::Manage, .. })), "a member");
}

#[test]
fn a_role_with_a_right_that_the_inviter_lacks_cannot_be_granted() {
    let rules =
        [rule(Role::Member, Right::Say, RightAccess::Deny), rule(Role::Viewer, Right::Invite, RightAccess::Allow)];
    let mut harness = start_session(SessionPhase::Idle, &rules);
    let invite = |n: u128, role| Command::Invite {
        participant: id(n),
        kind: ActorKind::User,
        name: format!("P{n}").into(),
        role,
        guest: false,
    };
    let as_reviewer = harness.submit(2, invite(9, Role::Reviewer));
    assert!(matches!(as_reviewer, Err(Rejection::Forbidden { right: Right::Invite, .. })), "{as_reviewer:?}");
    assert!(harness.submit(4, invite(9, Role::Member)).is_err(), "a viewer who may invite raises nobody");
    assert_eq!(harness.ok(4, invite(9, Role::Viewer)), ["participant.joined"]);
}

#[test]
fn a_revoked_right_no_longer_decides_an_open_gate() {
    let mut harness = start_session(SessionPhase::Gate, &[]);
    let all = json!({ "approval": { "kind": "all" } });
    harness.ok(OWNER, set(all));
    let deny = rule(Role::Reviewer, Right::Approve, RightAccess::Deny);
    harness.ok(OWNER, set(json!({ "rights": [deny] })));
    let refused = harness.vote(3, Choice::Approve, None);
    assert!(matches!(refused, Err(Rejection::Forbidden { right: Right::Approve, .. })), "{refused:?}");
    let in_words = harness.submit(3, say("approve"));
    assert!(matches!(in_words, Err(Rejection::Forbidden { .. })), "{in_words:?}");
    harness.ok(OWNER, set(json!({ "rights": [] })));
    harness.vote(3, Choice::Approve, None).expect("again");
}

#[test]
fn voters_without_the_right_to_edit_can_only_vote() {
    let mut runner = super::plans::runner_with_plan();
    runner.harness.enter(2, Role::Member);
    runner.harness.ok(OWNER, set(json!({ "rights": [rule(Role::Member, Right::Edit, RightAccess::Deny)] })));
    runner.begin("do it");
    runner.step();
    let gate = runner.harness.gate();
    let edit = serde_json::value::to_raw_value(&json!({ "items": [{ "agent": "A", "action": "a" }] })).ok();
    let choice = Choice::Approve;
    let vote = |edit| Command::Vote { gate: gate.id, rev: gate.rev, choice, comment: None, edit, standing: None };
    let refused = runner.harness.submit(2, vote(edit));
    assert!(matches!(refused, Err(Rejection::Forbidden { right: Right::Edit, .. })), "{refused:?}");
    runner.harness.ok(2, vote(None));
}

#[test]
fn a_limited_token_gives_no_right_that_its_owner_lacks() {
    let rules = [
        rule(Role::Member, Right::Interrupt, RightAccess::Deny),
        rule(Role::Member, Right::Approve, RightAccess::Deny),
        rule(Role::Reviewer, Right::Interrupt, RightAccess::Allow),
    ];
    let mut harness = start_session(SessionPhase::Gate, &rules);
    for (name, command) in commands(&harness) {
        let mut envelope = harness.envelope(2, command.clone());
        let own = is_forbidden(&decide(&harness.state, &envelope));
        let CommandSender::Participant { max_role, .. } = &mut envelope.by else { unreachable!("a participant") };
        *max_role = Some(Role::Reviewer);
        let result = decide(&harness.state, &envelope);
        assert!(!own || result.is_err(), "{name} as a member with a reviewer's token: {result:?}");
    }
}

#[test]
fn a_quorum_names_a_role_that_may_approve_here() {
    let mut harness = start_session(SessionPhase::Idle, &[]);
    harness.ok(OWNER, set(json!({ "approval": Quorum::Role { role: Role::Reviewer } })));
    let deny = set(json!({ "rights": [rule(Role::Reviewer, Right::Approve, RightAccess::Deny)] }));
    assert!(matches!(harness.submit(OWNER, deny), Err(Rejection::Invalid(_))), "nobody could decide");
    let allow = set(json!({ "rights": [rule(Role::Viewer, Right::Approve, RightAccess::Allow)] }));
    harness.ok(OWNER, allow);
    harness.ok(OWNER, set(json!({ "approval": Quorum::Role { role: Role::Viewer } })));
}
