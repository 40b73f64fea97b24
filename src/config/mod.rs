//! Every setting: name, default, unit, meaning, check. The doc comments here are what `roundtable config` prints, the
//! ranges are what a start checks: there is no second list of settings anywhere.

mod check;
mod key;
mod load;
mod mask;
mod show;

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agent::Providers;
use crate::agent::teams::TeamSettings;
use crate::audit::AuditSettings;
use crate::bus::BusSettings;
use crate::demo_model::DemoOptions;
use crate::feed::FeedBounds;
use crate::files::FileSettings;
use crate::http::HttpSettings;
use crate::knowledge::KnowledgeSettings;
use crate::limits::Paces;
use crate::orchestrator::{ClusterSettings, OrchestratorBounds};
use crate::quotas::QuotaSettings;
use crate::socket::SocketBounds;
use crate::store::StoreSettings;
use crate::tool::ToolSettings;

pub use load::{ConfigError, Given, Loaded, Source, load};

/// What is in force. Read in this order, the first that says something wins: flags, environment (`ROUNDTABLE_LISTEN`,
/// `ROUNDTABLE_HTTP__BODY_BYTES`), the file `roundtable.toml`, defaults.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Address and port to listen on; port 0 takes a free one, and the first line of output says which.
    pub listen: String,
    /// Address and port for what monitors ask, `/metrics`, `/readyz` and `/healthz`, in a network of your own: whoever
    /// reaches it is answered. Absent: no metrics.
    pub metrics_listen: Option<String>,
    /// The file that this was read from, if any.
    #[serde(skip)]
    pub file: Option<PathBuf>,
    /// Folder for everything that the server keeps.
    pub data_dir: PathBuf,
    /// How people reach the server, `https://roundtable.example.org`; absent: the address that it listens on.
    pub public_url: Option<String>,
    /// Further host names, with their port if it is not the usual one, under which pages may reach the server.
    pub allowed_hosts: Vec<String>,
    /// `sqlite:path/to/file` or `postgres://user:password@host/name`; absent: a file in `data_dir`.
    pub database_url: Option<String>,
    /// Where several servers on one database tell each other what is new: `redis://user:password@host:port`, `rediss://…`
    /// with TLS, or `unix:///path/to/socket`; any node of a Redis cluster will do. Absent: this server is alone.
    pub redis_url: Option<String>,
    /// Whether the doors (`/api/team-chat/…`) take callers without a token, as a guest; absent: only on a loopback
    /// address with the scripted demo model and without `public_url`, until a request comes through a proxy.
    pub guest_doors: Option<bool>,
    /// Answer with the scripted demo model, even where a real one could be had.
    pub only_demo_model: bool,
    /// What is written to standard error.
    pub log: Log,
    /// Requests that are answered once: pages, REST, doors.
    pub http: HttpSettings,
    /// How long what proves an identity is good for.
    pub identity: Identity,
    /// The audit log: for how long entries are kept, and how many refusals it takes.
    pub audit: AuditSettings,
    /// How long sessions are kept.
    pub sessions: Sessions,
    /// The database: how much at once, how long it may take.
    pub store: StoreSettings,
    /// What servers tell each other over Redis: how much at once, how long it may take.
    pub bus: BusSettings,
    /// What is kept of a session's latest frames for its viewers.
    pub feed: FeedBounds,
    /// What a socket accepts, and for how long it waits.
    pub socket: SocketBounds,
    /// How fast one participant may act.
    pub pace: Paces,
    /// Sessions that are live at once, and how they are kept.
    pub orchestrator: OrchestratorBounds,
    /// How this server stands among others on the same PostgreSQL.
    pub cluster: ClusterSettings,
    /// Where models are to be had; none: `OPENAI_API_KEY` and `ANTHROPIC_API_KEY`, else an Ollama on this machine,
    /// else the demo model.
    pub providers: Providers,
    /// Teams of your own.
    pub teams: TeamSettings,
    /// Files of sessions: how large, how many.
    pub files: FileSettings,
    /// Knowledge bases: how many, how large.
    pub knowledge: KnowledgeSettings,
    /// Quotas of one participant and of one session.
    pub quotas: QuotaSettings,
    /// The tools that agents can be given.
    pub tools: ToolSettings,
    /// How the demo model behaves.
    pub demo: DemoOptions,
}

