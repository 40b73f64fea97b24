//! WebSocket connections: the handshake, the limits of clients, and a writer that copies from its position in each feed
//! to the head.

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
