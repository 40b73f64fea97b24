//! The kernel by given, when, then: tables of commands and the facts that they lead to.

mod controls;
mod gates;
mod mentions;
mod properties;
mod scenarios;
mod stage;
