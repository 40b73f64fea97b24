//! Abuse: what other participants feel while somebody abuses the server, on the real binary as a process of its own.
//!
//! Each abuse is one file. In a release build a bystander's commands take less than 100 ms in the median, their interrupts
//! less than 50 ms, the slowest less than a second; an unoptimised build gets four times as long, since an unlucky machine
//! is no fault. The server's memory is bounded in both. `make test-abuse` runs them one at a time, without other tests
//! around.

mod bystander;
mod credentials;
mod flood;
mod idle;
mod quiet;
mod quotas;
mod refused;
mod requests;
mod tools;
mod unfinished;

pub use bystander::{Bystander, server, token};

/// A masked frame that says it has so many bytes, and those that it has.
fn frame(first: u8, len: usize, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![];
    roundtable::feed::frame::push_header(&mut bytes, first, len);
    bytes[1] |= 0x80;
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(payload);
    bytes
}
