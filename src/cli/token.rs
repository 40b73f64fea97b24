//! `roundtable token …`: creates, lists and revokes tokens. Works with a running server, and before the first start.

use std::io::Write;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::format_time;
use crate::agent::teams::TeamId;
use crate::audit::{AuditAction, AuditStore, NewAuditEntry};
use crate::config::Config;
use crate::identity::{
    Credential, CredentialKind, IdentityStore, ServerRole, TokenScope, check_name, create_participant, issue_with,
};
use crate::ip_networks::IpNetworks;
use crate::kernel::{ActorKind, ParticipantId, Role, SessionId};
use crate::store;

#[derive(Debug, Subcommand)]
pub(super) enum TokenCommand {
    /// Create a participant and print a token for them. It is shown only once.
    Create(TokenCreateArguments),
    /// List valid tokens, without their secrets.
    List,
    /// Revoke a token by the id that `list` shows.
    Revoke {
        /// Id, or at least its first 6 digits.
        id: String,
    },
}

#[derive(Debug, Args)]
pub(super) struct TokenCreateArguments {
    /// Name of the participant, as others see it.
    #[arg(long, required_unless_present = "participant")]
    name: Option<String>,
    /// Rights on the whole server.
    #[arg(long, value_enum, default_value_t = TokenRole::Member)]
    role: TokenRole,
    /// Create a program, not a person; implied by `--role bot`.
    #[arg(long)]
    bot: bool,
    /// Create another token for an existing participant, by the id that `list` shows.
    #[arg(long, conflicts_with_all = ["name", "role", "bot"])]
    participant: Option<ParticipantId>,
    /// Days until the token expires, or `never`. Default: the identity.token_days setting.
    #[arg(long, value_name = "DAYS|never", allow_negative_numbers = true)]
    expires: Option<TokenExpiry>,
    /// Name that identifies the token in lists.
    #[arg(long)]
    label: Option<String>,
    /// Limit the token to this session. Can be repeated.
    #[arg(long = "session", value_name = "ID")]
    sessions: Vec<SessionId>,
    /// Limit the token to this stored team and the sessions of its executions. Can be repeated.
    #[arg(long = "team", value_name = "ID")]
    teams: Vec<TeamId>,
    /// Highest role that the token gives in a session.
    #[arg(long, value_name = "ROLE", value_parser = parse_role)]
    max_role: Option<Role>,
    /// Make the token read-only; the same as `--max-role viewer`.
    #[arg(long, conflicts_with = "max_role")]
    read_only: bool,
    /// Accept the token only from this network: a CIDR block or an address. Can be repeated.
    #[arg(long = "from", value_name = "NETWORK")]
    networks: Vec<String>,
}

impl TokenCreateArguments {
    fn scope(&self) -> anyhow::Result<Option<TokenScope>> {
        let scope = TokenScope {
            sessions: self.sessions.iter().copied().collect(),
            teams: self.teams.iter().map(|team| team.0).collect(),
            max_role: self.max_role.or(self.read_only.then_some(Role::Viewer)),
            networks: IpNetworks::parse(&self.networks).map_err(|message| anyhow::anyhow!("--from: {message}"))?,
        };
        scope.check_size().map_err(|problem| anyhow::anyhow!("{}", problem.0.message))?;
        Ok(Some(scope).filter(|scope| !scope.is_unlimited()))
    }
}

fn parse_role(text: &str) -> Result<Role, String> {
    let roles = || Role::ALL.map(Role::as_str).join(", ");
    Role::parse(text).ok_or_else(|| format!("expected one of {}", roles()))
}

/// Expiry of a token.
#[derive(Debug, Clone, Copy)]
enum TokenExpiry {
    /// The token is valid until it is revoked.
    Never,
    /// The token expires after this number of days, 1 to 36500.
    Days(u64),
}

