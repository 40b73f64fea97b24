//! Look-alikes: names that people read as one, though they are spelled differently.

use unicode_security::confusable_detection::skeleton;

use super::{ParticipantId, View};

/// Skeletons of a name after Unicode Technical Standard 39, whatever its case and what separates its words: names that share
/// one are read alike. There are two because a capital `I` is taken for an `l`, and is also the `i` of a name in capitals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skeleton([String; 2]);

impl Skeleton {
    /// The skeletons of this name.
    pub fn of(name: &str) -> Self {
        let is_separator = |c: char| c.is_whitespace() || matches!(c, '_' | '-' | '.');
        let of = |text: &str| skeleton(text).filter(|c| !is_separator(*c)).collect::<String>();
        Self([of(&of(name).to_lowercase()), of(&name.to_lowercase())])
    }

    /// Whether the two names are read alike.
    pub fn resembles(&self, other: &Self) -> bool {
        self.0.iter().any(|own| other.0.contains(own))
    }
}

impl View {
    /// Why such a name is refused where another one can be chosen.
    pub const LOOKALIKE: &str =
        "the name looks like that of an agent or of somebody else in the session; choose another name";

    /// Whether people could take this name for an agent's, or for that of another participant who spells it differently.
    /// Participants may share a spelling: clients tell them apart by their ids.
    pub fn is_lookalike(&self, of: Option<ParticipantId>, name: &str) -> bool {
        let own = Skeleton::of(name);
        let agents = self.team.agents.iter().flat_map(|agent| [&*agent.name, agent.id.as_str()]);
        let others = self.participants.iter().filter(|member| Some(member.id) != of && *member.name != *name);
        agents.chain(others.map(|member| &*member.name)).any(|known| own.resembles(&Skeleton::of(known)))
    }
}

#[cfg(test)]
mod tests {
    use super::Skeleton;

    fn alike(one: &str, other: &str) -> bool {
        Skeleton::of(one).resembles(&Skeleton::of(other))
    }

    #[test]
    fn names_that_look_alike_resemble_each_other() {
        for (one, other) in [
            ("Anna", "Аnna"),
            ("operator", "ореrаtоr"),
            ("operator", "0perator"),
            ("Paul", "PauI"),
            ("paul", "PAUL"),
            ("IRIS", "iris"),
            ("Roundtable", "Roundtab1e"),
            ("TestCase Generator", "TestCase_Generator"),
            ("Ann Lee", "ann‐lee"),
        ] {
            assert!(alike(one, other) && alike(other, one), "{one} {other}");
        }
    }

    #[test]
    fn other_names_do_not() {
        for (one, other) in [("Anna", "Anne"), ("王小明", "王小红"), ("José", "Jose"), ("Анна", "Anna")] {
            assert!(!alike(one, other), "{one} {other}");
        }
    }
}
