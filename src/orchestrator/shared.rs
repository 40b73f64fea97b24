//! What the orchestrators of a node share.

use std::sync::Arc;

use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::lease::Lease;
use super::{Cluster, OrchestratorBounds};
use crate::agent::Mind;
use crate::feed::Feeds;
use crate::kernel::{SessionId, State};
use crate::store::{ClaimError, EventStore, Fence, NodeId, StoreError};
use crate::tool::Toolbox;

/// What the orchestrators of a node share.
pub(super) struct Shared {
    pub(super) store: Arc<dyn EventStore>,
    pub(super) feeds: Feeds,
    pub(super) minds: Arc<dyn Mind>,
    pub(super) toolbox: Toolbox,
    pub(super) bounds: OrchestratorBounds,
    pub(super) stopping: CancellationToken,
    pub(super) lease: Lease,
    /// The other nodes, where there can be any.
    pub(super) cluster: Option<Cluster>,
    /// What a stop waits for: the sessions, and what they keep beside their work.
    pub(super) tasks: TaskTracker,
}

impl Shared {
    /// The node whose lease claims stand on.
    pub(super) fn me(&self) -> Option<NodeId> {
        self.cluster.as_ref().map(|cluster| cluster.me.node)
    }

    /// Whether this node may write what it has claimed: its lease lasts, or it needs none.
    pub(super) fn may_write(&self) -> bool {
        self.cluster.is_none() || self.lease.is_held()
    }

    pub(super) async fn claim(&self, session: SessionId) -> Result<Fence, ClaimError> {
        self.store.claim(session, self.me()).await
    }

    /// Else the others would have to wait for this node's lease to end.
    pub(super) async fn release(&self, session: SessionId, fence: Fence) -> Result<(), StoreError> {
        match &self.cluster {
            Some(_) => self.store.release(session, fence).await,
            None => Ok(()),
        }
    }

    /// Save a state as the session's snapshot, in the background: restoring only gets slower where this fails.
    pub(super) fn keep(&self, state: &State) {
        let (store, session, seq, snapshot) = (self.store.clone(), state.view().session, state.seq(), state.snapshot());
        self.tasks.spawn(async move {
            let bytes = serde_json::to_vec(&snapshot).expect("a snapshot has only string keys");
            if let Err(error) = store.save_snapshot(session, seq, bytes.into()).await {
                tracing::warn!(%session, %error, "the snapshot was not kept");
            }
        });
    }
}
