//! All settings: name, default, unit, meaning and check. `roundtable config` prints the doc comments, and the server
//! checks the ranges when it starts. There is no second list of settings.

mod check;
mod key;
mod load;
mod mask;
mod rights_templates;
mod show;

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agent::ProvidersSettings;
use crate::agent::teams::TeamSettings;
use crate::audit::AuditSettings;
use crate::bus::BusSettings;
use crate::demo_model::DemoSettings;
use crate::feed::FeedSettings;
use crate::files::FileSettings;
use crate::knowledge::KnowledgeSettings;
use crate::limits::RateLimitSettings;
use crate::network::HttpSettings;
use crate::orchestrator::{ClusterSettings, OrchestratorSettings};
use crate::quotas::QuotaSettings;
use crate::sign_in::{OidcSettings, ProxySignIn, ProxySignInSettings};
use crate::socket::SocketSettings;
use crate::store::StoreSettings;
use crate::telemetry::LogSettings;
use crate::tool::ToolSettings;

pub use load::{ConfigError, ConfigInput, LoadedConfig, ValueSource, load};
pub use rights_templates::{RightsTemplate, RightsTemplates};

/// Settings in force. For each setting, the first of these sources that sets it wins: flags, environment
/// (`ROUNDTABLE_LISTEN`, `ROUNDTABLE_HTTP__MAX_BODY_BYTES`), the `roundtable.toml` file, defaults.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Address and port to listen on. Default `127.0.0.1:8080`. Port 0 selects a free port; the first line of output
    /// states it.
    pub listen: String,
    /// Address and port for monitoring: `/metrics`, `/readyz` and `/healthz`, for example `127.0.0.1:9090`. It needs no
    /// credential, so use an address in a private network. If absent, there are no metrics.
    pub metrics_listen: Option<String>,
    /// Configuration file that was read, if any.
    #[serde(skip)]
    pub file: Option<PathBuf>,
    /// Folder for all data of the server. Default `data`.
    pub data_dir: PathBuf,
    /// URL at which people reach the server, for example `https://roundtable.example.org`. If absent, the address that
    /// the server listens on.
    pub public_url: Option<String>,
    /// Further host names that pages can use to reach the server, with the port unless it is the default of the scheme,
    /// for example `["chat.example.org"]`.
    pub allowed_hosts: Vec<String>,
    /// Database: `sqlite:path/to/file` or `postgres://user:password@host/name`. If absent, a SQLite file in `data_dir`.
    pub database_url: Option<String>,
    /// URL of the Redis server that carries messages between servers on one database:
    /// `redis://user:password@host:port`, `rediss://…` with TLS, or `unix:///path/to/socket`. For a Redis cluster, the
    /// URL of any node. If absent, this server is the only one.
    pub redis_url: Option<String>,
    /// True if the doors (`/api/team-chat/…`) accept callers without a token, as guests. If absent, they do so only on
    /// a loopback address, with the scripted demo model and without `public_url`, until a request arrives through a
    /// proxy.
    pub guest_doors: Option<bool>,
    /// True to use the scripted demo model even if a real model is available. Default false.
    pub only_demo_model: bool,
    /// Log on standard error.
    pub log: LogSettings,
    /// HTTP requests to pages, REST and doors: limits and timeouts.
    pub http: HttpSettings,
    /// Lifetimes of credentials, and sign-in through a reverse proxy.
    pub identity: IdentitySettings,
    /// Sign-in at an OpenID provider: issuer, client, and rights of its groups.
    pub oidc: OidcSettings,
    /// Audit log: retention of entries, and limits on recorded denials.
    pub audit: AuditSettings,
    /// Lifetime of sessions.
    pub sessions: SessionSettings,
    /// Database: limits and timeouts.
    pub store: StoreSettings,
    /// Messages between servers over Redis: limits and timeouts.
    pub bus: BusSettings,
    /// Feeds: limits on the latest frames of a session that are kept in memory for its viewers.
    pub feed: FeedSettings,
    /// Sockets: limits and timeouts.
    pub socket: SocketSettings,
    /// Rate limits per participant.
    pub rate_limits: RateLimitSettings,
    /// Live sessions: limits and timeouts.
    pub orchestrator: OrchestratorSettings,
    /// Cluster of servers on one PostgreSQL.
    pub cluster: ClusterSettings,
    /// Model providers. If empty, the server uses `OPENAI_API_KEY` and `ANTHROPIC_API_KEY`, otherwise Ollama on this
    /// machine, otherwise the demo model.
    pub providers: ProvidersSettings,
    /// Teams that the operator defines.
    pub teams: TeamSettings,
    /// Session files: limits on size and number.
    pub files: FileSettings,
    /// Knowledge bases: limits on size and number.
    pub knowledge: KnowledgeSettings,
    /// Quotas per participant, per session and per team.
    pub quotas: QuotaSettings,
    /// Templates of rights that people can choose for their sessions, keyed by name, for example `review`.
    pub rights_templates: RightsTemplates,
    /// Tools that agents can use.
    pub tools: ToolSettings,
    /// Behavior of the demo model.
    pub demo: DemoSettings,
}

