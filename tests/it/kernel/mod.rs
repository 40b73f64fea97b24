//! The kernel by given, when, then: tables of commands and the facts that they lead to.

mod asks;
mod controls;
mod erasure;
mod files;
mod flows;
mod gates;
mod inquiries;
mod judged;
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
mod stage;
mod teams;
mod titles;
mod topology;
