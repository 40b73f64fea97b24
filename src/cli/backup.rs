//! `roundtable backup`: copies the database. A server can run at the same time.

use std::path::Path;

use crate::audit::{AuditAction, NewAuditEntry};
use crate::config::Config;
use crate::store;

pub(super) async fn backup(config: Config, to: &Path) -> anyhow::Result<()> {
    let entry = NewAuditEntry::new(AuditAction::BackupCreated).by_terminal().subject(to.display());
    store::backup(&config.database(), &config.store, to, &entry).await?;
    super::print_text(&format!("{}\n", to.display()))
}
