//! Wire protocol, version 1: the frames that clients send and receive, and the error codes. The JSON Schema and the
//! client's TypeScript types are generated from these types; `docs/protocol.md` explains them.

mod client_frame;
mod close_code;
mod command;
mod command_frame;
mod connection_frames;
mod error;
mod schema;
mod server_frame;

pub use client_frame::{ClientFrame, CommandData, Recipient};
pub use close_code::CloseCode;
pub use command::CommandRequest;
pub(crate) use command::{check_addressees, check_request, describe, file_name};
pub use command_frame::{CommandFrame, Expectation};
pub use connection_frames::{HelloFrame, JoinFrame, LeaveFrame, SignalFrame};
pub use error::{Code, ErrorBody, Family, Problem};
pub(crate) use schema::describe_contents;
pub use schema::schema;
pub use server_frame::{CallProgress, Limits, Liveness, Presence, ServerFrame, SnapshotFrame, encode_event};

/// Version of the wire protocol.
pub const VERSION: u32 = 1;
