//! Errors of the connection to Redis.

use redis::RedisError;

/// Reason why a connection to Redis cannot be used or no longer works.
#[derive(Debug, thiserror::Error)]
pub enum RedisConnectionError {
    /// The connection failed, or Redis replied to a command with an error.
    #[error("Redis: {0}")]
    Refused(RedisError),
    /// The connection ended, or its channels have moved to another node.
    #[error("Redis closed the connection, or another node of the Redis cluster serves its slot now")]
    Closed,
    /// Redis did not reply in time.
    #[error("Redis does not reply in time")]
    Silent,
    /// Redis runs in a mode that is neither standalone nor cluster.
    #[error("Redis runs as {0}; use a standalone Redis or a node of a Redis cluster")]
    OtherKind(String),
    /// A slot of the Redis cluster has no owner.
    #[error("no node of the Redis cluster serves slot {0}; check CLUSTER SLOTS")]
    Unserved(u16),
    /// The node is a replica. Only its master can count the listeners of a channel.
    #[error("this node of the Redis cluster is now a replica; looking for its master")]
    Replica,
}

impl From<RedisError> for RedisConnectionError {
    fn from(error: RedisError) -> Self {
        if error.is_timeout() { Self::Silent } else { Self::Refused(error) }
    }
}
