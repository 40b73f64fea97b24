//! `roundtable audit …`: reads the audit log. A server can run at the same time.

use clap::{Args, Subcommand};

use super::format_time;
use crate::audit::{AuditAction, AuditEntry, AuditOutcome, AuditQuery};
use crate::clock;
use crate::config::Config;
use crate::kernel::{ParticipantId, SessionId, Timestamp};
use crate::store;

#[derive(Debug, Subcommand)]
pub(super) enum AuditCommand {
    /// List entries, newest first.
    List(AuditListArguments),
}

#[derive(Debug, Args)]
pub(super) struct AuditListArguments {
    /// Only entries for this action: sign_in, denial, token_created, link_used, role_changed, session_read, …
    #[arg(long, value_parser = action)]
    action: Option<AuditAction>,
    /// Only entries with the outcome `denied`.
    #[arg(long)]
    denied: bool,
    /// Only actions of this participant.
    #[arg(long, value_name = "PARTICIPANT")]
    actor: Option<ParticipantId>,
    /// Only entries about this session.
    #[arg(long)]
    session: Option<SessionId>,
    /// Only entries about this thing or person, by id.
    #[arg(long, value_name = "ID")]
    subject: Option<String>,
    /// Only entries from the last DAYS days.
    #[arg(long)]
    days: Option<u64>,
    /// Only entries before the one with this id.
    #[arg(long, value_name = "ID")]
    before: Option<u64>,
    /// Maximum number of entries.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
    /// Print one JSON object per line, with all details.
    #[arg(long)]
    json: bool,
}

fn action(word: &str) -> Result<AuditAction, String> {
    AuditAction::parse(word).ok_or_else(|| {
        let names: Vec<_> = AuditAction::ALL.iter().map(|action| action.as_str()).collect();
        format!("there is no such action; use one of {}", names.join(", "))
    })
}

pub(super) async fn audit(config: Config, AuditCommand::List(list): AuditCommand) -> anyhow::Result<()> {
    let audit = store::open_existing(&config.database(), &config.store).await?.audit;
    let since = list.days.map(|days| clock::now().millis().saturating_sub(days.saturating_mul(clock::DAY)));
    let query = AuditQuery {
        action: list.action,
        outcome: list.denied.then_some(AuditOutcome::Denied),
        actor: list.actor,
        session: list.session,
        subject: list.subject.map(Into::into),
        since: since.map(Timestamp::from_millis),
        until: None,
        before: list.before,
        limit: list.limit,
    };
    let entries = audit.audit_entries(&query).await?;
    if list.json {
        let lines: Result<Vec<_>, _> = entries.iter().map(serde_json::to_string).collect();
        return super::print_text(&lines?.iter().map(|line| format!("{line}\n")).collect::<String>());
    }
    let mut rows = vec![["ID", "AT", "ACTION", "OUTCOME", "ADDRESS", "SUBJECT", "ACTOR"].map(str::to_owned)];
    rows.extend(entries.iter().map(row));
    super::print_text(&super::format_table(&rows))
}

fn row(entry: &AuditEntry) -> [String; 7] {
    let absent = || "-".to_owned();
    let actor = entry.actor.as_ref().map_or_else(absent, |actor| {
        let id = actor.id.map_or_else(String::new, |id| format!(" {id}"));
        format!("{} ({}{id})", actor.name, actor.kind.as_str())
    });
    let subject = entry.subject.as_deref().map(str::to_owned).or_else(|| entry.session.map(|id| id.to_string()));
    [
        entry.id.to_string(),
        format_time(entry.at),
        entry.action.as_str().into(),
        entry.outcome.as_str().into(),
        entry.address.map_or_else(absent, |address| address.to_string()),
        subject.unwrap_or_else(absent),
        actor,
    ]
}