/// Lifetimes of credentials, and sign-in through a reverse proxy.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IdentitySettings {
    /// Minutes that a sign-in link for an administrator is valid. A link works once. Default 60, at most 10080.
    #[schemars(range(min = 1, max = 10_080))]
    pub sign_in_minutes: u64,
    /// Days that a browser stays signed in. Default 30, at most 400.
    #[schemars(range(min = 1, max = 400))]
    pub cookie_days: u64,
    /// Days without a request after which a browser is signed out. An open page counts as a request. Default 14, at
    /// most 400.
    #[schemars(range(min = 1, max = 400))]
    pub cookie_idle_days: u64,
    /// Days that a token is valid if it is created without `token create --expires`. Default 90, at most 36500.
    #[schemars(range(min = 1, max = 36_500))]
    pub token_days: u64,
    /// Hours that an invitation is valid if its creator does not set a time. Default 72, at most 8760.
    #[schemars(range(min = 1, max = 8760))]
    pub invite_hours: u64,
    /// Milliseconds between two checks for credentials that another server or a command revoked. Open sockets and
    /// streams outlive a revocation by at most this time. 20 to 10000, default 500.
    #[schemars(range(min = 20, max = 10_000))]
    pub revocation_ms: u64,
    /// Sign-in through a header of a reverse proxy that authenticates people. Off unless `header` is set.
    pub proxy: ProxySignInSettings,
}

/// Lifetime of sessions.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SessionSettings {
    /// Hours from a session's last event to its deletion. A session with an unfinished run, or one that waits for
    /// people, is never deleted. Default 720, at most 876000.
    #[schemars(range(min = 1, max = 876_000))]
    pub expire_hours: u64,
    /// Minutes between two sweeps for expired data. Default 10, at most 1440.
    #[schemars(range(min = 1, max = 1440))]
    pub sweep_minutes: u64,
    /// Days from a session's last event to its redaction, for new sessions whose creator does not set `retention_days`.
    /// If absent, such sessions are never redacted. At most 36500.
    #[schemars(range(min = 1, max = 36_500))]
    pub retention_days: Option<u32>,
    /// Name of the template in `rights_templates` for new sessions whose creator names neither a template nor rights,
    /// for example `review`. If absent, roles have their default rights.
    pub rights_template: Option<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: "127.0.0.1:8080".into(),
            metrics_listen: None,
            file: None,
            data_dir: "data".into(),
            public_url: None,
            allowed_hosts: vec![],
            database_url: None,
            redis_url: None,
            guest_doors: None,
            only_demo_model: false,
            log: LogSettings::default(),
            http: HttpSettings::default(),
            identity: IdentitySettings::default(),
            oidc: OidcSettings::default(),
            audit: AuditSettings::default(),
            sessions: SessionSettings::default(),
            store: StoreSettings::default(),
            bus: BusSettings::default(),
            feed: FeedSettings::default(),
            socket: SocketSettings::default(),
            rate_limits: RateLimitSettings::default(),
            orchestrator: OrchestratorSettings::default(),
            cluster: ClusterSettings::default(),
            providers: ProvidersSettings::default(),
            teams: TeamSettings::default(),
            files: FileSettings::default(),
            knowledge: KnowledgeSettings::default(),
            quotas: QuotaSettings::default(),
            rights_templates: RightsTemplates::new(),
            tools: ToolSettings::default(),
            demo: DemoSettings::default(),
        }
    }
}

impl Default for IdentitySettings {
    fn default() -> Self {
        Self {
            sign_in_minutes: 60,
            cookie_days: 30,
            cookie_idle_days: 14,
            token_days: 90,
            invite_hours: 72,
            revocation_ms: 500,
            proxy: ProxySignInSettings::default(),
        }
    }
}

impl Default for SessionSettings {
    fn default() -> Self {
        Self { expire_hours: 24 * 30, sweep_minutes: 10, retention_days: None, rights_template: None }
    }
}

impl Config {
    /// Returns the issuer of this server's accounts: the OpenID provider, otherwise the reverse proxy. Returns `None`
    /// if neither is configured.
    pub fn account_issuer(&self) -> Option<&str> {
        let proxy = self.identity.proxy.header.is_some().then_some(ProxySignIn::ISSUER);
        self.oidc.issuer.as_deref().or(proxy)
    }

    /// Returns the folder for credentials of MCP servers.
    pub fn mcp_folder(&self) -> PathBuf {
        self.data_dir.join("mcp")
    }

    /// Returns the URL of the database.
    pub fn database(&self) -> String {
        let file = || format!("sqlite:{}", self.data_dir.join("roundtable.db").display());
        self.database_url.clone().unwrap_or_else(file)
    }

    /// Returns the file of the database, or `None` if it is not SQLite.
    pub fn database_file(&self) -> Option<PathBuf> {
        let database = self.database();
        let path = database.strip_prefix("sqlite:")?;
        let path = path.split('?').next().unwrap_or(path);
        Some(path.strip_prefix("//").unwrap_or(path).into())
    }

    /// Returns the files and folders that only the server itself is allowed to read: its data, and the configuration
    /// with its credentials.
    pub fn private_paths(&self) -> Vec<PathBuf> {
        let beside = |path: PathBuf| {
            ["", "-wal", "-shm", "-journal"].map(|end| PathBuf::from(format!("{}{end}", path.display())))
        };
        std::iter::once(self.data_dir.clone())
            .chain(self.database_file().map(beside).into_iter().flatten())
            .chain(self.file.clone())
            .collect()
    }

    /// Returns the name of this node for operators: `cluster.name`, or the host name if it is empty.
    pub fn node_name(&self) -> String {
        let host = || std::fs::read_to_string("/etc/hostname").unwrap_or_default().trim().to_owned();
        if self.cluster.name.is_empty() { host() } else { self.cluster.name.clone() }
    }
}
