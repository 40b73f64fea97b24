//! Audit log of the server: sign-ins, denials, created links and tokens, changed roles and settings, and
//! administrators' read access. It is append-only and bounded; see docs/operations.md.

mod audit_log;
mod commands;
mod denial_limiter;
mod entry;
mod origin;
mod settings;
mod store;

pub use audit_log::AuditLog;
pub(crate) use commands::{of_approved_invitation, of_command};
pub use entry::{AuditAction, AuditActor, AuditActorKind, AuditEntry, AuditOutcome, NewAuditEntry};
pub use origin::RequestOrigin;
pub use settings::AuditSettings;
pub use store::{AuditQuery, AuditStore};
