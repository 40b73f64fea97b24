//! Partial texts of running messages, for viewers that join in the middle of a message.

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;

use super::frame;
use crate::kernel::{Fact, LogChange, MessageChange, MessageId, SessionId};
use crate::peer_messages::MessageText;
use crate::protocol::ServerFrame;

/// Outcome of adding a fragment from another node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RemoteDelta {
    /// Text that the viewers do not have yet.
    New,
    /// The fragment was already known, or belongs to an attempt that has ended.
    Known,
    /// Text before the fragment, or the start of the attempt, is missing.
    Gap,
}

/// Partial texts of the messages that are being written.
#[derive(Default)]
pub(super) struct PartialTexts {
    open: BTreeMap<MessageId, PartialText>,
    /// The messages with text that was not shown yet, ordered by the arrival of that text.
    gathering: Vec<MessageId>,
}

/// Text of a running message that viewers have not seen.
pub(super) struct GatheredDelta {
    /// The delta, encoded.
    pub(super) json: Vec<u8>,
    /// True if a model on this node wrote the text.
    pub(super) is_local: bool,
}

struct PartialText {
    attempt: u32,
    text: String,
    /// Number of bytes of the text that were shown.
    shown: usize,
    /// True if a model on this node wrote the newest text.
    is_local: bool,
    /// The text so far as one delta at offset 0, encoded for the first viewer that needs it.
    frame: Option<Bytes>,
}

impl PartialTexts {
    /// Opens and closes messages according to an event.
    pub(super) fn follow(&mut self, fact: &Fact) {
        let LogChange::Message(message, change) = fact.log_change() else { return };
        match change {
            MessageChange::Started(attempt) => {
                self.open.insert(message, PartialText::new(attempt));
            }
            MessageChange::Ended => {
                self.open.remove(&message);
            }
            MessageChange::Posted | MessageChange::Withdrawn => {}
        }
    }

    /// Adds a fragment that a model on this node wrote. Returns false if the message is not open, the attempt has ended
    /// or the text is empty.
    pub(super) fn local(&mut self, message: MessageId, attempt: u32, text: &str) -> bool {
        self.append(message, attempt, text, true)
    }

    fn append(&mut self, message: MessageId, attempt: u32, text: &str, is_local: bool) -> bool {
        let partial = self.open.get_mut(&message).filter(|partial| partial.attempt == attempt && !text.is_empty());
        let Some(partial) = partial else { return false };
        if partial.shown == partial.text.len() {
            self.gathering.push(message);
        }
        partial.text.push_str(text);
        partial.is_local = is_local;
        partial.frame = None;
        true
    }

    /// Returns the text that was added since the last call, as one delta per message.
    pub(super) fn take_gathered(&mut self, session: SessionId) -> Vec<GatheredDelta> {
        let open = &mut self.open;
        let delta = |message: MessageId| {
            let partial = open.get_mut(&message)?;
            let (at, new) = (partial.shown, partial.text.get(partial.shown..)?);
            let json = encode_delta(session, message, partial.attempt, at, new);
            partial.shown = partial.text.len();
            Some(GatheredDelta { json, is_local: partial.is_local })
        };
        self.gathering.drain(..).filter_map(delta).collect()
    }

    /// Adds a fragment that another node wrote. It can arrive twice, or before the text that precedes it.
    pub(super) fn remote(&mut self, message: MessageId, attempt: u32, at: u64, text: &str) -> RemoteDelta {
        let Some(partial) = self.open.get(&message).filter(|partial| partial.attempt >= attempt) else {
            return RemoteDelta::Gap;
        };
        let (known, at) = (partial.text.len(), usize::try_from(at).unwrap_or(usize::MAX));
        if partial.attempt > attempt {
            return RemoteDelta::Known;
        }
        if at > known {
            return RemoteDelta::Gap;
        }
        // The offset can be inside a character only if two nodes write the same attempt, which fences prevent.
        let is_new = text.get(known - at..).is_some_and(|rest| self.append(message, attempt, rest, false));
        if is_new { RemoteDelta::New } else { RemoteDelta::Known }
    }

    /// Opens a message that started before this feed existed.
    pub(super) fn record_start(&mut self, message: MessageId, attempt: u32) {
        self.open.entry(message).or_insert(PartialText::new(attempt));
    }

    /// Returns the text so far of every running message.
    pub(super) fn texts(&self) -> Vec<MessageText> {
        let text = |(message, partial): (&MessageId, &PartialText)| MessageText {
            message: *message,
            attempt: partial.attempt,
            text: partial.text.as_str().into(),
        };
        self.open.iter().map(text).collect()
    }

    /// Returns a message's attempt and its partial text. `None` if the message is not running.
    pub(super) fn partial(&self, message: MessageId) -> Option<(u32, Arc<str>)> {
        self.open.get(&message).map(|partial| (partial.attempt, partial.text.as_str().into()))
    }

    /// Returns the text so far of every running message that has text, each as a framed delta at offset 0.
    pub(super) fn partials(&mut self, session: SessionId) -> impl Iterator<Item = Bytes> {
        self.open.iter_mut().filter(|(_, partial)| !partial.text.is_empty()).map(move |(message, partial)| {
            let encoded =
                || frame::text_frame(&encode_delta(session, *message, partial.attempt, 0, &partial.text)).into();
            partial.frame.get_or_insert_with(encoded).clone()
        })
    }
}

impl PartialText {
    fn new(attempt: u32) -> Self {
        Self { attempt, text: String::new(), shown: 0, is_local: false, frame: None }
    }
}

fn encode_delta(session: SessionId, message: MessageId, attempt: u32, at: usize, text: &str) -> Vec<u8> {
    ServerFrame::Delta { session, message, attempt, at: at as u64, text: text.into() }.encode()
}
