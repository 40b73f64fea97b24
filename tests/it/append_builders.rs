//! Helpers that build appends.

use std::sync::Arc;

use roundtable::{
    kernel::{Actor, CommandId, Event, Fact, MessageId, ParticipantId, Role, SessionId, Timestamp},
    protocol,
    store::{Append, CommandReceipt, EventStore, Fence, Listing, RecordedEvent},
};
use uuid::Uuid;

/// Returns the id of a new session.
pub fn new_session_id() -> SessionId {
    SessionId(Uuid::now_v7())
}

/// Returns the id of a new participant.
pub fn new_participant_id() -> ParticipantId {
    ParticipantId(Uuid::now_v7())
}

/// Parses the id of a command.
pub fn parse_command_id(text: &str) -> CommandId {
    text.parse().expect("is an id")
}

/// Returns the timestamp at this number of milliseconds.
pub fn timestamp(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}

/// Builds an event with this text.
pub fn recorded_event(session: SessionId, seq: u64, text: &str) -> RecordedEvent {
    let fact =
        Fact::MessagePosted { message: MessageId(seq), text: text.into(), files: vec![], relays: None, request: None };
    let event = Event { seq, at: timestamp(seq), by: Actor::system(), run: None, cause: None, redacted: None, fact };
    RecordedEvent { frame: protocol::encode_event(session, &event), event }
}

/// Builds the listing of a session without outstanding work.
pub fn listing(title: &str, updated_at: u64) -> Listing {
    let (unfinished, waiting, run_by) = (false, false, None);
    Listing {
        title: title.into(),
        updated_at: timestamp(updated_at),
        unfinished,
        waiting,
        summary: "{}".into(),
        run_by,
        retention_days: None,
        team: None,
    }
}

/// Builds an append of events with these texts after `expected`. The test fills in the rest.
pub fn append(session: SessionId, fence: Fence, expected: u64, texts: &[&str]) -> Append {
    let events = (expected + 1..).zip(texts).map(|(seq, text)| recorded_event(session, seq, text)).collect();
    let listing = listing("a session", expected + texts.len() as u64);
    Append {
        session,
        expected,
        fence,
        events,
        receipts: vec![],
        listing,
        members: vec![],
        appear: vec![],
        execution: vec![],
        erasure: None,
    }
}

/// Small changes that tests make to an append.
pub trait AppendExt: Sized {
    /// Adds the receipt of this command.
    fn with_receipt(self, actor: &str, id: &str) -> Self;
    /// Changes this membership.
    fn with_member(self, participant: ParticipantId, role: Option<Role>) -> Self;
    /// Sets this listing.
    fn with_listing(self, listing: Listing) -> Self;
}

impl AppendExt for Append {
    fn with_receipt(mut self, actor: &str, id: &str) -> Self {
        let seq = self.expected + self.events.len() as u64;
        self.receipts.push(CommandReceipt { actor: actor.into(), command: parse_command_id(id), seq });
        self
    }

    fn with_member(mut self, participant: ParticipantId, role: Option<Role>) -> Self {
        self.members.push((participant, role));
        self
    }

    fn with_listing(mut self, listing: Listing) -> Self {
        self.listing = listing;
        self
    }
}

/// Claims a new session and appends one event. Returns the session and its fence.
pub async fn start_session(store: &Arc<dyn EventStore>) -> (SessionId, Fence) {
    let session = new_session_id();
    let fence = store.claim(session, None).await.expect("claims");
    store.append(append(session, fence, 0, &["begun"])).await.expect("appends");
    (session, fence)
}

/// Reads the whole log, page by page.
pub async fn read_whole_log(store: &Arc<dyn EventStore>, session: SessionId) -> Vec<String> {
    let mut frames = Vec::new();
    loop {
        let page = store.read(session, frames.len() as u64, 100).await.expect("reads");
        if page.is_empty() {
            return frames;
        }
        for stored in page {
            assert_eq!(stored.seq, frames.len() as u64 + 1, "the log has no gap");
            frames.push(String::from_utf8(stored.frame.into()).expect("is UTF-8"));
        }
    }
}
