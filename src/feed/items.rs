//! What running items have written so far, so that a viewer who comes in the middle sees it.

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;

use super::frame;
use crate::kernel::{Fact, MessageId, SessionId};
use crate::peer::Partial;
use crate::protocol::ServerFrame;

/// What became of a fragment from another node.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Remote {
    /// A frame for the viewers.
    News(Vec<u8>),
    /// It was known, or comes from an attempt that is over.
    Known,
    /// Something before it is missing.
    Gap,
}

/// The items that are being written.
#[derive(Default)]
pub(super) struct Items {
    open: BTreeMap<MessageId, Item>,
}

struct Item {
    attempt: u32,
    text: String,
    /// The text so far as one delta at 0, encoded for the first viewer who needs it.
    frame: Option<Bytes>,
}

impl Items {
    /// Items start and end with events.
    pub(super) fn follow(&mut self, fact: &Fact) {
        match fact {
            Fact::MessageStarted { message, attempt, .. } => {
                self.open.insert(*message, Item { attempt: *attempt, text: String::new(), frame: None });
            }
            Fact::MessageCompleted { message, .. } | Fact::MessageAborted { message, .. } => {
                self.open.remove(message);
            }
            _ => {}
        }
    }

    /// Add a fragment; its frame, or nothing where it comes late or from an attempt that is over.
    pub(super) fn delta(
        &mut self,
        session: SessionId,
        message: MessageId,
        attempt: u32,
        text: &str,
    ) -> Option<Vec<u8>> {
        let item = self.open.get_mut(&message).filter(|item| item.attempt == attempt && !text.is_empty())?;
        let json = encode(session, message, attempt, item.text.len(), text);
        item.text.push_str(text);
        item.frame = None;
        Some(json)
    }

    /// The same for a fragment that another node wrote, which may come twice, or without what was before it.
    pub(super) fn remote(
        &mut self,
        session: SessionId,
        message: MessageId,
        attempt: u32,
        at: u64,
        text: &str,
    ) -> Remote {
        let Some(item) = self.open.get(&message).filter(|item| item.attempt >= attempt) else { return Remote::Gap };
        let (known, at) = (item.text.len(), usize::try_from(at).unwrap_or(usize::MAX));
        if item.attempt > attempt {
            return Remote::Known;
        }
        if at > known {
            return Remote::Gap;
        }
        // Not at a boundary of characters only where two nodes write the same attempt, which fences prevent.
        match text.get(known - at..).and_then(|rest| self.delta(session, message, attempt, rest)) {
            Some(json) => Remote::News(json),
            None => Remote::Known,
        }
    }

    /// An item that was begun before this feed was there.
    pub(super) fn begun(&mut self, message: MessageId, attempt: u32) {
        self.open.entry(message).or_insert(Item { attempt, text: String::new(), frame: None });
    }

    /// Every item's text so far.
    pub(super) fn texts(&self) -> Vec<Partial> {
        let open = self.open.iter();
        open.map(|(item, open)| Partial { item: *item, attempt: open.attempt, text: open.text.as_str().into() })
            .collect()
    }

    /// An item's attempt and text so far.
    pub(super) fn partial(&self, message: MessageId) -> Option<(u32, Arc<str>)> {
        self.open.get(&message).map(|item| (item.attempt, item.text.as_str().into()))
    }

    /// Every item's text so far, each as a framed delta at 0.
    pub(super) fn partials(&mut self, session: SessionId) -> impl Iterator<Item = Bytes> {
        self.open.iter_mut().filter(|(_, item)| !item.text.is_empty()).map(move |(message, item)| {
            let encoded = || frame::text(&encode(session, *message, item.attempt, 0, &item.text)).into();
            item.frame.get_or_insert_with(encoded).clone()
        })
    }
}

fn encode(session: SessionId, item: MessageId, attempt: u32, at: usize, text: &str) -> Vec<u8> {
    let frame = ServerFrame::Delta { session, item, attempt, at: at as u64, text: text.into() };
    // A delta holds nothing that serde_json refuses.
    serde_json::to_vec(&frame).unwrap_or_default()
}
