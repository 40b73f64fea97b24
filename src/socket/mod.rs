//! One WebSocket connection: the handshake, what a client may send, and the writer that copies from its place in each
//! feed to the head.

mod bounds;
mod commands;
mod connection;
mod context;
mod echo;
mod frames;
mod governor;
mod guard;
mod handshake;
mod liveness;
mod outgoing;
mod patient;
mod session;
mod sessions;
mod signal;
mod unfinished;
mod unidentified;
mod viewer;

pub use bounds::SocketBounds;
pub(crate) use context::Counted;
pub use context::{Context, Traffic};
pub use handshake::{echo, upgrade};
pub use patient::Patient;
