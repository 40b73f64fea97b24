//! WebSocket connections: the handshake, the limits of clients, and a writer that copies from its position in each feed
//! to the head.

mod client;
mod client_frame;
mod command_queue;
mod connection;
mod connection_log;
mod context;
mod echo;
mod frame_rate_limit;
mod handshake;
mod heartbeat;
mod hello;
mod pending_reply;
mod read_budget;
mod settings;
mod shared_socket;
mod signal;
mod stall_timeout;
mod subscription;
mod subscription_set;
mod unfinished_messages;
mod unidentified_connections;
mod write_buffer;

pub(crate) use context::ConnectionCountGuard;
pub use context::{SocketContext, SocketTraffic};
pub use handshake::{echo, upgrade};
pub use settings::SocketSettings;
pub use stall_timeout::StallTimeout;
