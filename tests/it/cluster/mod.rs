//! Several nodes on one database and one bus, in one process, with the demo model over HTTP.

mod bus_outage;
mod erasure;
mod follow;
mod harness;
mod takeover;
mod versions;
