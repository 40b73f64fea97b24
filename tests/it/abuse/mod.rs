//! Abuse: what other participants feel while somebody abuses the server, on the real binary as a process of its own.
//!
//! Each abuse is one file. The bounds are those of an issue's promise: commands of a bystander under 100 ms, their
//! interrupt under 50 ms, the server's memory bounded. The median is compared, because these machines are shared; the
//! slowest only has to come within a second. `make test-abuse` runs them one at a time, without other tests around.

mod bystander;
mod flood;
mod idle;
mod quiet;
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
