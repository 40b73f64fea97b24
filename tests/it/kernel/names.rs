//! Names in a session: look-alikes, namesakes and renames.

use proptest::prelude::*;
use roundtable::kernel::*;

use super::harness::{KernelHarness, OWNER, id};

fn invite(who: u128, name: &str) -> Command {
    Command::Invite { participant: id(who), kind: ActorKind::User, name: name.into(), role: Role::Member }
}

fn rename(name: &str) -> Command {
    Command::Rename { name: name.into() }
}

fn is_marked(stage: &KernelHarness, who: u128) -> bool {
    stage.state.view().member(id(who)).expect("a member").lookalike
}

#[test]
fn a_later_lookalike_name_is_admitted_and_marked() {
    let mut stage = KernelHarness::new();
    for (who, name) in [(2, "Anna"), (3, "Anna"), (4, "Аnna"), (5, "Gеn"), (6, "Gen"), (7, "Bob")] {
        stage.ok(OWNER, invite(who, name));
        assert_eq!(is_marked(&stage, who), (4..7).contains(&who), "{who} {name}");
    }
}

#[test]
fn a_rename_is_an_event_and_what_was_said_keeps_its_name() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, invite(2, "Anna"));
    assert_eq!(stage.ok(2, rename("Bea")), ["participant.renamed"]);
    assert_eq!(stage.ok(2, rename("Bea")), [""; 0], "they have that name");
    let event = stage.log.last().expect("an event");
    assert_eq!(&*event.by.name, "Anna", "the name that they had");
    assert_eq!(event.fact, Fact::ParticipantRenamed { participant: id(2), from: "Anna".into(), name: "Bea".into() });
    stage.ok(2, Command::Say { text: "@people hello".into(), to: None, mode: Mode::Queue, files: vec![] });
    assert_eq!(&*stage.log.last().expect("an event").by.name, "Bea", "whatever name their connection began with");
    assert_eq!(stage.ok(8, rename("Cleo")), [""; 0], "to whoever is not in, it is none of the session's business");
}

#[test]
fn a_rename_to_a_look_alike_is_refused_and_to_a_namesake_it_is_not() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, invite(2, "Anna"));
    stage.ok(OWNER, invite(3, "Bob"));
    for name in ["Аnna", "anna", "Gen", "Gеn"] {
        assert!(matches!(stage.does(3, rename(name)), Err(Rejection::Invalid(_))), "{name}");
    }
    stage.ok(3, rename("Anna"));
    assert!(!is_marked(&stage, 3), "clients tell namesakes apart by their ids");
}

proptest! {
    /// Two participants whose names look alike either have the same spelling, which clients show with an id, or one of
    /// them is marked.
    #[test]
    fn names_that_are_read_alike_never_look_alike_unmarked(
        acts in prop::collection::vec((2..7u128, 0..3u8, 0..10usize), 1..40)
    ) {
        const NAMES: [&str; 10] =
            ["Anna", "anna", "Аnna", "ANNA", "Paul", "PauI", "Pau1", "Gen", "Gеn", "Rev"];
        let mut stage = KernelHarness::new();
        for (who, act, name) in acts {
            let _ = match act {
                0 => stage.does(OWNER, invite(who, NAMES[name])),
                1 => stage.does(who, rename(NAMES[name])),
                _ => stage.does(who, Command::Leave),
            };
            let view = stage.state.view();
            for (at, one) in view.participants.iter().enumerate() {
                let skeleton = Skeleton::of(&one.name);
                for agent in &view.team.agents {
                    prop_assert!(one.lookalike || !skeleton.resembles(&Skeleton::of(&agent.name)), "{}", one.name);
                }
                for other in &view.participants[..at] {
                    let alike = one.name != other.name && skeleton.resembles(&Skeleton::of(&other.name));
                    prop_assert!(!alike || one.lookalike || other.lookalike, "{} {}", one.name, other.name);
                }
            }
        }
    }
}
