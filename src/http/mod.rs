//! One request in, one answer out.

mod about;
mod auth;
mod client;
mod commands;
mod detached;
mod documents;
mod error;
mod events;
mod extract;
mod files;
mod hosts;
mod invites;
mod knowledge;
mod layers;
mod log;
mod messages;
pub mod monitoring;
mod page;
mod query;
mod router;
mod serve;
mod sessions;
mod sign_in;
mod transfer;

pub(crate) use detached::detached;
pub(crate) use events::{admit, keep_alive, last_event_id, seat, watch};
pub use extract::{Body, Parameters, Path};
pub(crate) use files::{Wanted as WantedFile, download};
pub use hosts::Hosts;
pub use router::router;
pub use serve::serve;
pub(crate) use sessions::role;
pub(crate) use transfer::receive;
