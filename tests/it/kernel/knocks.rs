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
fn an_owner_admits_who_knocked() {
    let mut stage = KernelHarness::new();
    assert_eq!(stage.ok(2, KNOCK), ["participant.knocked"]);
    assert_eq!(stage.ok(2, KNOCK), [""; 0], "they wait already");
    assert!(stage.state.view().member(id(2)).is_none());
    assert_eq!(stage.does(2, Command::Leave), Err(Rejection::NotAMember));
    assert_eq!(stage.ok(OWNER, admit(2)), ["participant.joined"]);
    assert_eq!(stage.state.view().member(id(2)).map(|member| member.role), Some(Role::Reviewer));
    assert!(stage.state.view().knocks.is_empty());
    assert_eq!(stage.does(OWNER, admit(2)), Err(Rejection::NobodyKnocks));
    assert_eq!(stage.ok(2, KNOCK), [""; 0], "they are in");
}

#[test]
fn a_declined_participant_cannot_knock_again() {
    let mut stage = KernelHarness::new();
    stage.ok(2, KNOCK);
    assert_eq!(stage.ok(OWNER, refuse(2)), ["participant.refused"]);
    assert!(matches!(stage.does(2, KNOCK), Err(Rejection::Forbidden { .. })));
    assert_eq!(stage.does(OWNER, admit(2)), Err(Rejection::NobodyKnocks));
    // An owner who reconsiders can invite the person, which clears the refusal.
    let (participant, kind, name, role) = (id(2), ActorKind::User, "P2".into(), Role::Viewer);
    stage.ok(OWNER, Command::Invite { participant, kind, name, role });
    assert!(stage.state.view().refused.is_empty());
}

#[test]
fn only_owners_answer_and_a_removed_one_does_not_knock() {
    let mut stage = KernelHarness::new();
    stage.enter(3, Role::Member);
    stage.ok(2, KNOCK);
    for command in [admit(2), refuse(2)] {
        assert!(matches!(stage.does(3, command), Err(Rejection::Forbidden { right: Right::Manage, .. })));
    }
    stage.ok(OWNER, Command::Remove { participant: id(3) });
    assert!(matches!(stage.does(3, KNOCK), Err(Rejection::Forbidden { .. })));
}

#[test]
fn no_more_wait_than_may() {
    let mut stage = KernelHarness::new();
    for who in 0..View::KNOCKS as u128 {
        stage.ok(10 + who, KNOCK);
    }
    assert_eq!(stage.does(2, KNOCK), Err(Rejection::TooManyKnocks));
    stage.ok(OWNER, refuse(10));
    stage.ok(2, KNOCK);
}
