//! Snapshots of a session's state.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::call::{CallHistory, SourceLedger};
use super::state::Receipt;
use super::{CallMemory, Message, NodeActivity, ParticipantId, RedactionTarget, State, View};

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
    /// Digest of this program's kernel sources. Another version of the kernel can build a different state from the same
    /// log, for example one with an additional field. The state of a node that restored that version's snapshot would
    /// then differ from the state of a node that read the log.
    const KERNEL: u64 = {
        let Ok(digest) = u64::from_str_radix(env!("KERNEL_DIGEST"), 16) else {
            panic!("KERNEL_DIGEST is not a hexadecimal u64; check build.rs")
        };
        digest
    };

    /// Restores the state. Returns `None` if another version of the kernel made the snapshot; read the log in that
    /// case.
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
