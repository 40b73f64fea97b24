//! Everything that can only be seen from outside: one binary, so that linking is paid once.

#![allow(unreachable_pub, reason = "nothing outside a test binary could reach it")]

mod access;
mod bus_laws;
mod bus_redis;
mod bus_redis_cluster;
mod cluster;
mod command_line;
mod config;
mod contents_laws;
mod deploy;
mod docs;
mod door_analyze;
mod door_auto_agent;
mod door_orchestrator;
mod door_team_chat;
mod error_table;
mod files;
mod flows;
mod fresh;
mod identity_laws;
mod kernel;
mod knowledge;
mod knowledge_laws;
mod layout;
mod lease_laws;
mod live;
mod logbook;
mod models;
mod monitoring;
mod pages;
mod process;
mod revocation;
mod run;
mod server;
mod sessions;
mod shared_limits;
mod sim;
mod socket_echo;
mod socket_hello;
mod socket_input;
mod socket_viewers;
mod sse;
mod stops;
mod store_faults;
mod store_laws;
mod store_lists;
mod store_open;
mod store_plans;
mod streams;
mod sweep;
mod teams;
mod tools;
mod tools_mcp;
mod wires;

use servers::{postgres, redis, redis_cluster};
