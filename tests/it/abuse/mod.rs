//! Abuse: what other participants feel while somebody abuses the server, on the real binary as a process of its own.
//!
//! Each sort of abuse is one file, counts its acts, and fails where it does nothing. `make test-abuse` runs them one at
//! a time, without other tests around. With `PROFILE=release` 95 of 100 of a bystander's commands take less than 100 ms
//! and of their interrupts less than 50 ms, and the slowest less than a second. An unoptimised build gets four times as
//! long for the median, since an unlucky machine is no fault. The server's memory is bounded in both.

mod agents;
mod audit;
mod baseline;
mod bystander;
mod credentials;
mod doors;
mod flood;
mod http2;
mod idle;
mod mcp;
mod nodes;
mod quotas;
mod redactions;
mod refused;
mod requests;
mod tally;
mod tools;
mod unfinished;

pub use bystander::{Bystander, server, token};
pub use tally::{Tally, together};

/// A client for requests over HTTP.
fn http() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().expect("a client")
}

/// A masked frame that says it has so many bytes, and those that it has.
fn frame(first: u8, len: usize, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![];
    roundtable::feed::frame::push_header(&mut bytes, first, len);
    bytes[1] |= 0x80;
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(payload);
    bytes
}
