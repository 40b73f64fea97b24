//! The impact of abuse on other participants, measured on the real binary in a separate process.
//!
//! Each kind of abuse has its own file. Each test counts the acts of its abuse, and fails if the abuse does nothing.
//! `make test-abuse` runs the tests one at a time, without other tests in parallel. With `PROFILE=release`, 95 percent
//! of a probe's commands take less than 100 ms and 95 percent of its interrupts less than 50 ms, and the slowest of
//! each takes less than a second. An unoptimized build is given four times as long, and only the median must comply,
//! because a slow machine is not a defect. The server's memory is bounded in both.

mod agents;
mod audit;
mod baseline;
mod counters;
mod credentials;
mod doors;
mod flood;
mod http2;
mod idle;
mod latency_probe;
mod mcp;
mod nodes;
mod quotas;
mod redactions;
mod refused;
mod requests;
mod teams;
mod tools;
mod unfinished;

pub use counters::{AbuseCounter, run_concurrently};
pub use latency_probe::{LatencyProbe, server, token};

/// Returns a client for requests over HTTP.
fn http() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().expect("a client")
}

/// Returns a masked frame that declares this payload length, followed by these bytes.
fn frame(first: u8, len: usize, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![];
    roundtable::feed::frame::push_header(&mut bytes, first, len);
    bytes[1] |= 0x80;
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(payload);
    bytes
}
