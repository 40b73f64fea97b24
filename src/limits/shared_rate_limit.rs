//! Rate limits that all nodes share: a GCRA in Redis, which one script advances. While Redis is unavailable, only the
//! limits of each node apply.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt, Shared};
use parking_lot::Mutex;
use redis::AsyncConnectionConfig;
use redis::aio::MultiplexedConnection;
use tokio::time::{Instant, timeout};

use super::RateLimit;
use crate::bus::redis::{RedisConnectionError, RedisRoute};

/// Timeout for a response, after which the shared limits are skipped. A person would notice a longer delay.
const REPLY_TIMEOUT: Duration = Duration::from_millis(150);
/// Timeout for connecting. Connecting continues in the background while each node counts for itself, because over TLS
/// or a long distance it takes longer than a response.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Pause after a failure of Redis. Without it, every command would wait for the timeout.
const OUTAGE_PAUSE: Duration = Duration::from_secs(1);

/// Generic cell rate algorithm (ITU-T I.371) by Redis' own clock, in microseconds. Returns 0, or how long to wait.
/// `ARGV`: the time that one operation costs, the maximum debt, and the number of operations. A larger debt means that
/// the clock was set back; the script resets it, because otherwise people would be locked out until the clock has
/// caught up. A single operation that has to wait does not count. Multiple operations have already happened, so they
/// count in any case, up to the maximum debt.
const SCRIPT: &str = "
local now = redis.call('TIME')
now = now[1] * 1000000 + now[2]
local due = tonumber(redis.call('GET', KEYS[1]) or now)
if due < now or due > now + ARGV[2] then due = now end
due = due + ARGV[1] * ARGV[3]
local wait = due - now - ARGV[2]
if wait > 0 then
  if ARGV[3] == '1' then return wait end
  due = now + ARGV[2]
end
redis.call('SET', KEYS[1], string.format('%.0f', due), 'PX', math.ceil((due - now) / 1000))
return math.max(wait, 0)";

/// Rate limiters that all nodes share.
pub struct SharedRateLimiter {
    route: Arc<RedisRoute>,
    state: Mutex<RedisLimiterState>,
}

/// Connection, or an attempt to connect that continues in the background.
type RedisConnectionFuture = Shared<BoxFuture<'static, Result<MultiplexedConnection, Arc<str>>>>;

#[derive(Default)]
struct RedisLimiterState {
    link: Option<RedisConnectionFuture>,
    /// Time before which Redis is not used, after a failure.
    rests_until: Option<Instant>,
}

impl SharedRateLimiter {
    /// Creates limiters that use the Redis server at `route`, without connecting to it.
    pub fn new(route: RedisRoute) -> Self {
        Self { route: Arc::new(route), state: Mutex::default() }
    }

    /// Counts operations under this name. Returns how long to wait, which is zero if the operations are within the
    /// limit, or `None` if Redis does not respond. A single operation counts only if it is accepted; multiple
    /// operations count in any case.
    pub(super) async fn wait(&self, name: &str, limit: RateLimit, operations: u32) -> Option<Duration> {
        if self.state.lock().rests_until.is_some_and(|until| Instant::now() < until) {
            return None;
        }
        let reply = timeout(REPLY_TIMEOUT, self.ask(name, limit, operations))
            .await
            .unwrap_or_else(|_| Err("no response in time".into()));
        let mut state = self.state.lock();
        match reply {
            Ok(micros) => {
                if state.rests_until.take().is_some() {
                    tracing::info!("rate limits are shared between nodes again");
                }
                Some(Duration::from_micros(micros))
            }
            Err(error) => {
                if state.rests_until.is_none() {
                    tracing::warn!(%error, "rate limits are not shared; each node counts for itself");
                }
                // Keep a connection attempt for the next request, but drop a connection that does not respond.
                state.link.take_if(|link| link.peek().is_some());
                state.rests_until = Some(Instant::now() + OUTAGE_PAUSE);
                None
            }
        }
    }

    async fn ask(&self, name: &str, limit: RateLimit, operations: u32) -> Result<u64, Arc<str>> {
        let mut connection = self.link().await?;
        let each = 1_000_000 / u64::from(limit.per_second.get());
        let key = format!("{}:r:{name}", self.route.tag());
        let burst = each * u64::from(limit.burst.get());
        let mut script = redis::cmd("EVAL");
        script.arg(SCRIPT).arg(1).arg(key).arg(each).arg(burst).arg(operations);
        script.query_async(&mut connection).await.map_err(|error| error.to_string().into())
    }

    fn link(&self) -> RedisConnectionFuture {
        let begin = || {
            let connecting = tokio::spawn(timeout(CONNECT_TIMEOUT, connect(self.route.clone())));
            let connected = async {
                let invalid = |error: &dyn std::error::Error| Arc::from(error.to_string());
                let within = connecting.await.map_err(|error| invalid(&error))?.map_err(|error| invalid(&error))?;
                within.map_err(|error| invalid(&error))
            };
            connected.boxed().shared()
        };
        self.state.lock().link.get_or_insert_with(begin).clone()
    }
}

async fn connect(route: Arc<RedisRoute>) -> Result<MultiplexedConnection, RedisConnectionError> {
    // No timeouts here: callers set their own.
    let config = AsyncConnectionConfig::new().set_connection_timeout(None).set_response_timeout(None);
    let from = route.begin();
    let mut connection = from.get_multiplexed_async_connection_with_config(&config).await?;
    match route.slot_owner(&from, &mut connection).await? {
        Some(owner) => Ok(owner.get_multiplexed_async_connection_with_config(&config).await?),
        None => Ok(connection),
    }
}
