//! `roundtable participant …`: who is known, and who is disabled; works beside a running server.

use clap::Subcommand;

use super::written;
use crate::audit::{AuditAction, NewAuditEntry};
use crate::config::Config;
use crate::identity::ParticipantQuery;
use crate::kernel::{ActorKind, ParticipantId};
use crate::store;

#[derive(Debug, Subcommand)]
pub(super) enum Participants {
    /// List participants, newest first.
    List {
        /// Only names that contain this.
        #[arg(long, default_value = "")]
        search: String,
        /// So many at most.
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
        limit: u32,
    },
    /// Refuse every credential of a participant, and close what is open with one, until they are enabled again.
    Disable {
        /// The id that `list` shows.
        id: ParticipantId,
    },
    /// Take the credentials of a disabled participant again.
    Enable {
        /// The id that `list` shows.
        id: ParticipantId,
    },
}

pub(super) async fn participant(config: Config, verb: Participants) -> anyhow::Result<()> {
    let engines = store::open_existing(&config.database(), &config.store).await?;
    let identities = engines.identities;
    let (id, disabled) = match verb {
        Participants::List { search, limit } => {
            let mut rows = vec![["ID", "STANDING", "KIND", "MADE", "USED", "DISABLED", "NAME"].map(str::to_owned)];
            for one in identities.participants(&ParticipantQuery { search, before: None, limit }).await? {
                let absent = || "-".to_owned();
                let kind = if one.participant.kind == ActorKind::Bot { "bot" } else { "user" };
                rows.push([
                    one.participant.id.to_string(),
                    one.participant.standing.as_str().into(),
                    kind.into(),
                    written(one.created_at),
                    one.last_used_at.map_or_else(absent, written),
                    one.disabled_at.map_or_else(absent, written),
                    one.participant.name.to_string(),
                ]);
            }
            return super::say(&super::table(&rows));
        }
        Participants::Disable { id } => (id, true),
        Participants::Enable { id } => (id, false),
    };
    if !identities.set_disabled(id, disabled).await? {
        anyhow::bail!("there is no participant {id}; `roundtable participant list` shows who there is");
    }
    let action = if disabled { AuditAction::ParticipantDisabled } else { AuditAction::ParticipantEnabled };
    engines.audit.add_audit_entries(&[NewAuditEntry::new(action).by_terminal().subject(id)]).await?;
    super::say(if disabled { "disabled\n" } else { "enabled\n" })
}
