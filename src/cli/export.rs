//! `roundtable export`: a session's log as JSON lines, each the very frame that clients get.

use anyhow::bail;

use crate::audit::{AuditAction, NewAuditEntry};
use crate::config::Config;
use crate::kernel::SessionId;
use crate::store::{self, Engines};

/// Events that are read at a time.
const PAGE: u32 = 500;

pub(super) async fn export(config: Config, session: SessionId) -> anyhow::Result<()> {
    let Engines { events, audit, .. } = store::open_existing(&config.database(), &config.store).await?;
    let head = events.head(session).await?;
    if head == 0 {
        bail!("there is no session {session}");
    }
    // Before the first line: what has left is on the record, however the export ends.
    audit.add_audit_entries(&[NewAuditEntry::new(AuditAction::SessionExported).by_terminal().session(session)]).await?;
    let mut after = 0;
    // Up to where the log was at the start: a session that is written to faster than it is read would never end.
    while after < head {
        let page = events.read(session, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        let lines: String = page.iter().map(|stored| String::from_utf8_lossy(&stored.frame) + "\n").collect();
        super::say(&lines)?;
    }
    Ok(())
}
