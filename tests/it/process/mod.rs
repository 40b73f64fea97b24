//! The real binary as its users have it: started, killed with SIGKILL, started again on the same data.

mod backup;
mod cluster;
mod crash;
mod drain;
mod drops;
mod full;
mod server;
mod sockets;
mod traces;
mod viewer;
