//! Look-alikes: names that people read as the same name, although they are spelled differently.

use std::sync::LazyLock;

use unicode_security::confusable_detection::skeleton;

use crate::{ParticipantId, View};

/// Skeletons of a name according to Unicode Technical Standard 39, ignoring case and word separators. Names that share
/// a skeleton look alike. There are two skeletons, because a capital `I` can be read as `l`, and is also the `i` of a
/// name in capitals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skeleton([String; 2]);

impl Skeleton {
    /// Returns the skeletons of a name.
    pub fn of(name: &str) -> Self {
        Self([shape(&shape(name).to_lowercase()), shape(&name.to_lowercase())])
    }

    /// Returns whether a name looks like this one.
    pub fn matches(&self, name: &str) -> bool {
        if !name.is_ascii() {
            return self.resembles(&Self::of(name));
        }
        // Compares without building a skeleton of the name, because most names already differ in their first
        // characters.
        let is_like = |forms: &[String; 128], own: &String| {
            name.bytes().flat_map(|code| forms[usize::from(code)].bytes()).eq(own.bytes())
        };
        ASCII_FORMS.iter().any(|forms| self.0.iter().any(|own| is_like(forms, own)))
    }

    /// Returns whether the two names look alike.
    pub fn resembles(&self, other: &Self) -> bool {
        self.0.iter().any(|own| other.0.contains(own))
    }
}

/// Skeletons of the ASCII characters. Almost all names are in ASCII, and the general algorithm takes ten times as long,
/// which adds up for a team of thousands of agents.
static ASCII: LazyLock<[String; 128]> =
    LazyLock::new(|| std::array::from_fn(|code| u8::try_from(code).map_or_else(|_| String::new(), ascii_shape)));

/// Both skeletons of each ASCII character. The skeletons of an ASCII name are those of its characters, concatenated.
static ASCII_FORMS: LazyLock<[[String; 128]; 2]> = LazyLock::new(|| {
    [0, 1].map(|form| {
        std::array::from_fn(|code| {
            let character = u8::try_from(code).map_or_else(|_| String::new(), |code| char::from(code).to_string());
            let Skeleton(forms) = Skeleton::of(&character);
            forms[form].clone()
        })
    })
});

fn ascii_shape(code: u8) -> String {
    general_shape(char::from(code).encode_utf8(&mut [0; 4]))
}

/// Returns the visual form of `text`, without word separators.
fn shape(text: &str) -> String {
    match text.is_ascii() {
        true => text.bytes().map(|code| ASCII[usize::from(code)].as_str()).collect(),
        false => general_shape(text),
    }
}

fn general_shape(text: &str) -> String {
    skeleton(text).filter(|c| !c.is_whitespace() && !matches!(c, '_' | '-' | '.')).collect()
}

impl View {
    /// Error message for a participant who chooses a look-alike name.
    pub const LOOKALIKE: &str =
        "the name looks like that of an agent or of somebody else in the session; choose another name";

    /// Returns whether people could confuse the name with an agent's name, or with a differently spelled name of a
    /// participant other than `of`. Participants can share a spelling: clients tell them apart by their ids.
    pub fn is_lookalike(&self, of: Option<ParticipantId>, name: &str) -> bool {
        let own = Skeleton::of(name);
        let agents = self.team.agents.iter().flat_map(|agent| [&*agent.name, agent.id.as_str()]);
        let others = self.participants.iter().filter(|member| Some(member.id) != of && *member.name != *name);
        agents.chain(others.map(|member| &*member.name)).any(|known| own.matches(known))
    }
}

#[cfg(test)]
mod tests {
    use super::{Skeleton, general_shape, shape};

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
    fn the_short_way_for_ascii_is_exact() {
        let ascii = || (0..128_u8).map(char::from);
        for one in ascii() {
            for other in ascii() {
                let text = String::from_iter([one, other]);
                assert_eq!(shape(&text), general_shape(&text), "{text:?}");
            }
        }
    }

    #[test]
    fn a_match_without_a_skeleton_is_exact() {
        let ascii = || (0..128_u8).map(char::from);
        let known: Vec<Skeleton> = ["rn", "ll", "0o", "I1", "'", "a%", "", "ｍ", "m"].map(Skeleton::of).into();
        for one in ascii() {
            for other in ascii() {
                let text = String::from_iter([one, other]);
                for skeleton in known.iter().chain([&Skeleton::of(&text), &Skeleton::of(&text.to_uppercase())]) {
                    let expected = skeleton.resembles(&Skeleton::of(&text));
                    assert_eq!(skeleton.matches(&text), expected, "{text:?} {skeleton:?}");
                }
            }
        }
    }

    #[test]
    fn other_names_do_not() {
        for (one, other) in [("Anna", "Anne"), ("王小明", "王小红"), ("José", "Jose"), ("Анна", "Anna")] {
            assert!(!alike(one, other), "{one} {other}");
        }
    }
}
