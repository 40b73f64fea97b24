//! Ways in: what comes through any door, the project's own or another vocabulary's, becomes a command to a session, and
//! what a door shows is a projection of the session's log.

pub(crate) mod analyze;
pub(crate) mod auto_agent;
mod begin;
mod caller;
mod detail;
mod lines;
pub(crate) mod orchestrator;
pub(crate) mod team_chat;

pub use begin::{Begun, NewSession};
