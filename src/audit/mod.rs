//! The server-wide audit log: who signed in, was refused, made links and tokens, changed roles and settings, and which
//! administrator read what. Append-only and bounded; see docs/operations.md.

mod commands;
mod denials;
mod entry;
mod origin;
mod recorder;
mod settings;
mod store;

pub(crate) use commands::of_command;
pub use entry::{AuditAction, AuditActor, AuditActorKind, AuditEntry, AuditOutcome, NewAuditEntry};
pub use origin::Origin;
pub use recorder::Audit;
pub use settings::AuditSettings;
pub use store::{AuditQuery, AuditStore};
