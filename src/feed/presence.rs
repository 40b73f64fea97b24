//! Presence: the participants who watch a session.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use super::frame;
use crate::kernel::{Actor, ParticipantId, SessionId};
use crate::node_id::NodeId;
use crate::peer_messages::NodePresence;
use crate::protocol::{Presence, ServerFrame};

/// The participants who watch a session, each listed once regardless of their number of connections.
#[derive(Default)]
pub(super) struct PresenceList {
    here: BTreeMap<ParticipantId, (Actor, usize)>,
    connections: usize,
    /// The last signal, framed. A joining viewer gets it immediately.
    last: Option<Bytes>,
    /// True if a signal is scheduled.
    due: bool,
    /// Viewers on other nodes, with the time of each node's last report.
    elsewhere: BTreeMap<NodeId, (NodePresence, Instant)>,
}

/// Time after which a silent node counts as having no viewers: two and a half report intervals.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(25);

impl PresenceList {
    /// Adds a connection of a viewer. Returns whether a signal must be scheduled.
    pub(super) fn add(&mut self, id: ParticipantId, who: &Actor) -> bool {
        let entry = self.here.entry(id).or_insert_with(|| (who.clone(), 0));
        entry.1 += 1;
        let first = entry.1 == 1;
        self.connections += 1;
        first && !std::mem::replace(&mut self.due, true)
    }

    /// Removes a connection of a viewer. Returns whether a signal must be scheduled.
    pub(super) fn remove(&mut self, id: ParticipantId) -> bool {
        let Some(entry) = self.here.get_mut(&id) else { return false };
        entry.1 -= 1;
        self.connections -= 1;
        if entry.1 > 0 {
            return false;
        }
        self.here.remove(&id);
        !self.here.is_empty() && !std::mem::replace(&mut self.due, true)
    }

    /// Records a report of another node's viewers; an empty report means none. Returns whether a signal must be
    /// scheduled, and whether the node is new and therefore does not yet know who is watching here.
    pub(super) fn merge_node(&mut self, presence: NodePresence) -> (bool, bool) {
        let gone = presence.who.is_empty() && presence.more == 0;
        let node = presence.node;
        let before = if gone {
            self.elsewhere.remove(&node)
        } else {
            self.elsewhere.insert(node, (presence.clone(), Instant::now()))
        };
        let new = before.is_none() && !gone;
        let same = before.is_some_and(|(known, _)| known == presence);
        let due = !same && !self.here.is_empty() && !std::mem::replace(&mut self.due, true);
        (due, new)
    }

    /// Forgets the viewers of all other nodes. Without viewers of its own, this node receives no reports, and viewers
    /// on other nodes can leave unnoticed.
    pub(super) fn forget_others(&mut self) {
        self.elsewhere.clear();
        self.last = None;
    }

    /// Forgets the viewers of silent nodes. Returns whether a signal must be scheduled.
    pub(super) fn forget_silent(&mut self) -> bool {
        self.forget(|_, at| at.elapsed() >= SILENCE_TIMEOUT)
    }

    /// Forgets the viewers of dead nodes. Returns whether a signal must be scheduled.
    pub(super) fn forget_dead(&mut self, dead: &[NodeId]) -> bool {
        self.forget(|node, _| dead.contains(&node))
    }

    fn forget(&mut self, gone: impl Fn(NodeId, Instant) -> bool) -> bool {
        let before = self.elsewhere.len();
        self.elsewhere.retain(|node, (_, at)| !gone(*node, *at));
        self.elsewhere.len() < before && !std::mem::replace(&mut self.due, true)
    }

    /// Returns up to `names` viewers on this node, and the number of connections of the other viewers on it.
    pub(super) fn here(&self, names: usize) -> (Vec<Actor>, usize) {
        let named: usize = self.here.values().take(names).map(|(_, connections)| connections).sum();
        let who = self.here.values().take(names).map(|(actor, _)| actor.clone()).collect();
        (who, self.connections - named)
    }

    /// Returns the scheduled signal as JSON. `None` if nothing has changed since the last signal.
    pub(super) fn signal(&mut self, session: SessionId, names: usize) -> Option<Vec<u8>> {
        self.due = false;
        let (mut who, mut more) = self.here(names);
        for (there, _) in self.elsewhere.values() {
            // A participant who watches on two nodes is listed once.
            let new: Vec<_> = there.who.iter().filter(|actor| !who.contains(actor)).cloned().collect();
            let room = names.saturating_sub(who.len()).min(new.len());
            more += there.more + new.len() - room;
            who.extend(new.into_iter().take(room));
        }
        let presence = Presence { here: who, more };
        let data = serde_json::to_value(presence).expect("presence serializes: its keys are strings");
        let json = ServerFrame::Signal { session, name: "presence".into(), data }.encode();
        let framed = Bytes::from(frame::text_frame(&json));
        if self.last.as_ref() == Some(&framed) {
            return None;
        }
        self.last = Some(framed);
        Some(json)
    }

    /// Returns the last signal, framed.
    pub(super) fn last(&self) -> Option<Bytes> {
        self.last.clone()
    }
}
