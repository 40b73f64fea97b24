//! State of a session: the fold of its log.

use std::{collections::VecDeque, sync::Arc};

use serde::{Deserialize, Serialize};

use super::call::{CallHistory, SourceLedger};
use super::{
    Actor, CallMemory, CommandId, NodeActivity, ParticipantId, RedactionTarget, SessionId, Settings, Team, Timestamp,
    UsageTotals, View,
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
}
