//! Work that is done to its end whether or not somebody still waits for it.

use crate::audit::Origin;
use crate::protocol::Problem;

/// Do several things as one: that the caller hangs up between the first and the second must not leave the first alone,
/// as a session without the words that it was begun with (law 8).
pub(crate) async fn detached<T, E>(work: impl Future<Output = Result<T, E>> + Send + 'static) -> Result<T, E>
where
    T: Send + 'static,
    E: From<Problem> + Send + 'static,
{
    tokio::spawn(Origin::current().scope(work)).await.unwrap_or_else(|error| Err(Problem::internal(error).into()))
}
