//! One budget for a participant on all nodes: a GCRA, kept in Redis and advanced by one script there. While Redis is away
//! each node's own limits hold alone.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt, Shared};
use parking_lot::Mutex;
use redis::AsyncConnectionConfig;
use redis::aio::MultiplexedConnection;
use tokio::time::{Instant, timeout};

use super::Pace;
use crate::bus::redis::{Broken, Route};

/// How long an answer may take before it is done without: a person notices more than that.
const ANSWER: Duration = Duration::from_millis(150);
/// How long a connection may take to be made. It goes on while limits are counted without it: over TLS or from far away it
/// takes longer than an answer may.
const CONNECT: Duration = Duration::from_secs(5);
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
    route: Arc<Route>,
    state: Mutex<State>,
}

/// A connection, or the way to one, which goes on by itself.
type Link = Shared<BoxFuture<'static, Result<MultiplexedConnection, Arc<str>>>>;

#[derive(Default)]
struct State {
    link: Option<Link>,
    /// Not asked before this.
    rests_until: Option<Instant>,
}

impl SharedLimits {
    /// Those at the Redis where this leads. Does not try to reach it.
    pub fn new(route: Route) -> Self {
        Self { route: Arc::new(route), state: Mutex::default() }
    }

    /// Count one act under this name: how long it has to wait, zero where it may be done now. `None` where Redis does not
    /// say.
    pub(super) async fn wait(&self, name: &str, pace: Pace) -> Option<Duration> {
        if self.state.lock().rests_until.is_some_and(|until| Instant::now() < until) {
            return None;
        }
        let asked = timeout(ANSWER, self.ask(name, pace)).await.unwrap_or_else(|_| Err("no answer in time".into()));
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
                // What is being connected to is of use to the next; what is connected and does not answer is of none.
                state.link.take_if(|link| link.peek().is_some());
                state.rests_until = Some(Instant::now() + REST);
                None
            }
        }
    }

    async fn ask(&self, name: &str, pace: Pace) -> Result<u64, Arc<str>> {
        let mut connection = self.link().await?;
        let each = 1_000_000 / u64::from(pace.per_second.get());
        let key = format!("{}:r:{name}", self.route.tag());
        let burst = each * u64::from(pace.burst.get());
        let mut script = redis::cmd("EVAL");
        script.arg(SCRIPT).arg(1).arg(key).arg(each).arg(burst);
        script.query_async(&mut connection).await.map_err(|error| error.to_string().into())
    }

    fn link(&self) -> Link {
        let begin = || {
            let connecting = tokio::spawn(timeout(CONNECT, connect(self.route.clone())));
            let connected = async {
                let wrong = |error: &dyn std::error::Error| Arc::from(error.to_string());
                let within = connecting.await.map_err(|error| wrong(&error))?.map_err(|error| wrong(&error))?;
                within.map_err(|error| wrong(&error))
            };
            connected.boxed().shared()
        };
        self.state.lock().link.get_or_insert_with(begin).clone()
    }
}

async fn connect(route: Arc<Route>) -> Result<MultiplexedConnection, Broken> {
    // Whoever waits for this, or for an answer, says how long.
    let config = AsyncConnectionConfig::new().set_connection_timeout(None).set_response_timeout(None);
    let from = route.begin();
    let mut connection = from.get_multiplexed_async_connection_with_config(&config).await?;
    match route.onward(&from, &mut connection).await? {
        Some(owner) => Ok(owner.get_multiplexed_async_connection_with_config(&config).await?),
        None => Ok(connection),
    }
}
