//! Settings of connections and requests.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ForwardedHeader;

/// Limits and timeouts of HTTP requests to pages, REST and doors.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HttpSettings {
    /// Maximum size of a request's body, in bytes. A request with a larger body fails with `too_large`. 1024 to
    /// 67108864, default 1048576.
    #[schemars(range(min = 1024, max = 67_108_864))]
    pub max_body_bytes: usize,
    /// Timeout of a request, and of a command over a socket, in seconds. After the timeout, the request or command
    /// fails with `timed_out`. Streams have no timeout. At most 600, default 30.
    #[schemars(range(min = 1, max = 600))]
    pub timeout_seconds: u64,
    /// Maximum number of concurrent requests of identified clients, an eighth of them from one participant. Further
    /// requests fail with `busy`. Open streams and sockets, and requests whose body has not arrived, do not count.
    /// Default 1024.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_concurrent_requests: usize,
    /// Maximum number of concurrent requests of unidentified clients, a quarter of them from one address. Further
    /// requests fail with `busy`. Default 128.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_stranger_requests: usize,
    /// Maximum size of a body of an unidentified client, in bytes. Default 16384. If doors accept guests,
    /// `max_body_bytes` applies instead.
    #[schemars(range(min = 1024, max = 67_108_864))]
    pub max_stranger_body_bytes: usize,
    /// Timeout for the body of an unidentified client, in seconds. Default 5. If doors accept guests, `timeout_seconds`
    /// applies instead.
    #[schemars(range(min = 1, max = 600))]
    pub stranger_body_seconds: u64,
    /// Maximum total size of all bodies in memory, in bytes, excluding uploads and the first 4 KiB of each body.
    /// Requests with further bodies fail with `busy`. One participant can use an eighth of this total. Unidentified
    /// clients have another eighth, and one address a quarter of that. Each of them can always use the memory of one
    /// body of `max_body_bytes`. 1048576 to 68719476736, default 67108864.
    #[schemars(range(min = 1_048_576, max = 68_719_476_736_i64))]
    pub max_buffered_bytes: usize,
    /// Seconds after which an idle connection is closed, counted from its opening or from the end of its last response,
    /// until the head of a request has arrived completely. At most 300, default 15.
    #[schemars(range(min = 1, max = 300))]
    pub header_timeout_seconds: u64,
    /// Maximum number of concurrent connections, including sockets and event streams. A quarter of the process's limit
    /// of open files, but at most 1024, is reserved for other purposes. A further connection gets responses to
    /// `/healthz` and `/readyz`, and otherwise `busy`. 16 to 10000000, default 25000.
    #[schemars(range(min = 16, max = 10_000_000))]
    pub max_connections: usize,
    /// Maximum number of concurrent connections from one address, or one IPv6 /64 network, except for trusted proxies.
    /// If absent, a quarter of all connections.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub max_connections_per_address: Option<usize>,
    /// Maximum number of concurrent requests on one HTTP/2 connection, including event streams. At most 10000, default
    /// 100.
    #[schemars(range(min = 1, max = 10_000))]
    pub max_streams: u32,
    /// Seconds between two comments that keep a silent event stream open, and between two heartbeats of the
    /// `auto_agent` door. At most 300, default 10.
    #[schemars(range(min = 1, max = 300))]
    pub keep_alive_seconds: u64,
    /// Maximum duration of a graceful shutdown, in seconds, in addition to `socket.drain_ms`: sessions are released
    /// and active requests finish. At most 300, default 10.
    #[schemars(range(min = 0, max = 300))]
    pub drain_seconds: u64,
    /// Number of items on a page of a list if the request sets no limit. At most 1000, default 50.
    #[schemars(range(min = 1, max = 1000))]
    pub default_page_size: u32,
    /// Maximum number of items on a page of a list. At most 10000, default 1000.
    #[schemars(range(min = 1, max = 10_000))]
    pub max_page_size: u32,
    /// Origins of front ends whose pages can call the REST API and the doors, for example
    /// `["https://app.example.com"]`. Default none. These pages send a token, or are guests if doors accept guests.
    /// Their cookies are ignored.
    pub cors_origins: Vec<String>,
    /// Networks of the trusted proxies in front of the server, for example `["10.0.0.0/8"]`, or single addresses. Only
    /// their forwarding headers determine the client's address and whether it uses TLS. Default none, so that the peer
    /// of a connection is the client.
    pub trusted_proxies: Vec<String>,
    /// Header that these proxies set: `x-forwarded-for` (with `X-Forwarded-Proto`, default) or `forwarded`. The other
    /// header is never read, because proxies pass it on as their client sent it.
    pub forwarded_header: ForwardedHeader,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            max_body_bytes: 1024 * 1024,
            timeout_seconds: 30,
            max_concurrent_requests: 1024,
            max_stranger_requests: 128,
            max_stranger_body_bytes: 16 << 10,
            stranger_body_seconds: 5,
            max_buffered_bytes: 64 << 20,
            header_timeout_seconds: 15,
            max_connections: 25_000,
            max_connections_per_address: None,
            max_streams: 100,
            keep_alive_seconds: 10,
            drain_seconds: 10,
            default_page_size: 50,
            max_page_size: 1000,
            cors_origins: vec![],
            trusted_proxies: vec![],
            forwarded_header: ForwardedHeader::default(),
        }
    }
}
