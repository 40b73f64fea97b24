//! `roundtable redact …`: requests a redaction. A running server executes it within a minute. If no server is running,
//! the next server that starts executes it.

use clap::Subcommand;

use crate::audit::{AuditAction, NewAuditEntry};
use crate::config::Config;
use crate::kernel::{Actor, ParticipantId, REDACTED, SessionId};
use crate::redactions::RedactionRequestTarget;
use crate::store;

#[derive(Debug, Subcommand)]
pub(super) enum RedactCommand {
    /// Erase all content of a session, and close the session. Its events keep their numbers, times and ids.
    Session {
        /// Id of the session, `s_…`.
        id: SessionId,
    },
    /// Replace a participant's name everywhere, and revoke their credentials permanently.
    Participant {
        /// Id of the participant, as `roundtable participant list` shows it.
        id: ParticipantId,
        /// Also erase their messages and files in all sessions.
        #[arg(long)]
        content: bool,
    },
}

pub(super) async fn redact(config: Config, verb: RedactCommand) -> anyhow::Result<()> {
    let engines = store::open_existing(&config.database(), &config.store).await?;
    let entry = NewAuditEntry::new(AuditAction::Redaction).by_terminal();
    let (target, entry) = match verb {
        RedactCommand::Session { id } => {
            if engines.events.head(id).await? == 0 {
                anyhow::bail!("there is no session {id}; the URL of its page contains its id");
            }
            (RedactionRequestTarget::Session(id), entry.session(id).subject(id))
        }
        RedactCommand::Participant { id, content } => {
            if engines.identities.participant(id).await?.is_none() {
                anyhow::bail!("there is no participant {id}; `roundtable participant list` lists them");
            }
            let target = RedactionRequestTarget::Participant { participant: id, content };
            (target, entry.subject(id).detail("content", content))
        }
    };
    engines.redactions.request_redaction(target, &Actor::system()).await?;
    engines.audit.add_audit_entries(&[entry]).await?;
    if let RedactionRequestTarget::Participant { participant, content } = target {
        // Do this immediately, even without a running server: their credentials must not work for another minute.
        engines.redactions.erase_identity(participant, REDACTED, content).await?;
    }
    super::print_text("requested; a running server redacts within a minute, or when active runs have ended\n")
}
