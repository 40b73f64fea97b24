//! Names in a session: look-alikes, namesakes and renames.

use proptest::prelude::*;
use roundtable::kernel::*;

use super::harness::{KernelHarness, OWNER, id};

fn invite(who: u128, name: &str) -> Command {
    Command::Invite { participant: id(who), kind: ActorKind::User, name: name.into(), role: Role::Member, guest: false }
}

fn rename(name: &str) -> Command {
    Command::Rename { name: name.into() }
}

fn is_marked(harness: &KernelHarness, who: u128) -> bool {
    harness.state.view().member(id(who)).expect("a member").lookalike
}

#[test]
fn a_later_lookalike_name_is_admitted_and_marked() {
    let mut harness = KernelHarness::new();
    for (who, name) in [(2, "Anna"), (3, "Anna"), (4, "Аnna"), (5, "Gеn"), (6, "Gen"), (7, "Bob")] {
        harness.ok(OWNER, invite(who, name));
        assert_eq!(is_marked(&harness, who), (4..7).contains(&who), "{who} {name}");
    }
}

#[test]
fn a_rename_is_an_event_and_earlier_messages_keep_the_old_name() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, invite(2, "Anna"));
    assert_eq!(harness.ok(2, rename("Bea")), ["participant.renamed"]);
    assert_eq!(harness.ok(2, rename("Bea")), [""; 0], "they have that name");
    let event = harness.log.last().expect("an event");
    assert_eq!(&*event.by.name, "Anna", "the name that they had");
    assert_eq!(event.fact, Fact::ParticipantRenamed { participant: id(2), from: "Anna".into(), name: "Bea".into() });
    harness.ok(2, Command::Say { text: "@people hello".into(), to: None, mode: Mode::Queue, files: vec![] });
    assert_eq!(&*harness.log.last().expect("an event").by.name, "Bea", "whatever name their connection began with");
    assert_eq!(harness.ok(8, rename("Cleo")), [""; 0], "to whoever is not in, it is none of the session's business");
}

#[test]
fn a_rename_to_a_look_alike_is_refused_and_to_a_namesake_it_is_not() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, invite(2, "Anna"));
    harness.ok(OWNER, invite(3, "Bob"));
    for name in ["Аnna", "anna", "Gen", "Gеn"] {
        assert!(matches!(harness.submit(3, rename(name)), Err(Rejection::Invalid(_))), "{name}");
    }
    harness.ok(3, rename("Anna"));
    assert!(!is_marked(&harness, 3), "clients tell namesakes apart by their ids");
}

proptest! {
    /// If the names of two participants look alike, either they are spelled the same, and clients show them with ids,
    /// or one of the participants is marked.
    #[test]
    fn lookalike_names_are_always_marked(
        acts in prop::collection::vec((2..7u128, 0..3u8, 0..10usize), 1..40)
    ) {
        const NAMES: [&str; 10] =
            ["Anna", "anna", "Аnna", "ANNA", "Paul", "PauI", "Pau1", "Gen", "Gеn", "Rev"];
        let mut harness = KernelHarness::new();
        for (who, act, name) in acts {
            let _ = match act {
                0 => harness.submit(OWNER, invite(who, NAMES[name])),
                1 => harness.submit(who, rename(NAMES[name])),
                _ => harness.submit(who, Command::Leave),
            };
            let view = harness.state.view();
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
