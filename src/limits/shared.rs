//! One budget for a participant on all nodes: a GCRA, kept in Redis and advanced by one script there. While Redis is away
//! each node's own limits hold alone.

use std::time::Duration;

use parking_lot::Mutex;
use redis::AsyncConnectionConfig;
use redis::aio::MultiplexedConnection;
use tokio::time::Instant;

use super::Pace;
use crate::bus::redis::{Broken, Route};

/// How long an answer may take before it is done without: a person notices more than that.
const ANSWER: Duration = Duration::from_millis(150);
/// How long Redis is left alone after it did not answer. Every command would wait for it otherwise.
const REST: Duration = Duration::from_secs(1);

/// The generic cell rate algorithm (ITU-T I.371) by Redis' own clock, in microseconds: 0, or how long to wait. `ARGV`:
/// the time that one act costs, and the most that may be owed. More is never written: it is owed where that clock was set
/// back since, and would lock people out until the clock is there again.
const SCRIPT: &str = "
local now = redis.call('TIME')
now = now[1] * 1000000 + now[2]
local due = tonumber(redis.call('GET', KEYS[1]) or now)
if due < now or due > now + ARGV[2] then due = now end
due = due + ARGV[1]
local wait = due - now - ARGV[2]
if wait > 0 then return wait end
redis.call('SET', KEYS[1], string.format('%.0f', due), 'PX', math.ceil((due - now) / 1000))
return 0";

/// The counts that all nodes share.
pub struct SharedLimits {
    route: Route,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    connection: Option<MultiplexedConnection>,
    /// Not asked before this.
    rests_until: Option<Instant>,
}

impl SharedLimits {
    /// Those at the Redis where this leads. Does not try to reach it.
    pub fn new(route: Route) -> Self {
        Self { route, state: Mutex::default() }
    }

    /// Count one act under this name: how long it has to wait, zero where it may be done now. `None` where Redis does not
    /// say.
    pub(super) async fn wait(&self, name: &str, pace: Pace) -> Option<Duration> {
        if self.state.lock().rests_until.is_some_and(|until| Instant::now() < until) {
            return None;
        }
        let asked = tokio::time::timeout(ANSWER, self.ask(name, pace)).await;
        let asked =
            asked.map_err(|_| "no answer in time".to_owned()).and_then(|asked| asked.map_err(|e| e.to_string()));
        let mut state = self.state.lock();
        match asked {
            Ok(micros) => {
                if state.rests_until.take().is_some() {
                    tracing::info!("limits are counted for all nodes together again");
                }
                Some(Duration::from_micros(micros))
            }
            Err(error) => {
                if state.rests_until.is_none() {
                    tracing::warn!(%error, "limits are counted by each node for itself");
                }
                *state = State { connection: None, rests_until: Some(Instant::now() + REST) };
                None
            }
        }
    }

    async fn ask(&self, name: &str, pace: Pace) -> Result<u64, Broken> {
        let mut connection = self.connection().await?;
        let each = 1_000_000 / u64::from(pace.per_second.get());
        let key = format!("{}:r:{name}", self.route.tag());
        let burst = each * u64::from(pace.burst.get());
        let mut script = redis::cmd("EVAL");
        script.arg(SCRIPT).arg(1).arg(key).arg(each).arg(burst);
        Ok(script.query_async(&mut connection).await?)
    }

    async fn connection(&self) -> Result<MultiplexedConnection, Broken> {
        let known = self.state.lock().connection.clone();
        if let Some(connection) = known {
            return Ok(connection);
        }
        let config =
            AsyncConnectionConfig::new().set_connection_timeout(Some(ANSWER)).set_response_timeout(Some(ANSWER));
        let from = self.route.begin();
        let mut connection = from.get_multiplexed_async_connection_with_config(&config).await?;
        if let Some(owner) = self.route.onward(&from, &mut connection).await? {
            connection = owner.get_multiplexed_async_connection_with_config(&config).await?;
        }
        self.state.lock().connection = Some(connection.clone());
        Ok(connection)
    }
}
