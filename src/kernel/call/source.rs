//! Sources of calls: the text, files and results that an agent could have read before it proposed a call.
//!
//! The list of sources errs on the side of too many. Agents pass on what they read, so a source remains a source of all
//! later calls in the session. Approval rules depend only on the kinds of sources, and no limit on the number of
//! sources removes a kind.

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Actor, ActorKind, Assignment, CallId, FileId, GateId, MessageId};

/// Kind of a source of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallSourceKind {
    /// Text by a person who signed in.
    Person,
    /// Text or a file by a guest.
    Guest,
    /// Text or a file by a bot that participates.
    Bot,
    /// Text by an agent, from a task that has ended.
    Agent,
    /// A file that a participant added.
    File,
    /// A document in a knowledge base.
    Knowledge,
    /// A file in a code base.
    Code,
    /// Text from the web, or from a tool that can return text from anywhere.
    Web,
    /// Result of a tool that is not part of the server, such as one of an MCP server.
    Tool,
}

impl CallSourceKind {
    /// Returns the kinds of a result of unknown origin.
    pub fn unknown() -> BTreeSet<Self> {
        BTreeSet::from([Self::Web, Self::Tool])
    }

    /// Returns the name of the kind on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Guest => "guest",
            Self::Bot => "bot",
            Self::Agent => "agent",
            Self::File => "file",
            Self::Knowledge => "knowledge",
            Self::Code => "code",
            Self::Web => "web",
            Self::Tool => "tool",
        }
    }

    /// Returns the kind of text by this author.
    fn of(author: &Actor) -> Self {
        match author.kind {
            ActorKind::Agent => Self::Agent,
            _ if author.guest => Self::Guest,
            ActorKind::Bot => Self::Bot,
            ActorKind::User | ActorKind::System => Self::Person,
        }
    }
}

/// Id of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum CallSourceId {
    /// A message.
    Message(MessageId),
    /// A version of a file.
    File(FileId),
    /// A tool call with its result.
    Call(CallId),
    /// A gate at which somebody edited a plan or a call.
    Gate(GateId),
}

impl CallSourceId {
    /// Returns the position of the source in the log.
    fn seq(self) -> u64 {
        match self {
            Self::Message(id) => id.0,
            Self::File(id) => id.0,
            Self::Call(id) => id.0,
            Self::Gate(id) => id.0,
        }
    }
}

/// Something that an agent could have read before it proposed a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallSource {
    /// Kind of the source. Example: `web`.
    pub kind: CallSourceKind,
    /// Message, version of a file, call or gate that is the source. Example: `t_21`.
    pub id: CallSourceId,
    /// Id of the participant or agent whose text, file or call it is. Example: `Researcher`.
    pub by: Arc<str>,
    /// True if a guest wrote or added it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guest: bool,
}

/// Sources of a call.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct CallSources {
    /// Kinds of all sources.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub kinds: BTreeSet<CallSourceKind>,
    /// The newest sources, oldest first, at most 2 of each kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub newest: Vec<CallSource>,
    /// True if there are older sources that are not listed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

impl CallSources {
    /// Maximum number of listed sources of one kind.
    pub const PER_KIND: usize = 2;

    /// Adds text by an author.
    pub(crate) fn add_text(&mut self, id: CallSourceId, by: &Actor) {
        self.add(CallSource { kind: CallSourceKind::of(by), id, by: by.id.clone(), guest: by.guest });
    }

    /// Adds a file of a participant. It also counts as text by that participant.
    pub(crate) fn add_file(&mut self, id: FileId, by: &Actor) {
        self.kinds.insert(CallSourceKind::of(by));
        let (id, by, guest) = (CallSourceId::File(id), by.id.clone(), by.guest);
        self.add(CallSource { kind: CallSourceKind::File, id, by, guest });
    }

    /// Adds the result of an agent's call as a source of these kinds.
    pub(crate) fn add_result(&mut self, id: CallId, by: &Arc<str>, kinds: &BTreeSet<CallSourceKind>) {
        self.kinds.extend(kinds);
        if let Some(kind) = kinds.last() {
            self.add(CallSource { kind: *kind, id: CallSourceId::Call(id), by: by.clone(), guest: false });
        }
    }

    /// Adds all sources of `other`.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.kinds.extend(&other.kinds);
        self.more |= other.more;
        other.newest.iter().for_each(|source| self.add(source.clone()));
    }

    fn add(&mut self, source: CallSource) {
        let (kind, seq) = (source.kind, source.id.seq());
        self.kinds.insert(kind);
        if self.newest.iter().any(|known| known.id == source.id && known.kind == kind) {
            return;
        }
        let place = self.newest.partition_point(|known| known.id.seq() <= seq);
        self.newest.insert(place, source);
        if self.newest.iter().filter(|known| known.kind == kind).count() > Self::PER_KIND {
            let oldest = self.newest.iter().position(|known| known.kind == kind);
            oldest.into_iter().for_each(|at| drop(self.newest.remove(at)));
            self.more = true;
        }
    }
}

