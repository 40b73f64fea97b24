//! Calls that are at work at once. Further ones wait for a place, in order, and their time begins when they have it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::{Place, ToolError};

/// How long a call waits at most: a place that has not come free by then is held by something that does not end.
const PATIENCE: Duration = Duration::from_secs(600);

/// So many places.
#[derive(Clone)]
pub(super) struct Places {
    free: Arc<Semaphore>,
    all: usize,
}

impl Places {
    pub(super) fn new(all: usize) -> Self {
        Self { free: Arc::new(Semaphore::new(all)), all }
    }

    /// A place for this call, until it is dropped.
    pub(super) async fn take(&self, at: &Place) -> Result<OwnedSemaphorePermit, ToolError> {
        let unavailable = |words: String| ToolError::new("tool_unavailable", words);
        match at.watch.held(timeout(PATIENCE, self.free.clone().acquire_owned())).await {
            Ok(Ok(place)) => Ok(place),
            Ok(Err(_)) => Err(unavailable("the server is stopping".into())),
            Err(_) => Err(unavailable(format!(
                "it was not begun: {} calls like this are at work at once, and none of them ended within {} s; try again later",
                self.all,
                PATIENCE.as_secs()
            ))),
        }
    }
}
