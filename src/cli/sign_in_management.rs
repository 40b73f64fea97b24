//! `roundtable sign-ins …`: lists and revokes sign-ins of browsers and unused sign-in links. A server can run at the
//! same time.

use clap::Subcommand;

use super::format_time;
use crate::audit::{AuditAction, NewAuditEntry};
use crate::config::Config;
use crate::identity::CredentialKind;
use crate::kernel::ParticipantId;
use crate::store;

/// Maximum number of sign-ins in a list.
const MAX_LISTED: u32 = 10_000;

#[derive(Debug, Subcommand)]
pub(super) enum SignInsCommand {
    /// List sign-ins, most recently used first.
    List {
        /// Only sign-ins of this participant.
        #[arg(long, value_name = "ID")]
        participant: Option<ParticipantId>,
    },
    /// Revoke a sign-in by the id that `list` shows, or all sign-ins of a participant.
    Revoke {
        /// Id, or at least its first 6 digits.
        #[arg(required_unless_present = "participant")]
        id: Option<String>,
        /// Sign out this participant everywhere.
        #[arg(long, value_name = "ID", conflicts_with = "id")]
        participant: Option<ParticipantId>,
    },
}

pub(super) async fn sign_ins(config: Config, verb: SignInsCommand) -> anyhow::Result<()> {
    let engines = store::open_existing(&config.database(), &config.store).await?;
    let identities = engines.identities;
    let (count, entry) = match verb {
        SignInsCommand::List { participant } => {
            let mut rows =
                vec![["ID", "KIND", "CREATED", "USED", "EXPIRES", "ADDRESS", "PARTICIPANT", "NAME"].map(str::to_owned)];
            let all = identities.credentials(participant, MAX_LISTED).await?;
            for one in all.into_iter().filter(|one| one.grant != CredentialKind::Token) {
                let absent = || "-".to_owned();
                let kind = if one.grant == CredentialKind::Cookie { "cookie" } else { "link" };
                let label = one.label.map_or_else(String::new, |label| format!(" ({label})"));
                rows.push([
                    one.id,
                    kind.into(),
                    format_time(one.created_at),
                    one.last_used_at.map_or_else(absent, format_time),
                    one.expires_at.map_or_else(absent, format_time),
                    one.address.map_or_else(absent, |address| address.to_string()),
                    one.participant.id.to_string(),
                    format!("{}{label}", one.participant.name),
                ]);
            }
            return super::print_text(&super::format_table(&rows));
        }
        SignInsCommand::Revoke { participant: Some(participant), .. } => {
            let count = identities.sign_out_everywhere(participant).await?;
            let entry = NewAuditEntry::new(AuditAction::DeviceRevoked).subject("all");
            (count, entry.detail("participant", participant.to_string()))
        }
        SignInsCommand::Revoke { id, .. } => {
            let id = id.unwrap_or_default();
            // A shorter prefix could match other sign-ins by accident.
            if id.len() < 6 || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                anyhow::bail!(
                    "the id is too short or invalid; give at least 6 digits as in `roundtable sign-ins list`"
                );
            }
            let count = identities.revoke_sign_ins(&id).await?;
            (count, NewAuditEntry::new(AuditAction::DeviceRevoked).subject(id))
        }
    };
    if count == 0 {
        anyhow::bail!("there is no such sign-in; `roundtable sign-ins list` lists them");
    }
    engines.audit.add_audit_entries(&[entry.by_terminal().detail("count", count)]).await?;
    super::print_text(&format!("revoked {count}\n"))
}
