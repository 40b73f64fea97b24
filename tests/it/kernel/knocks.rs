//! Knocks: who may ask to join, and who answers.

use roundtable::kernel::*;

use super::harness::{KernelHarness, OWNER, id};

const KNOCK: Command = Command::Knock { role: Role::Reviewer };

fn admit(who: u128) -> Command {
    Command::Admit { participant: id(who) }
}

fn refuse(who: u128) -> Command {
    Command::Refuse { participant: id(who) }
}

#[test]
fn an_owner_admits_a_knocking_participant() {
    let mut harness = KernelHarness::new();
    assert_eq!(harness.ok(2, KNOCK), ["participant.knocked"]);
    assert_eq!(harness.ok(2, KNOCK), [""; 0], "they wait already");
    assert!(harness.state.view().member(id(2)).is_none());
    assert_eq!(harness.submit(2, Command::Leave), Err(Rejection::NotAMember));
    assert_eq!(harness.ok(OWNER, admit(2)), ["participant.joined"]);
    assert_eq!(harness.state.view().member(id(2)).map(|member| member.role), Some(Role::Reviewer));
    assert!(harness.state.view().knocks.is_empty());
    assert_eq!(harness.submit(OWNER, admit(2)), Err(Rejection::NobodyKnocks));
    assert_eq!(harness.ok(2, KNOCK), [""; 0], "they are in");
}

#[test]
fn a_declined_participant_cannot_knock_again() {
    let mut harness = KernelHarness::new();
    harness.ok(2, KNOCK);
    assert_eq!(harness.ok(OWNER, refuse(2)), ["participant.refused"]);
    assert!(matches!(harness.submit(2, KNOCK), Err(Rejection::Forbidden { .. })));
    assert_eq!(harness.submit(OWNER, admit(2)), Err(Rejection::NobodyKnocks));
    // An owner who reconsiders can invite the person, which clears the refusal.
    let (participant, kind, name, role) = (id(2), ActorKind::User, "P2".into(), Role::Viewer);
    harness.ok(OWNER, Command::Invite { participant, kind, name, role, guest: false });
    assert!(harness.state.view().refused.is_empty());
}

#[test]
fn only_owners_answer_knocks_and_removed_participants_cannot_knock() {
    let mut harness = KernelHarness::new();
    harness.enter(3, Role::Member);
    harness.ok(2, KNOCK);
    for command in [admit(2), refuse(2)] {
        assert!(matches!(harness.submit(3, command), Err(Rejection::Forbidden { right: Right::Manage, .. })));
    }
    harness.ok(OWNER, Command::Remove { participant: id(3) });
    assert!(matches!(harness.submit(3, KNOCK), Err(Rejection::Forbidden { .. })));
}

#[test]
fn waiting_knocks_are_limited() {
    let mut harness = KernelHarness::new();
    for who in 0..View::KNOCKS as u128 {
        harness.ok(10 + who, KNOCK);
    }
    assert_eq!(harness.submit(2, KNOCK), Err(Rejection::TooManyKnocks));
    harness.ok(OWNER, refuse(10));
    harness.ok(2, KNOCK);
}
