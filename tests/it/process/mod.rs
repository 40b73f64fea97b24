//! The real binary as its users have it: started, killed with SIGKILL, started again on the same data.

mod backup;
mod boundaries;
mod cluster;
mod crash;
mod drain;
mod drops;
mod full;
#[path = "../../../chaos/src/hands.rs"]
mod hands;
mod openapi;
mod programs;
pub mod server;
mod sockets;
mod traces;
pub mod viewer;
