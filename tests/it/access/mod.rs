//! Access control: who is admitted, and with which rights.

pub mod callers;
mod commands;
mod credentials;
mod routes;
pub mod sources;
mod states;
mod token_scopes;
