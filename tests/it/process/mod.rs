//! The real binary as users run it: started, killed with SIGKILL, and started again on the same data.

mod backup;
mod boundaries;
mod cluster;
#[path = "../../../chaos/src/counting_tool.rs"]
mod counting_tool;
mod crash;
mod disk_full;
mod drain;
mod drops;
mod openapi;
mod people_page;
mod programs;
mod rule_forecast;
mod security_page;
pub mod server;
mod sockets;
mod teams_client;
mod teams_page;
mod traces;
pub mod viewer;
mod votes;
