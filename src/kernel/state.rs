//! State of a session: the fold of its log.

use std::{collections::VecDeque, sync::Arc};

use serde::{Deserialize, Serialize};

use super::call::{CallHistory, SourceLedger};
use super::{
    Actor, CallMemory, CommandId, Message, NodeActivity, ParticipantId, RedactionTarget, SessionId, Settings, Team,
    Timestamp, UsageTotals, View,
};

/// State of a session according to its log. Only [`super::evolve`] changes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    pub(super) seq: u64,
    pub(super) view: View,
    pub(super) receipts: VecDeque<Arc<Receipt>>,
    /// Targets of redactions, newest last.
    pub(super) redactions: VecDeque<RedactionTarget>,
    /// Participants whose name was redacted, newest last.
    pub(super) nameless: VecDeque<ParticipantId>,
}

/// First response to a participant's command. It is returned again if the command is repeated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Receipt {
    /// Id of the sender.
    pub(super) actor: Arc<str>,
    /// Id of the command, chosen by the sender.
    pub(super) command: CommandId,
    /// Seq of the last event of the command.
    pub(super) seq: u64,
}

/// A serialized state. Restoring it avoids reading the whole log.
#[derive(Debug, Serialize, Deserialize)]
pub struct Snapshot {
    made_by: u64,
    seq: u64,
    view: View,
    model_messages: VecDeque<Arc<Message>>,
    call_memory: CallMemory,
    node_activity: NodeActivity,
    sources: SourceLedger,
    call_history: CallHistory,
    receipts: VecDeque<Arc<Receipt>>,
    redactions: VecDeque<RedactionTarget>,
    nameless: VecDeque<ParticipantId>,
}

impl State {
    /// Maximum number of receipts in a state. The store detects repetitions of older commands.
    pub const RECEIPTS: usize = 256;

    /// Returns the state of a session before its first event.
    pub fn new(session: SessionId) -> Self {
        let team = Team {
            name: "".into(),
            title: "".into(),
            flow: "".into(),
            language: Default::default(),
            starters: vec![],
            agents: vec![],
            steps: vec![],
            topology: None,
            origin: None,
        };
        let view = View {
            session,
            title: "".into(),
            titled: false,
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
            permissions: vec![],
            inbox: vec![],
            messages: VecDeque::new(),
            files: vec![],
            more: false,
            model_messages: VecDeque::new(),
            call_memory: CallMemory::default(),
            node_activity: NodeActivity::default(),
            sources: SourceLedger::default(),
            call_history: CallHistory::default(),
            removed: VecDeque::new(),
            knocks: vec![],
            refused: VecDeque::new(),
            title_request: None,
            usage_by_agent: vec![],
            usage_by_participant: vec![],
            usage_of_run: UsageTotals::default(),
        };
        Self { seq: 0, view, receipts: VecDeque::new(), redactions: VecDeque::new(), nameless: VecDeque::new() }
    }

    /// Returns the seq of the last event; 0 before the first.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Returns the view that everyone with the right to watch can see.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Returns the seq of the first response to this command, if the state still has it.
    pub fn receipt(&self, by: &Actor, id: &CommandId) -> Option<u64> {
        self.receipts.iter().rev().find(|receipt| receipt.actor == by.id && receipt.command == *id).map(|r| r.seq)
    }

    /// Returns a snapshot of the state.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            made_by: Snapshot::KERNEL,
            seq: self.seq,
            view: self.view.clone(),
            model_messages: self.view.model_messages.clone(),
            call_memory: self.view.call_memory.clone(),
            node_activity: self.view.node_activity.clone(),
            sources: self.view.sources.clone(),
            call_history: self.view.call_history.clone(),
            receipts: self.receipts.clone(),
            redactions: self.redactions.clone(),
            nameless: self.nameless.clone(),
        }
    }
}

impl Snapshot {
    /// Digest of this program's kernel sources. Another kernel can build a different state from the same log, for
    /// example one with an additional field. A node that restored a snapshot by that kernel would then differ from a
    /// node that read the log.
    const KERNEL: u64 = {
        let Ok(digest) = u64::from_str_radix(env!("KERNEL_DIGEST"), 16) else {
            panic!("KERNEL_DIGEST is not a hexadecimal u64; check build.rs")
        };
        digest
    };

    /// Restores the state. Returns `None` if another kernel made the snapshot; read the log in that case.
    pub fn restore(self) -> Option<State> {
        let Self {
            made_by,
            seq,
            view,
            model_messages,
            call_memory,
            node_activity,
            sources,
            call_history,
            receipts,
            redactions,
            nameless,
        } = self;
        let view = View { model_messages, call_memory, node_activity, sources, call_history, ..view };
        (made_by == Self::KERNEL).then_some(State { seq, view, receipts, redactions, nameless })
    }
}
