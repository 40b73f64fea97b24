//! One running server with all its parts.

mod guest_doors;
mod models;
mod new_session;
mod start;

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::access::Access;
use crate::agent::ModelSource;
use crate::agent::teams::topology::{ModelCatalog, ReferenceCatalog};
use crate::agent::teams::{ExecutionStore, TeamStore, ToolNames};
use crate::audit::AuditLog;
use crate::bus::Bus;
use crate::config::Config;
use crate::demo_model::DemoModel;
use crate::dispatch::Dispatcher;
use crate::feed::FeedRegistry;
use crate::files::FileRepository;
use crate::health::Health;
use crate::identity::{ExternalIdentityStore, IdentityStore, Revocations};
use crate::kernel::{ParticipantId, Team};
use crate::knowledge::KnowledgeRepository;
use crate::limits::{ConcurrencyLimit, RequestAdmission};
use crate::network::{AllowedHosts, TrustedProxies};
use crate::orchestrator::SessionRegistry;
use crate::protocol::{Code, Problem};
use crate::quotas::QuotaStore;
use crate::redaction_worker::RedactionWorker;
use crate::redactions::RedactionQueue;
use crate::sign_in::{OidcProvider, ProxySignIn};
use crate::socket;
use crate::store::{DatabaseHealth, EventStore, LeaseStore};
use crate::sweep::Sweeper;
use crate::tool::mcp::McpServerRegistry;
use crate::tool::{BUILTIN_NAMES, Toolbox};

pub use guest_doors::GuestDoors;
pub(crate) use models::select_models;
pub(crate) use new_session::{FirstRun, SessionPlan};
pub use new_session::{NewSession, StartedSession};

/// One running server.
pub struct Node {
    /// Effective settings.
    pub config: Config,
    /// Host names at which the server is reachable.
    pub hosts: AllowedHosts,
    /// Access to the doors without a credential.
    pub guest_doors: GuestDoors,
    /// Proxies whose forwarding headers are trusted.
    pub proxies: TrustedProxies,
    /// Limits on concurrent requests.
    pub admission: RequestAdmission,
    /// Session logs.
    pub events: Arc<dyn EventStore>,
    /// Contents of session files.
    pub files: FileRepository,
    /// Knowledge bases.
    pub knowledge: KnowledgeRepository,
    /// Audit log.
    pub audit: AuditLog,
    /// Participants and their credentials.
    pub identities: Arc<dyn IdentityStore>,
    /// Accounts of participants at the identity provider.
    pub external: Arc<dyn ExternalIdentityStore>,
    /// Identity provider at which people sign in, if any.
    pub oidc: Option<OidcProvider>,
    /// Reverse proxies that sign people in, if any.
    pub proxy_sign_in: Option<ProxySignIn>,
    /// Leases of all nodes.
    pub leases: Arc<dyn LeaseStore>,
    /// Amounts that count toward quotas.
    pub quotas: Arc<dyn QuotaStore>,
    /// Redactions that take longer than a request.
    pub redactions: RedactionQueue,
    /// Worker that executes redactions.
    pub redaction_worker: RedactionWorker,
    /// Periodic deletion of expired data.
    pub sweeper: Arc<Sweeper>,
    /// Health of the database.
    pub vitals: Arc<dyn DatabaseHealth>,
    /// Connections and streams that end with their credential.
    pub revocations: Arc<Revocations>,
    /// Feeds of sessions.
    pub feeds: FeedRegistry,
    /// Live sessions of this node.
    pub session_registry: SessionRegistry,
    /// Access checks for sessions.
    pub access: Access,
    /// Entry point for commands.
    pub dispatcher: Dispatcher,
    /// Shared state of all sockets.
    pub sockets: Arc<socket::SocketContext>,
    /// Source of model responses.
    pub model: ModelSource,
    /// Providers and models that teams can name.
    pub models: Arc<ModelCatalog>,
    /// Tools of the agents.
    pub toolbox: Toolbox,
    /// Teams that participants created.
    pub stored_teams: Arc<dyn TeamStore>,
    /// Forecasts of rules in progress, each of which reads many sessions: 4 in total, 1 per participant.
    pub forecasts: Arc<ConcurrencyLimit<ParticipantId>>,
    /// Executions of stored teams.
    pub executions: Arc<dyn ExecutionStore>,
    /// Teams that a new session can use.
    pub teams: Vec<Arc<Team>>,
    /// Bus to the other nodes. Absent with SQLite, where the server is alone on its database.
    pub bus: Option<Arc<dyn Bus>>,
    /// Health of this node, as of the last check.
    pub health: Arc<Health>,
    /// MCP servers of the configuration.
    pub mcp: Arc<McpServerRegistry>,
    /// Cancelled when the shutdown begins: the server accepts no new commands or sockets, releases its sessions, then
    /// closes connections.
    pub stopping: CancellationToken,
    /// Demo model, if it is in use. It ends with the server.
    pub demo: Option<DemoModel>,
}

/// Returns the names of the tools that teams can name: built-in tools, even if they are switched off, the tools in
/// `others`, and those of the configured MCP servers, even before the servers are connected.
pub(crate) fn tool_names(config: &Config, others: impl IntoIterator<Item = Arc<str>>) -> ToolNames {
    let builtin = BUILTIN_NAMES.map(Arc::from).into_iter();
    ToolNames::new(builtin.chain(others), config.tools.mcp.keys().map(String::as_str))
}

impl Node {
    /// Returns whether the doors accept callers without a token.
    pub fn takes_guests(&self) -> bool {
        self.guest_doors.are_open()
    }

    /// Returns the names that a team can refer to now.
    pub fn references(&self) -> ReferenceCatalog {
        ReferenceCatalog::new(self.models.clone(), self.toolbox.names(), tool_names(&self.config, []))
    }

    /// Returns the number of items on a page of a list: `limit`, or the default if it is absent.
    ///
    /// # Errors
    /// `invalid_argument` if `limit` is out of range.
    pub fn page(&self, limit: Option<u32>) -> Result<u32, Problem> {
        let max_page_size = self.config.http.max_page_size;
        match limit.unwrap_or(self.config.http.default_page_size) {
            limit if (1..=max_page_size).contains(&limit) => Ok(limit),
            _ => Err(Problem::new(Code::InvalidArgument, format!("limit must be from 1 to {max_page_size}"))),
        }
    }
}
