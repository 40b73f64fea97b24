//! Why Redis cannot be used.

use redis::RedisError;

/// Why a connection to Redis cannot be used, or no longer.
#[derive(Debug, thiserror::Error)]
pub enum Broken {
    /// It cannot be had, or a command was answered with an error.
    #[error("Redis: {0}")]
    Refused(RedisError),
    /// It ended, or what was subscribed to is no longer to be had on it.
    #[error("Redis closed the connection, or another node of the Redis cluster serves its slot now")]
    Closed,
    /// No answer.
    #[error("Redis does not answer in time")]
    Silent,
    /// Neither Redis itself nor a cluster.
    #[error("Redis runs as {0}; a standalone Redis or any node of a Redis cluster is needed")]
    OtherKind(String),
    /// Not a cluster that is whole.
    #[error("no node of the Redis cluster serves slot {0}; see CLUSTER SLOTS there")]
    Unserved(u16),
    /// A replica knows less than its master: who listens is counted there.
    #[error("this node of the Redis cluster is a replica now; its master is looked for")]
    Replica,
}

impl From<RedisError> for Broken {
    fn from(error: RedisError) -> Self {
        if error.is_timeout() { Self::Silent } else { Self::Refused(error) }
    }
}
