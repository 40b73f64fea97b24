//! The kernel by given, when, then: tables of commands and the facts that they lead to.

mod approval_rules;
mod brain_failures;
mod budget;
mod call_gates;
mod controls;
mod erasure;
mod files;
mod flows;
mod gates;
mod harness;
mod inquiries;
mod knocks;
mod mentions;
mod mistakes;
mod names;
mod plans;
mod play;
mod properties;
mod redaction;
mod relays;
mod requests;
mod scenarios;
mod standing;
mod structure;
mod teams;
mod titles;
pub mod topology;
