//! One request in, one answer out.

mod client;
mod error;
mod extract;
mod hosts;
mod layers;
pub mod limits;
mod router;
mod serve;

pub use extract::{Body, Parameters};
pub use hosts::Hosts;
pub use router::router;
pub use serve::serve;
