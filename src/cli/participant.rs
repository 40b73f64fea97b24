//! `roundtable participant …`: lists, disables and enables participants. A server can run at the same time.

use clap::Subcommand;

use super::format_time;
use crate::audit::{AuditAction, NewAuditEntry};
use crate::config::Config;
use crate::identity::ParticipantQuery;
use crate::kernel::{ActorKind, ParticipantId};
use crate::store;

#[derive(Debug, Subcommand)]
pub(super) enum ParticipantCommand {
    /// List participants, newest first.
    List {
        /// Only participants whose name contains this text.
        #[arg(long, default_value = "")]
        search: String,
        /// Maximum number of participants.
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
        limit: u32,
    },
    /// Reject all credentials of a participant, and close their connections, until they are enabled again.
    Disable {
        /// Id of the participant, as `list` shows it.
        id: ParticipantId,
    },
    /// Accept the credentials of a disabled participant again.
    Enable {
        /// Id of the participant, as `list` shows it.
        id: ParticipantId,
    },
}

pub(super) async fn participant(config: Config, verb: ParticipantCommand) -> anyhow::Result<()> {
    let engines = store::open_existing(&config.database(), &config.store).await?;
    let identities = engines.identities;
    let (id, disabled) = match verb {
        ParticipantCommand::List { search, limit } => {
            let mut rows = vec![["ID", "ROLE", "KIND", "CREATED", "USED", "DISABLED", "NAME"].map(str::to_owned)];
            for one in
                identities.participants(&ParticipantQuery { search, limit, ..ParticipantQuery::default() }).await?
            {
                let absent = || "-".to_owned();
                let kind = if one.participant.kind == ActorKind::Bot { "bot" } else { "user" };
                rows.push([
                    one.participant.id.to_string(),
                    one.participant.server_role.as_str().into(),
                    kind.into(),
                    format_time(one.created_at),
                    one.last_used_at.map_or_else(absent, format_time),
                    one.disabled_at.map_or_else(absent, format_time),
                    one.participant.name.to_string(),
                ]);
            }
            return super::print_text(&super::format_table(&rows));
        }
        ParticipantCommand::Disable { id } => (id, true),
        ParticipantCommand::Enable { id } => (id, false),
    };
    if !identities.set_disabled(id, disabled).await? {
        anyhow::bail!("there is no participant {id}; `roundtable participant list` lists them");
    }
    let action = if disabled { AuditAction::ParticipantDisabled } else { AuditAction::ParticipantEnabled };
    engines.audit.add_audit_entries(&[NewAuditEntry::new(action).by_terminal().subject(id)]).await?;
    super::print_text(if disabled { "disabled\n" } else { "enabled\n" })
}