/// What is written to standard error. Never a secret, never a message's text.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Log {
    /// What to write: `error`, `warn`, `info`, `debug`, `trace`, or by module as in `info,roundtable::store=debug`.
    /// `RUST_LOG` has precedence.
    pub filter: String,
    /// One JSON object a line, for machines.
    pub json: bool,
    /// Where an OpenTelemetry collector takes traces over HTTP, `http://127.0.0.1:4318`; absent: no traces.
    pub otlp_endpoint: Option<String>,
}

/// How long what proves an identity is good for.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Identity {
    /// Minutes in which a sign-in link for an administrator can be used, once.
    #[schemars(range(min = 1, max = 10_080))]
    pub sign_in_minutes: u64,
    /// Days that a browser stays signed in.
    #[schemars(range(min = 1, max = 400))]
    pub cookie_days: u64,
    /// Days without a request after which a browser is signed out. An open page counts as used.
    #[schemars(range(min = 1, max = 400))]
    pub cookie_idle_days: u64,
    /// Days that a token lasts where `token create --expires` does not say.
    #[schemars(range(min = 1, max = 36_500))]
    pub token_days: u64,
    /// Hours that an invitation is open where its maker does not say.
    #[schemars(range(min = 1, max = 8760))]
    pub invite_hours: u64,
    /// Milliseconds between looks for what was revoked, on any server of the same database or by `roundtable token`:
    /// that long open sockets and streams outlive it at most.
    #[schemars(range(min = 20, max = 10_000))]
    pub revocation_ms: u64,
}

/// How long sessions are kept.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sessions {
    /// Hours after its last event until a session is removed; never while it waits for people or a run is unfinished.
    #[schemars(range(min = 1, max = 876_000))]
    pub expire_hours: u64,
    /// Minutes between two looks for what has expired.
    #[schemars(range(min = 1, max = 1440))]
    pub sweep_minutes: u64,
    /// Days after its last event until a new session is redacted whose maker does not set `retention_days`; absent: never.
    #[schemars(range(min = 1, max = 36_500))]
    pub retention_days: Option<u32>,
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
            log: Log::default(),
            http: HttpSettings::default(),
            identity: Identity::default(),
            audit: AuditSettings::default(),
            sessions: Sessions::default(),
            store: StoreSettings::default(),
            bus: BusSettings::default(),
            feed: FeedBounds::default(),
            socket: SocketBounds::default(),
            pace: Paces::default(),
            orchestrator: OrchestratorBounds::default(),
            cluster: ClusterSettings::default(),
            providers: Providers::default(),
            teams: TeamSettings::default(),
            files: FileSettings::default(),
            knowledge: KnowledgeSettings::default(),
            quotas: QuotaSettings::default(),
            tools: ToolSettings::default(),
            demo: DemoOptions::default(),
        }
    }
}

impl Default for Log {
    fn default() -> Self {
        Self { filter: "info".into(), json: false, otlp_endpoint: None }
    }
}

impl Default for Identity {
    fn default() -> Self {
        Self {
            sign_in_minutes: 60,
            cookie_days: 30,
            cookie_idle_days: 14,
            token_days: 90,
            invite_hours: 72,
            revocation_ms: 500,
        }
    }
}

impl Default for Sessions {
    fn default() -> Self {
        Self { expire_hours: 24 * 30, sweep_minutes: 10, retention_days: None }
    }
}

impl Config {
    /// Where the credentials of MCP servers are kept.
    pub fn mcp_folder(&self) -> PathBuf {
        self.data_dir.join("mcp")
    }

    /// Where the database is.
    pub fn database(&self) -> String {
        let file = || format!("sqlite:{}", self.data_dir.join("roundtable.db").display());
        self.database_url.clone().unwrap_or_else(file)
    }

    /// Files and folders that only the server itself may read: its data, and the configuration with its credentials.
    pub fn private_paths(&self) -> Vec<PathBuf> {
        let database = self.database();
        let file = database.strip_prefix("sqlite:").map(|path| path.split('?').next().unwrap_or(path));
        let file = file.map(|path| path.strip_prefix("//").unwrap_or(path));
        let beside = |path: &str| ["", "-wal", "-shm", "-journal"].map(|end| PathBuf::from(format!("{path}{end}")));
        std::iter::once(self.data_dir.clone())
            .chain(file.map(beside).into_iter().flatten())
            .chain(self.file.clone())
            .collect()
    }

    /// What operators call this node.
    pub fn node_name(&self) -> String {
        let host = || std::fs::read_to_string("/etc/hostname").unwrap_or_default().trim().to_owned();
        if self.cluster.name.is_empty() { host() } else { self.cluster.name.clone() }
    }
}
