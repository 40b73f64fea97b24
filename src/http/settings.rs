//! Settings of connections and requests.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ForwardedHeader;

/// Requests that are answered once: pages, REST, doors.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HttpSettings {
    /// Bytes of a request's body; a larger one is answered `too_large`.
    #[schemars(range(min = 1024, max = 67_108_864))]
    pub body_bytes: usize,
    /// Seconds for an answer, then it is `timed_out`, also to a command over a socket; streams have no such end.
    #[schemars(range(min = 1, max = 600))]
    pub timeout_seconds: u64,
    /// Requests at once of identified clients, an eighth of them of one participant; one more is answered `busy`. Open
    /// streams and sockets, and requests whose body is on its way, do not count.
    #[schemars(range(min = 1, max = 100_000))]
    pub concurrent_requests: usize,
    /// Requests at once of clients that nobody has identified, default 128, a quarter of them from one address; one more
    /// is answered `busy`.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_stranger_requests: usize,
    /// Bytes of a body that such a client may send, default 16 KiB; where doors take guests, it is `body_bytes`.
    #[schemars(range(min = 1024, max = 67_108_864))]
    pub stranger_body_bytes: usize,
    /// Seconds for the body of such a client, default 5; where doors take guests, it is `timeout_seconds`.
    #[schemars(range(min = 1, max = 600))]
    pub stranger_body_seconds: u64,
    /// Bytes of all bodies that are in memory, default 64 MiB, files on their way and the first 4 KiB of each body excepted;
    /// one more is answered `busy`. One participant has an eighth of them, clients that nobody has identified as much beside
    /// them, a quarter of that from one address; but each at least one body of `body_bytes`.
    #[schemars(range(min = 1_048_576, max = 68_719_476_736_i64))]
    pub max_buffered_bytes: usize,
    /// Seconds that a connection may be without a request: from accepting it, or from the end of its last answer, until
    /// the head of a request is there in whole. Default 15; then it is closed.
    #[schemars(range(min = 1, max = 300))]
    pub head_seconds: u64,
    /// Connections at once, sockets and event streams among them, default 25,000; never more than the process's limit of
    /// open files less a quarter of it, or less 1,024. One more gets `/healthz` and `/readyz` answered, else `busy`.
    #[schemars(range(min = 16, max = 10_000_000))]
    pub max_connections: usize,
    /// Connections at once from one address (of IPv6: from one /64 network), trusted proxies excepted. Absent: a quarter
    /// of all connections.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub max_connections_per_address: Option<usize>,
    /// Requests at once on one HTTP/2 connection, event streams among them, default 100.
    #[schemars(range(min = 1, max = 10_000))]
    pub max_streams: u32,
    /// Seconds between the comments that keep a silent event stream open, and between the heartbeats of the door
    /// `auto_agent`, default 10.
    #[schemars(range(min = 1, max = 300))]
    pub keep_alive_seconds: u64,
    /// Seconds that a stop takes at most, but for the spread of `socket.drain_millis`: sessions are handed over, requests
    /// under way are answered.
    #[schemars(range(min = 0, max = 300))]
    pub drain_seconds: u64,
    /// Items on a page of a list where the request does not say.
    #[schemars(range(min = 1, max = 1000))]
    pub page: u32,
    /// Items on a page of a list at most.
    #[schemars(range(min = 1, max = 10_000))]
    pub page_at_most: u32,
    /// Origins of front ends whose pages may call the REST API and the doors, such as `https://app.example.com`. Default
    /// none. They send a token, or are guests where doors take those: a cookie from there counts as none.
    pub cors_origins: Vec<String>,
    /// Networks of the proxies in front of the server, `10.0.0.0/8` or one address: only theirs are the forwarding
    /// headers that say which client asks and whether over TLS. Default none: the client is who connects.
    pub trusted_proxies: Vec<String>,
    /// The header that these proxies set: `x-forwarded-for` (with `X-Forwarded-Proto`) or `forwarded`. The other one is
    /// never read, since proxies pass it on as their client wrote it.
    pub forwarded_header: ForwardedHeader,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            body_bytes: 1024 * 1024,
            timeout_seconds: 30,
            concurrent_requests: 1024,
            max_stranger_requests: 128,
            stranger_body_bytes: 16 << 10,
            stranger_body_seconds: 5,
            max_buffered_bytes: 64 << 20,
            head_seconds: 15,
            max_connections: 25_000,
            max_connections_per_address: None,
            max_streams: 100,
            keep_alive_seconds: 10,
            drain_seconds: 10,
            page: 50,
            page_at_most: 1000,
            cors_origins: vec![],
            trusted_proxies: vec![],
            forwarded_header: ForwardedHeader::default(),
        }
    }
}
