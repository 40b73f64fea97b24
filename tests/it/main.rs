//! Everything that can only be seen from outside: one binary, so that linking is paid once.

#![allow(unreachable_pub, reason = "nothing outside a test binary could reach it")]

mod docs;
mod door_team_chat;
mod fresh;
mod identity_laws;
mod kernel;
mod live;
mod logbook;
mod postgres;
mod process;
mod run;
mod server;
mod socket_input;
mod socket_viewers;
mod sse;
mod store_faults;
mod store_laws;
mod store_lists;
mod store_open;
mod store_plans;
