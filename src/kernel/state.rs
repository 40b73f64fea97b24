//! The fold of a session's log.

use std::{collections::VecDeque, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{
    Actor, CallMemory, CommandId, Message, ParticipantId, RedactionTarget, SessionId, Settings, Team, Timestamp,
    UsageTotals, View,
};

/// A session as its log says it is. Changed by [`super::evolve`] alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    pub(super) seq: u64,
    pub(super) view: View,
    pub(super) receipts: VecDeque<Receipt>,
    /// What was redacted, newest last.
    pub(super) redactions: VecDeque<RedactionTarget>,
    /// Participants whose name was redacted, newest last.
    pub(super) nameless: VecDeque<ParticipantId>,
}

/// The first answer to a participant's command, so that a repetition gets it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Receipt {
    pub(super) actor: Arc<str>,
    pub(super) command: CommandId,
    pub(super) seq: u64,
}

/// A state written down, to restore it without reading the whole log.
#[derive(Debug, Serialize, Deserialize)]
pub struct Snapshot {
    made_by: u64,
    seq: u64,
    view: View,
    heard: VecDeque<Arc<Message>>,
    call_memory: CallMemory,
    receipts: VecDeque<Receipt>,
    redactions: VecDeque<RedactionTarget>,
    nameless: VecDeque<ParticipantId>,
}

impl State {
    /// Receipts that a state remembers; older repetitions are caught by the store.
    pub const RECEIPTS: usize = 256;

    /// The session before its first event.
    pub fn new(session: SessionId) -> Self {
        let team = Team {
            name: "".into(),
            title: "".into(),
            flow: "".into(),
            language: Default::default(),
            starters: vec![],
            agents: vec![],
            steps: vec![],
        };
        let view = View {
            session,
            title: "".into(),
            created_at: Timestamp::default(),
            updated_at: Timestamp::default(),
            closed: false,
            redacted: None,
            team: Arc::new(team),
            settings: Settings::default(),
            participants: vec![],
            run: None,
            gates: vec![],
            decided: VecDeque::new(),
            inbox: vec![],
            messages: VecDeque::new(),
            files: vec![],
            more: false,
            heard: VecDeque::new(),
            call_memory: CallMemory::default(),
            removed: VecDeque::new(),
            knocks: vec![],
            refused: VecDeque::new(),
            usage_by_agent: vec![],
            usage_by_participant: vec![],
            usage_of_run: UsageTotals::default(),
        };
        Self { seq: 0, view, receipts: VecDeque::new(), redactions: VecDeque::new(), nameless: VecDeque::new() }
    }

    /// The seq of the last event; 0 before the first.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// What everybody who may watch can see.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// The answer that this command got before, if the state still knows.
    pub fn receipt(&self, by: &Actor, id: &CommandId) -> Option<u64> {
        self.receipts.iter().rev().find(|receipt| receipt.actor == by.id && receipt.command == *id).map(|r| r.seq)
    }

    /// The state written down.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            made_by: Snapshot::KERNEL,
            seq: self.seq,
            view: self.view.clone(),
            heard: self.view.heard.clone(),
            call_memory: self.view.call_memory.clone(),
            receipts: self.receipts.clone(),
            redactions: self.redactions.clone(),
            nameless: self.nameless.clone(),
        }
    }
}

impl Snapshot {
    /// This program's kernel: a digest of its sources. Another one would have made another state of the same log, by a field
    /// more or a fact that it takes otherwise, and whoever restored its snapshot would differ from whoever read the log.
    const KERNEL: u64 = {
        let Ok(digest) = u64::from_str_radix(env!("KERNEL_DIGEST"), 16) else { panic!("not a digest") };
        digest
    };

    /// The state that was written down; `None` where another kernel wrote it, and the log must be read instead.
    pub fn restore(self) -> Option<State> {
        let Self { made_by, seq, view, heard, call_memory, receipts, redactions, nameless } = self;
        let view = View { heard, call_memory, ..view };
        (made_by == Self::KERNEL).then_some(State { seq, view, receipts, redactions, nameless })
    }
}
