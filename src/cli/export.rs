//! `roundtable export`: prints a session's log as JSON lines. Each line is the frame that clients receive.

use anyhow::bail;

use crate::audit::{AuditAction, NewAuditEntry};
use crate::config::Config;
use crate::kernel::SessionId;
use crate::store::{self, Stores};

/// Number of events per read.
const PAGE: u32 = 500;

pub(super) async fn export(config: Config, session: SessionId) -> anyhow::Result<()> {
    let Stores { events, audit, .. } = store::open_existing(&config.database(), &config.store).await?;
    let head = events.head(session).await?;
    if head == 0 {
        bail!("there is no session {session}; the URL of its page contains its id");
    }
    // Write the entry before the first line, so that the audit log has it even if the export fails halfway.
    audit.add_audit_entries(&[NewAuditEntry::new(AuditAction::SessionExported).by_terminal().session(session)]).await?;
    let mut after = 0;
    // Stop at the seq that was the head when the export began. Otherwise, the export of a session that grows faster
    // than it is read would never end.
    while after < head {
        let page = events.read(session, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        let lines: String = page.iter().map(|stored| String::from_utf8_lossy(&stored.frame) + "\n").collect();
        super::print_text(&lines)?;
    }
    Ok(())
}
