//! Partial texts of running items, for viewers that join in the middle of a message.

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;

use super::frame;
use crate::kernel::{Fact, LogChange, MessageChange, MessageId, SessionId};
use crate::peer_messages::ItemText;
use crate::protocol::ServerFrame;

/// Outcome of adding a fragment from another node.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RemoteDelta {
    /// A frame for the viewers.
    News(Vec<u8>),
    /// The fragment was already known, or belongs to an attempt that has ended.
    Known,
    /// Text before the fragment is missing.
    Gap,
}

/// The items that are being written.
#[derive(Default)]
pub(super) struct RunningItems {
    open: BTreeMap<MessageId, RunningItem>,
}

struct RunningItem {
    attempt: u32,
    text: String,
    /// The text so far as one delta at offset 0, encoded for the first viewer that needs it.
    frame: Option<Bytes>,
}

impl RunningItems {
    /// Opens and closes items according to an event.
    pub(super) fn follow(&mut self, fact: &Fact) {
        let LogChange::Message(message, change) = fact.log_change() else { return };
        match change {
            MessageChange::Started(attempt) => {
                self.open.insert(message, RunningItem { attempt, text: String::new(), frame: None });
            }
            MessageChange::Ended => {
                self.open.remove(&message);
            }
            MessageChange::Posted | MessageChange::Withdrawn => {}
        }
    }

    /// Adds a fragment and returns its frame. `None` if the item is not open or the attempt has ended.
    pub(super) fn delta(
        &mut self,
        session: SessionId,
        message: MessageId,
        attempt: u32,
        text: &str,
    ) -> Option<Vec<u8>> {
        let item = self.open.get_mut(&message).filter(|item| item.attempt == attempt && !text.is_empty())?;
        let json = encode_delta(session, message, attempt, item.text.len(), text);
        item.text.push_str(text);
        item.frame = None;
        Some(json)
    }

    /// Adds a fragment that another node wrote. It can arrive twice, or before the text that precedes it.
    pub(super) fn remote(
        &mut self,
        session: SessionId,
        message: MessageId,
        attempt: u32,
        at: u64,
        text: &str,
    ) -> RemoteDelta {
        let Some(item) = self.open.get(&message).filter(|item| item.attempt >= attempt) else {
            return RemoteDelta::Gap;
        };
        let (known, at) = (item.text.len(), usize::try_from(at).unwrap_or(usize::MAX));
        if item.attempt > attempt {
            return RemoteDelta::Known;
        }
        if at > known {
            return RemoteDelta::Gap;
        }
        // The offset is within a character only if two nodes write the same attempt, which fences prevent.
        match text.get(known - at..).and_then(|rest| self.delta(session, message, attempt, rest)) {
            Some(json) => RemoteDelta::News(json),
            None => RemoteDelta::Known,
        }
    }

    /// Opens an item that started before this feed existed.
    pub(super) fn begun(&mut self, message: MessageId, attempt: u32) {
        self.open.entry(message).or_insert(RunningItem { attempt, text: String::new(), frame: None });
    }

    /// Returns the text so far of every item.
    pub(super) fn texts(&self) -> Vec<ItemText> {
        let open = self.open.iter();
        open.map(|(item, open)| ItemText { item: *item, attempt: open.attempt, text: open.text.as_str().into() })
            .collect()
    }

    /// Returns an item's attempt and its partial text.
    pub(super) fn partial(&self, message: MessageId) -> Option<(u32, Arc<str>)> {
        self.open.get(&message).map(|item| (item.attempt, item.text.as_str().into()))
    }

    /// Returns the text so far of every item, each as a framed delta at offset 0.
    pub(super) fn partials(&mut self, session: SessionId) -> impl Iterator<Item = Bytes> {
        self.open.iter_mut().filter(|(_, item)| !item.text.is_empty()).map(move |(message, item)| {
            let encoded = || frame::text_frame(&encode_delta(session, *message, item.attempt, 0, &item.text)).into();
            item.frame.get_or_insert_with(encoded).clone()
        })
    }
}

fn encode_delta(session: SessionId, item: MessageId, attempt: u32, at: usize, text: &str) -> Vec<u8> {
    ServerFrame::Delta { session, item, attempt, at: at as u64, text: text.into() }.encode()
}
