//! Properties of separation of duties and of revocation: nobody decides alone on something that they had a part in,
//! whatever they edit, steer or delegate, and nothing starts on behalf of a participant who was removed.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use roundtable::kernel::call::Risk;
use roundtable::kernel::gate::{Choice, Gate, GateKind, Outcome};
use roundtable::kernel::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::approval_rules::run_until_gates_with_rules;
use super::harness::*;
use super::plans::runner_with_plan;
use super::scripted_runner::ScriptedRunner;

/// Action at a gate. Participants are numbered from 1.
#[derive(Debug, Clone)]
enum DutyAction {
    Vote(u128, Choice),
    Edit(u128, u8),
    WithdrawVote(u128),
    /// A message that approves or gives feedback.
    Say(u128, &'static str),
    Steer(u128),
    Delegate(u128, Option<u128>),
    SetRole(u128, Role),
    Ask(u128),
}

fn any_duty_action() -> impl Strategy<Value = DutyAction> {
    let who = prop::sample::select(vec![1, 2, 3, 4, 5, GUEST]);
    let choice = prop::sample::select(vec![Choice::Approve, Choice::Approve, Choice::Abstain]);
    let role = prop::sample::select(vec![Role::Owner, Role::Member, Role::Reviewer]);
    prop_oneof![
        5 => (who.clone(), choice).prop_map(|(who, choice)| DutyAction::Vote(who, choice)),
        3 => (who.clone(), 0..9u8).prop_map(|(who, what)| DutyAction::Edit(who, what)),
        1 => who.clone().prop_map(DutyAction::WithdrawVote),
        1 => who.clone().prop_map(|who| DutyAction::Say(who, "approve")),
        2 => who.clone().prop_map(DutyAction::Steer),
        2 => (who.clone(), prop::option::of(who.clone())).prop_map(|(who, to)| DutyAction::Delegate(who, to)),
        1 => (2..6u128, role).prop_map(|(who, role)| DutyAction::SetRole(who, role)),
        2 => who.prop_map(DutyAction::Ask),
    ]
}

/// Performs an action at the newest gate of this kind, if the action applies. Ignores rejections.
fn perform(harness: &mut KernelHarness, kind: GateKind, action: &DutyAction) {
    let gate = harness.state.view().gates.iter().rfind(|gate| gate.kind == kind).cloned();
    let vote = |gate: &Gate, choice, edit: Option<Value>| {
        let edit = edit.and_then(|edit| RawValue::from_string(edit.to_string()).ok());
        Command::Vote { gate: gate.id, rev: gate.rev, choice, comment: None, edit, standing: None }
    };
    let (who, command) = match (action.clone(), gate) {
        (DutyAction::Vote(who, choice), Some(gate)) => (who, vote(&gate, choice, None)),
        (DutyAction::Edit(who, what), Some(gate)) => {
            let edit = match kind {
                GateKind::Plan => json!({ "items": [{ "agent": "A", "action": format!("do {what}") }] }),
                _ => json!({ "what": format!("w{what}") }),
            };
            (who, vote(&gate, Choice::Approve, Some(edit)))
        }
        (DutyAction::WithdrawVote(who), Some(gate)) => (who, Command::WithdrawVote { gate: gate.id }),
        (DutyAction::Say(who, text), _) => (who, say(text)),
        (DutyAction::Steer(who), _) => (who, steer("@all rather so")),
        (DutyAction::Delegate(who, to), _) => (who, Command::DelegateVotes { to: to.map(id), until: None }),
        (DutyAction::SetRole(who, role), _) => (OWNER, Command::SetRole { participant: id(who), role }),
        (DutyAction::Ask(who), _) => (who, say("@people hello")),
        (DutyAction::Vote(..) | DutyAction::Edit(..) | DutyAction::WithdrawVote(_), None) => return,
    };
    let _ = harness.submit(who, command);
}

/// Checks, from the log alone, that each approved gate of this kind has at least this many approvals by participants
/// who neither directed the run, nor edited the subject of the gate, nor asked for it. Returns the number of approved
/// gates.
fn check_approvals(log: &[Event], kind: GateKind, needed: usize) -> usize {
    let mut directed: BTreeSet<ParticipantId> = BTreeSet::new();
    let mut authors_of: BTreeMap<MessageId, ParticipantId> = BTreeMap::new();
    let mut gates: Vec<(Gate, BTreeSet<ParticipantId>, BTreeSet<ParticipantId>)> = vec![];
    let mut approved = 0;
    for event in log {
        let by = event.by.participant_id();
        let known = |gates: &mut Vec<(Gate, BTreeSet<_>, BTreeSet<_>)>, id: GateId| {
            gates.iter().position(|(gate, ..)| gate.id == id)
        };
        match &event.fact {
            Fact::MessagePosted { message, .. } => drop(by.and_then(|by| authors_of.insert(*message, by))),
            Fact::RunStarted { input, .. } => directed = authors_of.get(input).copied().into_iter().collect(),
            Fact::MessageConsumed { message, .. } => directed.extend(authors_of.get(message)),
            Fact::GateOpened { gate } if gate.kind == kind => {
                let asked = gate.command.as_ref().and_then(|asked| asked.by.participant_id());
                gates.push(((**gate).clone(), asked.into_iter().collect(), BTreeSet::new()));
            }
            Fact::GateRevised { gate, .. } => {
                if let Some(at) = known(&mut gates, *gate) {
                    gates[at].1.extend(by);
                    gates[at].2.clear();
                }
            }
            Fact::GateVoted { gate, choice, .. } => {
                if let (Some(at), Some(by)) = (known(&mut gates, *gate), by) {
                    match choice {
                        Choice::Approve => drop(gates[at].2.insert(by)),
                        Choice::Reject | Choice::Abstain => drop(gates[at].2.remove(&by)),
                    }
                }
            }
            Fact::GateVoteWithdrawn { gate, .. } => {
                if let (Some(at), Some(by)) = (known(&mut gates, *gate), by) {
                    gates[at].2.remove(&by);
                }
            }
            Fact::GateDecided { gate, outcome: Outcome::Approved, .. } => {
                if let Some(at) = known(&mut gates, *gate) {
                    let (gate, authors, approvers) = &gates[at];
                    let directs = |who: &ParticipantId| gate.separate_duties && directed.contains(who);
                    let is_guest = |who: &ParticipantId| gate.separate_duties && *who == id(GUEST);
                    let others = approvers.difference(authors).filter(|who| !directs(who) && !is_guest(who));
                    let others: Vec<_> = others.collect();
                    assert!(gate.separate_duties || kind == GateKind::Command, "the rule applies");
                    assert!(
                        others.len() >= needed,
                        "{gate:?} was approved by {approvers:?}, and written by {authors:?}"
                    );
                    approved += 1;
                }
            }
            _ => {}
        }
    }
    approved
}

fn rules(needed: u32) -> Value {
    json!([{ "quorum": { "kind": "at_least", "n": needed }, "separate_duties": true }])
}

/// Returns a runner at the gate about a plan, with four more people and a guest in the session.
fn run_until_plan(needed: u32) -> ScriptedRunner {
    let mut runner = runner_with_plan();
    for (who, role) in
        [(2, Role::Reviewer), (3, Role::Reviewer), (4, Role::Member), (5, Role::Owner), (GUEST, Role::Reviewer)]
    {
        runner.harness.enter(who, role);
    }
    runner.harness.ok(OWNER, set(json!({ "approval_rules": rules(needed) })));
    runner.begin("do it");
    runner.step();
    assert_eq!(runner.harness.gate().kind, GateKind::Plan);
    runner
}

/// Starts a session in which members and reviewers must ask for the right to write to people.
fn session_with_requests() -> KernelHarness {
    let mut harness = KernelHarness::new();
    for (who, role) in [(2, Role::Reviewer), (3, Role::Owner), (4, Role::Member), (5, Role::Owner)] {
        harness.enter(who, role);
    }
    let ask = ["member", "reviewer"].map(|role| json!({ "role": role, "right": "say", "access": "ask" }));
    harness.ok(OWNER, set(json!({ "rights": ask })));
    harness
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_author_of_a_plan_decides_it_alone(acts in prop::collection::vec(any_duty_action(), 1..30), needed in 1..3u32) {
        let mut runner = run_until_plan(needed);
        for act in &acts {
            perform(&mut runner.harness, GateKind::Plan, act);
        }
        check_approvals(&runner.harness.log, GateKind::Plan, needed as usize);
    }

    #[test]
    fn no_author_of_a_call_decides_it_alone(acts in prop::collection::vec(any_duty_action(), 1..30), needed in 1..3u32) {
        let mut runner = run_until_gates_with_rules(rules(needed), Risk::High);
        runner.harness.enter(GUEST, Role::Reviewer);
        for act in &acts {
            perform(&mut runner.harness, GateKind::Tool, act);
        }
        check_approvals(&runner.harness.log, GateKind::Tool, needed as usize);
    }

    #[test]
    fn no_author_of_a_command_decides_it_alone(acts in prop::collection::vec(any_duty_action(), 1..40)) {
        let mut harness = session_with_requests();
        for act in &acts {
            perform(&mut harness, GateKind::Command, act);
        }
        check_approvals(&harness.log, GateKind::Command, 1);
    }
}

#[test]
fn a_participant_who_became_an_owner_cannot_approve_their_own_command() {
    let mut harness = session_with_requests();
    harness.ok(4, say("@people hello"));
    harness.ok(OWNER, Command::SetRole { participant: id(4), role: Role::Owner });
    let gate = harness.gate();
    let approve =
        Command::Vote { gate: gate.id, rev: 1, choice: Choice::Approve, comment: None, edit: None, standing: None };
    let refused = harness.submit(4, approve.clone());
    assert!(matches!(refused, Err(Rejection::Forbidden { right: Right::Approve, .. })), "{refused:?}");
    harness.ok(4, Command::DelegateVotes { to: Some(id(3)), until: None });
    assert_eq!(check_approvals(&harness.log, GateKind::Command, 1), 0);
    harness.ok(3, approve);
    assert_eq!(check_approvals(&harness.log, GateKind::Command, 1), 1, "another owner decides");
}

/// Action in a session in which members must ask for everything.
#[derive(Debug, Clone)]
enum RequestAction {
    /// A member sends the command with this number, which can need approval.
    Send(u128, u8),
    Decide(Choice),
    Remove(u128),
    Return(u128),
    /// A member resends one of the commands sent so far.
    Resend(usize),
    Finish,
    Restart,
}

fn any_request_action() -> impl Strategy<Value = RequestAction> {
    let who = 2..4u128;
    let choice = prop::sample::select(vec![Choice::Approve, Choice::Approve, Choice::Reject]);
    prop_oneof![
        4 => (who.clone(), 0..6u8).prop_map(|(who, what)| RequestAction::Send(who, what)),
        4 => choice.prop_map(RequestAction::Decide),
        2 => who.clone().prop_map(RequestAction::Remove),
        1 => who.prop_map(RequestAction::Return),
        1 => any::<usize>().prop_map(RequestAction::Resend),
        3 => Just(RequestAction::Finish),
        1 => Just(RequestAction::Restart),
    ]
}

/// Performs an action. Ignores rejections.
fn perform_request(harness: &mut KernelHarness, action: &RequestAction, sent: &mut Vec<Envelope>) {
    match *action {
        RequestAction::Send(who, what) => {
            let command = match what {
                0 => say("write tests"),
                1 => Command::Start { flow: None, input: "go".into(), files: vec![], earlier: vec![], request: None },
                2 => steer("shorter"),
                3 => harness.interrupt(Some("rather so")),
                4 => harness.pause(),
                _ => harness.resume(),
            };
            let envelope = harness.envelope(who, command);
            let _ = harness.decide(&envelope);
            sent.push(envelope);
        }
        RequestAction::Decide(choice) => {
            let Some(gate) = harness.state.view().gates.first().map(|gate| (gate.id, gate.rev)) else { return };
            let comment = (choice == Choice::Reject).then(|| "because".into());
            let vote = Command::Vote { gate: gate.0, rev: gate.1, choice, comment, edit: None, standing: None };
            let _ = harness.submit(OWNER, vote);
        }
        RequestAction::Remove(who) => drop(harness.submit(OWNER, Command::Remove { participant: id(who) })),
        RequestAction::Return(who) => {
            let Actor { kind, name, .. } = person(who);
            let back = Command::Invite { participant: id(who), kind, name, role: Role::Member, guest: false };
            let _ = harness.submit(OWNER, back);
        }
        RequestAction::Resend(at) => {
            if let Some(envelope) = sent.get(at % sent.len().max(1)).cloned() {
                let _ = harness.decide(&envelope);
            }
        }
        RequestAction::Finish => {
            let run = harness.state.view().active_run();
            let running = run.and_then(|run| run.running.first()).map(|running| (running.message, running.attempt));
            if let Some((message, attempt)) = running {
                harness.finish_message(message, attempt, "text");
            }
        }
        RequestAction::Restart => drop(harness.submit_as_orchestrator(recover())),
    }
}

/// Checks that nothing is sent on behalf of a participant between their removal and their return, and that no model,
/// tool or run starts while both members are removed, if nothing was in progress.
fn check_removals(log: &[Event], is_idle_before: &[bool]) {
    let mut removed: BTreeSet<ParticipantId> = BTreeSet::new();
    let mut all_gone_at_rest = false;
    for (event, idle) in log.iter().zip(is_idle_before) {
        let by = event.by.participant_id();
        match &event.fact {
            Fact::ParticipantLeft { participant, reason: LeaveReason::Removed } => {
                removed.insert(*participant);
                all_gone_at_rest |= *idle && removed.len() == 2;
            }
            Fact::ParticipantJoined { participant, .. } => {
                removed.remove(participant);
                all_gone_at_rest = false;
            }
            Fact::MessageStarted { .. } | Fact::ToolStarted { .. } | Fact::RunStarted { .. } => {
                assert!(!all_gone_at_rest, "nobody is left who asked: {event:?}");
            }
            _ => {}
        }
        let is_removed = by.is_some_and(|by| removed.contains(&by));
        assert!(!is_removed, "it is in the name of somebody who was removed: {event:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_starts_for_a_participant_who_was_removed(acts in prop::collection::vec(any_request_action(), 1..60)) {
        let mut harness = KernelHarness::new();
        harness.enter(2, Role::Member);
        harness.enter(3, Role::Member);
        let rights = ["say", "steer", "interrupt"];
        let ask = rights.map(|right| json!({ "role": "member", "right": right, "access": "ask" }));
        harness.ok(OWNER, set(json!({ "rights": ask })));
        let (mut sent, mut is_idle_before) = (vec![], vec![true; harness.log.len()]);
        for act in &acts {
            let view = harness.state.view();
            let idle = view.active_run().is_none() && view.inbox.is_empty();
            perform_request(&mut harness, act, &mut sent);
            is_idle_before.resize(harness.log.len(), idle);
        }
        check_removals(&harness.log, &is_idle_before);
    }
}
