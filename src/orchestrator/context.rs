//! State that the orchestrators of a node share.

use std::sync::Arc;

use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tracing::Instrument;

use super::lease_renewal::Lease;
use super::{Cluster, OrchestratorSettings};
use crate::agent::ModelPort;
use crate::feed::FeedRegistry;
use crate::identity::IdentityStore;
use crate::kernel::{SessionId, State};
use crate::node_id::NodeId;
use crate::store::{ClaimError, EventStore, Fence};
use crate::store_error::StoreError;
use crate::tool::Toolbox;

/// State that the orchestrators of a node share.
pub(super) struct OrchestratorContext {
    pub(super) store: Arc<dyn EventStore>,
    pub(super) feeds: FeedRegistry,
    pub(super) models: Arc<dyn ModelPort>,
    pub(super) toolbox: Toolbox,
    /// Identities of participants. `None` only in tests that do not need them.
    pub(super) identities: Option<Arc<dyn IdentityStore>>,
    pub(super) settings: OrchestratorSettings,
    pub(super) stopping: CancellationToken,
    pub(super) lease: Lease,
    /// The other nodes. `None` on a single node.
    pub(super) cluster: Option<Cluster>,
    /// Tasks that a shutdown waits for: the sessions and their background writes.
    pub(super) tasks: TaskTracker,
}

impl OrchestratorContext {
    /// Returns the node whose lease the claims use. `None` without a cluster.
    pub(super) fn me(&self) -> Option<NodeId> {
        self.cluster.as_ref().map(|cluster| cluster.me.node)
    }

    /// Returns whether this node is allowed to write the sessions that it has claimed: it holds its lease, or needs
    /// none.
    pub(super) fn may_write(&self) -> bool {
        self.cluster.is_none() || self.lease.is_valid()
    }

    pub(super) async fn claim(&self, session: SessionId) -> Result<Fence, ClaimError> {
        self.store.claim(session, self.me()).await
    }

    /// Releases a claim. Otherwise, other nodes would have to wait until this node's lease expires.
    pub(super) async fn release(&self, session: SessionId, fence: Fence) -> Result<(), StoreError> {
        match &self.cluster {
            Some(_) => self.store.release(session, fence).await,
            None => Ok(()),
        }
    }

    /// Saves a state as the session's snapshot, in the background. A failure only makes a restore slower.
    pub(super) fn save_snapshot(&self, state: &State) {
        let (store, session, seq, snapshot) = (self.store.clone(), state.view().session, state.seq(), state.snapshot());
        let save = async move {
            let bytes = serde_json::to_vec(&snapshot).expect("a snapshot has only string keys");
            if let Err(error) = store.save_snapshot(session, seq, bytes.into()).await {
                tracing::warn!(%error, "snapshot not saved");
            }
        };
        self.tasks.spawn(save.in_current_span());
    }
}
