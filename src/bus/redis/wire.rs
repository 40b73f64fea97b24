//! Format of a message on a channel: the version, the sender and its connection, and then parts, each with its kind and
//! length.

use bytes::{Buf, BufMut, Bytes};
use uuid::Uuid;

use crate::bus::BusRequestError;
use crate::node_id::NodeId;

/// Version of the format. Messages of other versions are not parsed, and count as lost.
const VERSION: u8 = 1;

/// The sender of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MessageSender {
    pub(super) node: NodeId,
    /// Ordinal of the sender's connection. Messages from an older one are stale.
    pub(super) connection: u32,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MessagePart {
    /// A message to the followers of the session.
    Publication(Bytes),
    /// The sender could not send a message about this session.
    Lost,
    /// The sender could not send messages about one or more sessions.
    AllLost,
    /// A request to one node.
    Request { id: u64, content: Bytes },
    /// The reply to the node that sent the request.
    Reply { id: u64, reply: Result<Bytes, PeerError> },
}

/// Reason why the other node rejected a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PeerError {
    Absent,
    Busy,
    TooLarge,
}

/// Error that reports bytes that are not a message of this version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WireFormatError;

impl From<PeerError> for BusRequestError {
    fn from(error: PeerError) -> Self {
        match error {
            PeerError::Absent => Self::Absent,
            PeerError::Busy => Self::Busy,
            PeerError::TooLarge => Self::TooLarge,
        }
    }
}

impl MessagePart {
    /// Returns the approximate memory that the part uses, in bytes.
    pub(super) fn size(&self) -> usize {
        const OVERHEAD: usize = 64;
        let content = match self {
            Self::Publication(content) | Self::Request { content, .. } | Self::Reply { reply: Ok(content), .. } => {
                content
            }
            Self::Lost | Self::AllLost | Self::Reply { .. } => return OVERHEAD,
        };
        OVERHEAD + content.len()
    }

    fn split(&self) -> (u8, Option<u64>, &[u8]) {
        match self {
            Self::Publication(content) => (1, None, content),
            Self::Lost => (2, None, &[]),
            Self::AllLost => (3, None, &[]),
            Self::Request { id, content } => (4, Some(*id), content),
            Self::Reply { id, reply: Ok(content) } => (5, Some(*id), content),
            Self::Reply { id, reply: Err(PeerError::Absent) } => (6, Some(*id), &[]),
            Self::Reply { id, reply: Err(PeerError::Busy) } => (7, Some(*id), &[]),
            Self::Reply { id, reply: Err(PeerError::TooLarge) } => (8, Some(*id), &[]),
        }
    }

    fn join(kind: u8, mut content: Bytes) -> Result<Self, WireFormatError> {
        let part = match kind {
            1 => return Ok(Self::Publication(content)),
            2 => return Ok(Self::Lost),
            3 => return Ok(Self::AllLost),
            _ => content.try_get_u64().map_err(|_| WireFormatError)?,
        };
        let reply = |reply| Ok(Self::Reply { id: part, reply });
        match kind {
            4 => Ok(Self::Request { id: part, content }),
            5 => reply(Ok(content)),
            6 => reply(Err(PeerError::Absent)),
            7 => reply(Err(PeerError::Busy)),
            8 => reply(Err(PeerError::TooLarge)),
            _ => Err(WireFormatError),
        }
    }
}

/// Starts a message without parts.
pub(super) fn begin(sender: MessageSender) -> Vec<u8> {
    let mut message = Vec::with_capacity(256);
    message.put_u8(VERSION);
    message.put_slice(sender.node.0.as_bytes());
    message.put_u32(sender.connection);
    message
}

/// Appends a part to a message.
pub(super) fn add(message: &mut Vec<u8>, part: &MessagePart) {
    let (kind, id, content) = part.split();
    message.put_u8(kind);
    // `BusSettings::max_message_bytes` bounds a part far below this.
    let length = content.len() + if id.is_some() { 8 } else { 0 };
    message.put_u32(u32::try_from(length).unwrap_or(u32::MAX));
    if let Some(id) = id {
        message.put_u64(id);
    }
    message.put_slice(content);
}

/// Parses a message into its sender and parts.
pub(super) fn read(mut message: Bytes) -> Result<(MessageSender, Vec<MessagePart>), WireFormatError> {
    if message.try_get_u8() != Ok(VERSION) {
        return Err(WireFormatError);
    }
    let node = NodeId(Uuid::from_u128(message.try_get_u128().map_err(|_| WireFormatError)?));
    let connection = message.try_get_u32().map_err(|_| WireFormatError)?;
    let mut parts = Vec::with_capacity(1);
    while message.has_remaining() {
        let kind = message.get_u8();
        let length = message.try_get_u32().map_err(|_| WireFormatError)? as usize;
        if message.len() < length {
            return Err(WireFormatError);
        }
        parts.push(MessagePart::join(kind, message.split_to(length))?);
    }
    Ok((MessageSender { node, connection }, parts))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn part() -> impl Strategy<Value = MessagePart> {
        let content = || proptest::collection::vec(any::<u8>(), 0..40).prop_map(Bytes::from);
        let reply = prop_oneof![
            content().prop_map(Ok),
            Just(Err(PeerError::Absent)),
            Just(Err(PeerError::Busy)),
            Just(Err(PeerError::TooLarge))
        ];
        prop_oneof![
            content().prop_map(MessagePart::Publication),
            Just(MessagePart::Lost),
            Just(MessagePart::AllLost),
            (any::<u64>(), content()).prop_map(|(id, content)| MessagePart::Request { id, content }),
            (any::<u64>(), reply).prop_map(|(id, reply)| MessagePart::Reply { id, reply }),
        ]
    }

    proptest! {
        #[test]
        fn a_written_value_is_read_back(parts in proptest::collection::vec(part(), 0..8), node: u128, connection: u32) {
            let sender = MessageSender { node: NodeId(Uuid::from_u128(node)), connection };
            let mut message = begin(sender);
            parts.iter().for_each(|part| add(&mut message, part));
            prop_assert_eq!(read(message.clone().into()), Ok((sender, parts)));
            // A message that is cut anywhere never causes a panic.
            for end in 0..message.len() {
                let _ = read(Bytes::copy_from_slice(&message[..end]));
            }
        }

        #[test]
        fn anything_at_all_can_be_read(noise in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(noise.into());
        }
    }
}
