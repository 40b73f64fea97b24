//! The wire, version 1: what clients send, what they receive, and every way to say no. The JSON Schema and the client's
//! TypeScript types are made from these types; `docs/protocol.md` explains them.

mod client;
mod close;
mod command;
mod error;
mod schema;
mod server;

pub use client::{ClientFrame, CommandData, CommandFrame, Expect, SayTo};
pub use close::CloseCode;
pub(crate) use command::{check_addressees, file_name, plain};
pub use error::{Code, ErrorBody, Family, Problem};
pub use schema::schema;
pub use server::{CallProgress, Limits, Liveness, Presence, ServerFrame, SnapshotFrame, encode_event};

/// The version of the wire that this server speaks.
pub const VERSION: u32 = 1;