impl FromStr for TokenExpiry {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let days = || text.parse().ok().filter(|days| (1..=36_500).contains(days));
        match text {
            "never" => Ok(Self::Never),
            _ => days().map(Self::Days).ok_or("expected a number of days in 1..=36500, or never"),
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TokenRole {
    /// Sees and can enter every session, with every right in it.
    Admin,
    /// Can create sessions; sees their own sessions and those they are invited to.
    Member,
    /// Sees the sessions they are invited to.
    Guest,
    /// Program with the rights of a guest.
    Bot,
}

impl TokenRole {
    fn server_role(self) -> ServerRole {
        match self {
            Self::Admin => ServerRole::Admin,
            Self::Member => ServerRole::Member,
            Self::Guest | Self::Bot => ServerRole::Guest,
        }
    }
}

pub(super) async fn token(config: Config, verb: TokenCommand) -> anyhow::Result<()> {
    let (url, settings) = (config.database(), &config.store);
    let is_new = config.database_file().filter(|file| !file.exists());
    let engines = match verb {
        TokenCommand::Create(_) => store::open(&url, settings).await?,
        TokenCommand::List | TokenCommand::Revoke { .. } => store::open_existing(&url, settings).await?,
    };
    let (identities, audit) = (engines.identities, engines.audit);
    if let Some(file) = is_new {
        let file = file.display();
        let _ = writeln!(
            std::io::stderr(),
            "there was no database at {file}, so a new one was made; a token for a server that already runs needs its \
             --data-dir or --database-url"
        );
    }
    match verb {
        TokenCommand::Create(arguments) => create(&*identities, &*audit, arguments, config.identity.token_days).await,
        TokenCommand::List => list(&*identities).await,
        TokenCommand::Revoke { id } => revoke(&*identities, &*audit, &id).await,
    }
}

async fn create(
    identities: &dyn IdentityStore,
    audit: &dyn AuditStore,
    arguments: TokenCreateArguments,
    usual_days: u64,
) -> anyhow::Result<()> {
    let scope = arguments.scope()?;
    let label = arguments
        .label
        .as_deref()
        .map(check_name)
        .transpose()
        .map_err(|message| anyhow::anyhow!("--label: {message}"))?;
    let participant = match arguments.participant {
        Some(id) => match identities.participant(id).await? {
            Some(known) if identities.is_disabled(known.id).await? => {
                anyhow::bail!("participant {id} is disabled; run `roundtable participant enable {id}` first")
            }
            Some(known) => known.id,
            None => anyhow::bail!("there is no participant {id}; `roundtable participant list` lists them"),
        },
        None => {
            let name = check_name(arguments.name.as_deref().unwrap_or_default()).map_err(anyhow::Error::msg)?;
            let bot = arguments.bot || matches!(arguments.role, TokenRole::Bot);
            let kind = if bot { ActorKind::Bot } else { ActorKind::User };
            create_participant(identities, &name, kind, arguments.role.server_role()).await?.id
        }
    };
    let days = match arguments.expires.unwrap_or(TokenExpiry::Days(usual_days)) {
        TokenExpiry::Never => None,
        TokenExpiry::Days(days) => Some(days),
    };
    let lasts = days.map(|days| Duration::from_secs(days * 24 * 60 * 60));
    let mut entry = NewAuditEntry::new(AuditAction::TokenCreated).by_terminal();
    if let Some(scope) = &scope {
        entry = entry.detail("scope", serde_json::json!(scope));
    }
    let token = issue_with(identities, participant, CredentialKind::Token, |new| {
        (new.lasts, new.label, new.scope) = (lasts, label, scope);
    });
    let token = token.await?;
    let entry = entry.subject(token.hash().id());
    audit.add_audit_entries(&[entry.detail("participant", participant.to_string())]).await?;
    // Standard output contains only the token, for scripts. People invite a bot by the id of its participant.
    let ends = days.map_or_else(|| "is valid until revoked".to_owned(), |days| format!("expires in {days} days"));
    let _ = writeln!(std::io::stderr(), "for participant {participant}; the token is shown only once and {ends}");
    super::print_text(&format!("{}\n", token.reveal()))
}

async fn list(identities: &dyn IdentityStore) -> anyhow::Result<()> {
    let mut rows = vec![
        ["ID", "PARTICIPANT", "ROLE", "KIND", "CREATED", "USED", "EXPIRES", "SCOPE", "LABEL", "NAME"]
            .map(str::to_owned),
    ];
    for token in identities.tokens().await? {
        let scope = scope_text(&token);
        let who = token.participant;
        let kind = if who.kind == ActorKind::Bot { "bot" } else { "user" };
        let (server_role, made) = (who.server_role.as_str(), format_time(token.created_at));
        let used = token.last_used_at.map_or_else(|| "-".to_owned(), format_time);
        let until = token.expires_at.map_or_else(|| "when revoked".to_owned(), format_time);
        rows.push([
            token.id,
            who.id.to_string(),
            server_role.into(),
            kind.into(),
            made,
            used,
            until,
            scope,
            token.label.as_deref().unwrap_or("-").into(),
            who.name.to_string(),
        ]);
    }
    super::print_text(&super::format_table(&rows))
}

/// Returns the limits of a token, one word per limit, or `all` if it has no scope.
fn scope_text(token: &Credential) -> String {
    let Some(scope) = &token.scope else { return "all".to_owned() };
    let sessions = scope.sessions.iter().map(|session| session.to_string());
    let teams = scope.teams.iter().map(|team| format!("team:{team}"));
    let role = scope.max_role.map(|role| format!("role:{}", role.as_str()));
    let networks = scope.networks.to_texts().into_iter().map(|network| format!("from:{network}"));
    sessions.chain(teams).chain(role).chain(networks).collect::<Vec<_>>().join(",")
}

async fn revoke(identities: &dyn IdentityStore, audit: &dyn AuditStore, id: &str) -> anyhow::Result<()> {
    // A shorter prefix could match other tokens by accident.
    if id.len() < 6 || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        anyhow::bail!("the id is too short or invalid; give at least 6 digits as in `roundtable token list`");
    }
    match identities.revoke_tokens(&id.to_lowercase()).await? {
        0 => anyhow::bail!("no token has an id that begins with {id}; `roundtable token list` lists them"),
        count => {
            let entry = NewAuditEntry::new(AuditAction::TokenRevoked).by_terminal().subject(id).detail("count", count);
            audit.add_audit_entries(&[entry]).await?;
            super::print_text(&format!("revoked {count}\n"))
        }
    }
}
