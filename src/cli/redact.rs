//! `roundtable redact …`: asks for a redaction, which a running server carries out within a minute, or the next one at its
//! start.

use clap::Subcommand;

use crate::audit::{AuditAction, NewAuditEntry};
use crate::config::Config;
use crate::kernel::{Actor, ParticipantId, REDACTED, SessionId};
use crate::redactions::RequestTarget;
use crate::store;

#[derive(Debug, Subcommand)]
pub(super) enum Redact {
    /// Erase everything that was written in a session, and close it. Its events keep their numbers, times and ids.
    Session {
        /// The id, `s_…`.
        id: SessionId,
    },
    /// Replace a participant's name everywhere, and revoke their credentials for good.
    Participant {
        /// The id that `roundtable participant list` shows.
        id: ParticipantId,
        /// Erase their messages and files in all sessions as well.
        #[arg(long)]
        content: bool,
    },
}

pub(super) async fn redact(config: Config, verb: Redact) -> anyhow::Result<()> {
    let engines = store::open_existing(&config.database(), &config.store).await?;
    let entry = NewAuditEntry::new(AuditAction::Redaction).by_terminal();
    let (target, entry) = match verb {
        Redact::Session { id } => {
            if engines.events.head(id).await? == 0 {
                anyhow::bail!("there is no session {id}; `roundtable export` and the address of its page have its id");
            }
            (RequestTarget::Session(id), entry.session(id).subject(id))
        }
        Redact::Participant { id, content } => {
            if engines.identities.participant(id).await?.is_none() {
                anyhow::bail!("there is no participant {id}; `roundtable participant list` shows who there is");
            }
            let target = RequestTarget::Participant { participant: id, content };
            (target, entry.subject(id).detail("content", content))
        }
    };
    engines.redactions.request_redaction(target, &Actor::system()).await?;
    engines.audit.add_audit_entries(&[entry]).await?;
    if let RequestTarget::Participant { participant, content } = target {
        // At once, also where no server runs: they are not to come in for another minute.
        engines.redactions.erase_identity(participant, REDACTED, content).await?;
    }
    super::say("asked for; a running server redacts within a minute, or when runs under way are over\n")
}
