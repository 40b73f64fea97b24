//! Who is watching.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::frame;
use crate::kernel::{Actor, ParticipantId, SessionId};
use crate::protocol::{Presence, ServerFrame};

/// Who is watching, each once, however many connections they have.
#[derive(Default)]
pub(super) struct Watching {
    here: BTreeMap<ParticipantId, (Actor, usize)>,
    connections: usize,
    /// The last signal, framed: one who joins gets it at once.
    last: Option<Bytes>,
    /// A signal is due.
    due: bool,
}

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

    /// The signal that is due, as JSON; nothing where nothing changed since the last.
    pub(super) fn signal(&mut self, session: SessionId, names: usize) -> Option<Vec<u8>> {
        self.due = false;
        let named: usize = self.here.values().take(names).map(|(_, connections)| connections).sum();
        let here = self.here.values().take(names).map(|(actor, _)| actor.clone()).collect();
        let presence = Presence { here, more: self.connections - named };
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