/// Sources of the calls of a session. The kernel keeps them with the state; clients receive only the sources of each
/// call.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SourceLedger {
    /// Sources that every agent could have read.
    shared: Arc<CallSources>,
    /// Sources of tasks in progress, which nobody else has read yet.
    own: Vec<(Assignment, CallSources)>,
}

impl SourceLedger {
    /// Returns the sources of a call that is proposed now for this assignment.
    pub fn of(&self, assignment: &Assignment) -> Arc<CallSources> {
        match self.own.iter().find(|(of, _)| of == assignment) {
            None => self.shared.clone(),
            Some((_, own)) => {
                let mut sources = CallSources::clone(&self.shared);
                sources.merge(own);
                sources.into()
            }
        }
    }

    /// Returns the sources that every agent could have read, for modification.
    pub(crate) fn shared(&mut self) -> &mut CallSources {
        Arc::make_mut(&mut self.shared)
    }

    /// Returns the sources that only the agent of this assignment has read, for modification.
    pub(crate) fn own(&mut self, assignment: &Assignment) -> &mut CallSources {
        let at = self.own.iter().position(|(of, _)| of == assignment).unwrap_or_else(|| {
            self.own.push((assignment.clone(), CallSources::default()));
            self.own.len() - 1
        });
        &mut self.own[at].1
    }

    /// Shares the sources of an assignment with every agent, because others can read the result of its work.
    pub(crate) fn publish(&mut self, assignment: &Assignment) {
        self.publish_if(|of| of == assignment);
    }

    /// Shares the sources of every assignment with every agent.
    pub(crate) fn publish_all(&mut self) {
        self.publish_if(|_| true);
    }

    fn publish_if(&mut self, which: impl Fn(&Assignment) -> bool) {
        let (published, kept) = std::mem::take(&mut self.own).into_iter().partition(|(of, _)| which(of));
        self.own = kept;
        let published: Vec<(Assignment, CallSources)> = published;
        published.iter().for_each(|(_, own)| self.shared().merge(own));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ParticipantId;

    fn person(number: u128, guest: bool) -> Actor {
        let id = ParticipantId(uuid::Uuid::from_u128(number));
        Actor { guest, ..Actor::participant(id, ActorKind::User, "Ann") }
    }

    #[test]
    fn the_newest_of_each_kind_are_listed_and_every_kind_is_kept() {
        let mut sources = CallSources::default();
        sources.add_text(CallSourceId::Message(MessageId(1)), &person(1, true));
        for seq in [5, 3, 4, 5, 9] {
            sources.add_text(CallSourceId::Message(MessageId(seq)), &person(2, false));
        }
        let listed: Vec<(u64, bool)> = sources.newest.iter().map(|source| (source.id.seq(), source.guest)).collect();
        assert_eq!((listed, sources.more), (vec![(1, true), (5, false), (9, false)], true));
        for seq in 10..20 {
            sources.add_file(FileId(seq), &person(1, seq == 10));
        }
        assert_eq!(sources.newest.len(), 5);
        assert_eq!(
            sources.kinds,
            BTreeSet::from([CallSourceKind::Person, CallSourceKind::Guest, CallSourceKind::File])
        );
    }

    #[test]
    fn a_file_is_also_the_words_of_who_added_it() {
        let mut sources = CallSources::default();
        sources.add_file(FileId(1), &person(1, true));
        assert!(sources.kinds.contains(&CallSourceKind::Guest) && sources.newest[0].guest);
    }

    #[test]
    fn a_task_keeps_its_sources_until_others_can_read_what_came_of_them() {
        let task = |name: &str| Assignment::new(&name.parse().expect("an id"), Default::default());
        let mut ledger = SourceLedger::default();
        ledger.own(&task("A")).add_result(CallId(7), &"A".into(), &CallSourceKind::unknown());
        assert!(ledger.of(&task("B")).kinds.is_empty());
        assert_eq!(ledger.of(&task("A")).kinds, CallSourceKind::unknown());
        ledger.publish(&task("A"));
        assert_eq!(ledger.of(&task("B")), ledger.of(&task("A")));
        assert_eq!(ledger.of(&task("B")).newest.len(), 1);
    }

    #[test]
    fn results_of_no_kind_are_no_sources() {
        let mut sources = CallSources::default();
        sources.add_result(CallId(7), &"A".into(), &BTreeSet::new());
        assert_eq!(sources, CallSources::default());
    }
}
