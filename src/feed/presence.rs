//! Who is watching.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use super::frame;
use crate::kernel::{Actor, ParticipantId, SessionId};
use crate::peer::Here;
use crate::protocol::{Presence, ServerFrame};
use crate::store::NodeId;

/// Who is watching, each once, however many connections they have.
#[derive(Default)]
pub(super) struct Watching {
    here: BTreeMap<ParticipantId, (Actor, usize)>,
    connections: usize,
    /// The last signal, framed: one who joins gets it at once.
    last: Option<Bytes>,
    /// A signal is due.
    due: bool,
    /// Who watches on other nodes, and when that was said.
    elsewhere: BTreeMap<NodeId, (Here, Instant)>,
}

/// When a node that says nothing any more has nobody left: two and a half times as long as it may be silent.
const FORGOTTEN: Duration = Duration::from_secs(25);

impl Watching {
    /// Somebody's connection began to watch. Whether a signal must be scheduled.
    pub(super) fn come(&mut self, id: ParticipantId, who: &Actor) -> bool {
        let entry = self.here.entry(id).or_insert_with(|| (who.clone(), 0));
        entry.1 += 1;
        let first = entry.1 == 1;
        self.connections += 1;
        first && !std::mem::replace(&mut self.due, true)
    }

    /// Somebody's connection stopped watching. Whether a signal must be scheduled.
    pub(super) fn go(&mut self, id: ParticipantId) -> bool {
        let Some(entry) = self.here.get_mut(&id) else { return false };
        entry.1 -= 1;
        self.connections -= 1;
        if entry.1 > 0 {
            return false;
        }
        self.here.remove(&id);
        !self.here.is_empty() && !std::mem::replace(&mut self.due, true)
    }

    /// Somebody watches on another node, or nobody any more. Whether a signal must be scheduled, and whether the node is
    /// a new one, which does not know yet who is here.
    pub(super) fn there(&mut self, said: Here) -> (bool, bool) {
        let gone = said.who.is_empty() && said.more == 0;
        let node = said.node;
        let before = if gone {
            self.elsewhere.remove(&node)
        } else {
            self.elsewhere.insert(node, (said.clone(), Instant::now()))
        };
        let new = before.is_none() && !gone;
        let same = before.is_some_and(|(known, _)| known == said);
        let due = !same && !self.here.is_empty() && !std::mem::replace(&mut self.due, true);
        (due, new)
    }

    /// Forget all other nodes: while nobody watches here they are not heard, and who watches there may go.
    pub(super) fn forget_others(&mut self) {
        self.elsewhere.clear();
        self.last = None;
    }

    /// Forget nodes that are silent. Whether a signal must be scheduled.
    pub(super) fn forget_silent(&mut self) -> bool {
        self.forget(|_, at| at.elapsed() >= FORGOTTEN)
    }

    /// Forget nodes that are dead. Whether a signal must be scheduled.
    pub(super) fn forget_dead(&mut self, dead: &[NodeId]) -> bool {
        self.forget(|node, _| dead.contains(&node))
    }

    fn forget(&mut self, gone: impl Fn(NodeId, Instant) -> bool) -> bool {
        let before = self.elsewhere.len();
        self.elsewhere.retain(|node, (_, at)| !gone(*node, *at));
        self.elsewhere.len() < before && !std::mem::replace(&mut self.due, true)
    }

    /// Who watches here, by name and by number.
    pub(super) fn here(&self, names: usize) -> (Vec<Actor>, usize) {
        let named: usize = self.here.values().take(names).map(|(_, connections)| connections).sum();
        let who = self.here.values().take(names).map(|(actor, _)| actor.clone()).collect();
        (who, self.connections - named)
    }

    /// The signal that is due, as JSON; nothing where nothing changed since the last.
    pub(super) fn signal(&mut self, session: SessionId, names: usize) -> Option<Vec<u8>> {
        self.due = false;
        let (mut who, mut more) = self.here(names);
        for (there, _) in self.elsewhere.values() {
            // Who watches on two nodes is there once.
            let new: Vec<_> = there.who.iter().filter(|actor| !who.contains(actor)).cloned().collect();
            let room = names.saturating_sub(who.len()).min(new.len());
            more += there.more + new.len() - room;
            who.extend(new.into_iter().take(room));
        }
        let presence = Presence { here: who, more };
        let data = serde_json::to_value(presence).unwrap_or_default();
        let json = serde_json::to_vec(&ServerFrame::Signal { session, name: "presence".into(), data }).ok()?;
        let framed = Bytes::from(frame::text(&json));
        if self.last.as_ref() == Some(&framed) {
            return None;
        }
        self.last = Some(framed);
        Some(json)
    }

    /// The last signal, framed.
    pub(super) fn last(&self) -> Option<Bytes> {
        self.last.clone()
    }
}
