//! Which Redis serves us: the one of the URL or, where that is a node of a cluster, the node that owns our slot.
//!
//! All names of one tag are in one slot of a Redis cluster. So they have one node at a time, on which a publisher can count
//! who listens, and one connection for each purpose is enough there too.

use std::collections::{HashMap, VecDeque};

use parking_lot::Mutex;
use redis::{Client, ConnectionAddr, FromRedisValue, RedisResult, Value, aio::MultiplexedConnection};

use super::{Broken, RedisUrlError, client};

/// The way to the Redis that serves a tag; does not lead there by itself.
pub struct Route {
    tag: String,
    url: Client,
    /// Who can be asked for the way: when the node of the URL is gone, another of its cluster.
    known: Mutex<VecDeque<Client>>,
}

impl Route {
    /// From the Redis of this URL to the one that serves the names of this prefix.
    ///
    /// # Errors
    /// Where the URL is not one of a Redis.
    pub fn new(url: &str, prefix: &str) -> Result<Self, RedisUrlError> {
        let url = client(url)?;
        Ok(Self { tag: format!("{{{prefix}}}"), known: Mutex::new([url.clone()].into()), url })
    }

    /// What all names begin with. A Redis cluster hashes what is in its braces, and not the rest of a name.
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// Where to begin: at another node each time.
    pub fn begin(&self) -> Client {
        let mut known = self.known.lock();
        known.rotate_left(1);
        known[0].clone()
    }

    /// Where the way goes on from there: nowhere if it is a Redis of its own, else to the owner of the slot.
    ///
    /// # Errors
    /// Where Redis does not say, or nobody owns it.
    pub async fn onward(&self, from: &Client, there: &mut MultiplexedConnection) -> Result<Option<Client>, Broken> {
        match Hello::ask(there).await?.mode.as_str() {
            "standalone" => return Ok(None),
            "cluster" => {}
            other => return Err(Broken::OtherKind(other.into())),
        }
        let mut asking = redis::pipe();
        asking.cmd("CLUSTER").arg("KEYSLOT").arg(&self.tag).cmd("CLUSTER").arg("SLOTS");
        let (slot, ranges): (u16, Vec<Vec<Value>>) = asking.query_async(there).await?;
        let (mut owner, mut known) = (None, HashMap::new());
        for range in &ranges {
            // First and last slot, the master, its replicas.
            let [first, last, nodes @ ..] = &range[..] else { continue };
            let is_ours = (read::<u16>(first)?..=read::<u16>(last)?).contains(&slot);
            for (place, node) in nodes.iter().enumerate() {
                let node = at(from, node)?;
                if is_ours && place == 0 {
                    owner = Some(node.clone());
                }
                known.insert(node.get_connection_info().addr().to_string(), node);
            }
        }
        let owner = owner.ok_or(Broken::Unserved(slot))?;
        *self.known.lock() = [self.url.clone()].into_iter().chain(known.into_values()).collect();
        Ok(Some(owner))
    }
}

/// What a Redis says of itself.
pub(super) struct Hello {
    mode: String,
    pub(super) is_replica: bool,
}

impl Hello {
    pub(super) async fn ask(there: &mut MultiplexedConnection) -> RedisResult<Self> {
        let said: HashMap<String, Value> = redis::cmd("HELLO").query_async(there).await?;
        let word = |name| said.get(name).map(read::<String>).transpose().map(Option::unwrap_or_default);
        Ok(Self { mode: word("mode")?, is_replica: word("role")? == "replica" })
    }
}

/// The node of a row of `CLUSTER SLOTS`, reached as the one that told of it: by TLS or not, as the same user.
fn at(from: &Client, node: &Value) -> RedisResult<Client> {
    let node: Vec<Value> = read(node)?;
    let (host, port) = match &node[..] {
        [host, port, ..] => (read::<Option<String>>(host)?.filter(|host| !host.is_empty()), read(port)?),
        _ => (None, 0),
    };
    let info = from.get_connection_info().clone();
    // One that does not know its own name means the one that it was reached by.
    let address = match info.addr().clone() {
        ConnectionAddr::TcpTls { host: same, insecure, tls_params, .. } => {
            ConnectionAddr::TcpTls { host: host.unwrap_or(same), port, insecure, tls_params }
        }
        ConnectionAddr::Tcp(same, _) => ConnectionAddr::Tcp(host.unwrap_or(same), port),
        _ => ConnectionAddr::Tcp(host.unwrap_or_else(|| "localhost".into()), port),
    };
    Client::open(info.set_addr(address))
}

fn read<T: FromRedisValue>(value: &Value) -> RedisResult<T> {
    Ok(redis::from_redis_value_ref(value)?)
}
