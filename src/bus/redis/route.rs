//! Selection of the Redis server: the server in the URL or, if that is a node of a cluster, the owner of the slot.
//!
//! All names with the same tag are in one slot of a Redis cluster, and therefore on one node at a time. A publisher can
//! count the listeners on that node, and one connection per purpose is enough in a cluster too.

use std::collections::{HashMap, VecDeque};

use parking_lot::Mutex;
use redis::{Client, ConnectionAddr, FromRedisValue, RedisResult, Value, aio::MultiplexedConnection};

use super::{RedisConnectionError, RedisUrlError, client};

/// The route to the Redis server for a tag. Does not connect by itself.
pub struct RedisRoute {
    tag: String,
    url: Client,
    /// Nodes that can be asked for the owner of the slot. If the node in the URL fails, another node of the cluster
    /// replaces it.
    known: Mutex<VecDeque<Client>>,
}

impl RedisRoute {
    /// Creates a route from the Redis at this URL to the server for names with this prefix.
    ///
    /// # Errors
    /// Fails if the URL is not a valid Redis URL.
    pub fn new(url: &str, prefix: &str) -> Result<Self, RedisUrlError> {
        let url = client(url)?;
        Ok(Self { tag: format!("{{{prefix}}}"), known: Mutex::new([url.clone()].into()), url })
    }

    /// Returns the common prefix of all names. A Redis cluster hashes only the part in braces.
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// Returns the node to start from. Rotates through the known nodes.
    pub fn begin(&self) -> Client {
        let mut known = self.known.lock();
        known.rotate_left(1);
        known[0].clone()
    }

    /// Returns the owner of the slot, or `None` for a standalone Redis.
    ///
    /// # Errors
    /// Fails if Redis does not reply, runs in another mode than standalone or cluster, or no node owns the slot.
    pub async fn slot_owner(
        &self,
        from: &Client,
        there: &mut MultiplexedConnection,
    ) -> Result<Option<Client>, RedisConnectionError> {
        match HelloReply::ask(there).await?.mode.as_str() {
            "standalone" => return Ok(None),
            "cluster" => {}
            other => return Err(RedisConnectionError::OtherKind(other.into())),
        }
        let mut slot_query = redis::pipe();
        slot_query.cmd("CLUSTER").arg("KEYSLOT").arg(&self.tag).cmd("CLUSTER").arg("SLOTS");
        let (slot, ranges): (u16, Vec<Vec<Value>>) = slot_query.query_async(there).await?;
        let (mut owner, mut known) = (None, HashMap::new());
        for range in &ranges {
            // Each range contains its first and last slot, the master and the replicas.
            let [first, last, nodes @ ..] = &range[..] else { continue };
            let is_ours = (parse::<u16>(first)?..=parse::<u16>(last)?).contains(&slot);
            for (place, node) in nodes.iter().enumerate() {
                let node = client_at(from, node)?;
                if is_ours && place == 0 {
                    owner = Some(node.clone());
                }
                known.insert(node.get_connection_info().addr().to_string(), node);
            }
        }
        let owner = owner.ok_or(RedisConnectionError::Unserved(slot))?;
        *self.known.lock() = [self.url.clone()].into_iter().chain(known.into_values()).collect();
        Ok(Some(owner))
    }
}

/// The `HELLO` reply of a Redis server.
pub(super) struct HelloReply {
    mode: String,
    pub(super) is_replica: bool,
}

impl HelloReply {
    pub(super) async fn ask(there: &mut MultiplexedConnection) -> RedisResult<Self> {
        let reply: HashMap<String, Value> = redis::cmd("HELLO").query_async(there).await?;
        let field = |name| reply.get(name).map(parse::<String>).transpose().map(Option::unwrap_or_default);
        Ok(Self { mode: field("mode")?, is_replica: field("role")? == "replica" })
    }
}

/// Returns a client for a node in a row of the `CLUSTER SLOTS` reply, with the TLS settings and user of `from`, the
/// node that sent the reply.
fn client_at(from: &Client, node: &Value) -> RedisResult<Client> {
    let node: Vec<Value> = parse(node)?;
    let (host, port) = match &node[..] {
        [host, port, ..] => (parse::<Option<String>>(host)?.filter(|host| !host.is_empty()), parse(port)?),
        _ => (None, 0),
    };
    let info = from.get_connection_info().clone();
    // A node that does not know its own host name can be reached under the host name of the connection to it.
    let address = match info.addr().clone() {
        ConnectionAddr::TcpTls { host: same, insecure, tls_params, .. } => {
            ConnectionAddr::TcpTls { host: host.unwrap_or(same), port, insecure, tls_params }
        }
        ConnectionAddr::Tcp(same, _) => ConnectionAddr::Tcp(host.unwrap_or(same), port),
        _ => ConnectionAddr::Tcp(host.unwrap_or_else(|| "localhost".into()), port),
    };
    Client::open(info.set_addr(address))
}

fn parse<T: FromRedisValue>(value: &Value) -> RedisResult<T> {
    Ok(redis::from_redis_value_ref(value)?)
}
