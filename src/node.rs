//! One running server with all its parts.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::access::Access;
use crate::agent::{self, ModelSource};
use crate::audit::AuditLog;
use crate::bus::redis::RedisUrlError;
use crate::bus::{self, Bus, BusConnection, Hub};
use crate::config::Config;
use crate::demo_model::{self, DemoModel};
use crate::dispatch::Dispatcher;
use crate::doors::GuestDoors;
use crate::feed::Feeds;
use crate::files::FileRepository;
use crate::health::{self, Health};
use crate::http::{AllowedHosts, RequestAdmission, TrustedProxies};
use crate::identity::{IdentityStore, Revocations};
use crate::kernel::Team;
use crate::knowledge::Knowledge;
use crate::limits::{RateLimiters, SharedRateLimiter};
use crate::orchestrator::{Cluster, Orchestrators};
use crate::peers;
use crate::protocol::{Code, Problem};
use crate::quotas::{QuotaStore, Quotas};
use crate::redactions::RedactionWorker;
use crate::socket::{self, SocketTraffic};
use crate::store::{self, DatabaseHealth, EventStore, LeaseStore, LiveNode, NodeId};
use crate::supervise::supervise;
use crate::sweep;
use crate::tool::{self, Confinement, Tool, Toolbox, code::CodeAccess, mcp::McpServers};

/// One running server.
pub struct Node {
    /// Settings in force.
    pub config: Config,
    /// Host names under which the server is reachable.
    pub hosts: AllowedHosts,
    /// Rule for callers of the doors without a credential.
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
    pub knowledge: Knowledge,
    /// Audit log.
    pub audit: AuditLog,
    /// Participants and their credentials.
    pub identities: Arc<dyn IdentityStore>,
    /// Leases of all nodes.
    pub leases: Arc<dyn LeaseStore>,
    /// Amounts that count towards quotas.
    pub quotas: Arc<dyn QuotaStore>,
    /// Redactions that take longer than a request.
    pub redactions: RedactionWorker,
    /// Health of the database.
    pub vitals: Arc<dyn DatabaseHealth>,
    /// Connections and streams that end with their credential.
    pub revocations: Arc<Revocations>,
    /// Feeds of sessions.
    pub feeds: Feeds,
    /// Live sessions of this node.
    pub orchestrators: Orchestrators,
    /// Access checks for sessions.
    pub access: Access,
    /// Entry point for commands.
    pub reception: Dispatcher,
    /// Shared state of all sockets.
    pub sockets: Arc<socket::SocketContext>,
    /// Source of model responses.
    pub model: ModelSource,
    /// Teams that a new session can use.
    pub teams: Vec<Arc<Team>>,
    /// Bus to the other nodes. Absent if the server is alone on its database.
    pub bus: Option<Arc<dyn Bus>>,
    /// Health of this node, as of the last check.
    pub health: Health,
    /// MCP servers of the configuration.
    pub mcp: Arc<McpServers>,
    /// Cancelled when the shutdown begins: the server accepts nothing new, releases its sessions, then closes
    /// connections.
    pub stopping: CancellationToken,
    /// Demo model, if it is in use. It ends with the server.
    pub demo: Option<DemoModel>,
}

/// Maximum time for which a start waits for MCP servers.
const MCP_START_TIMEOUT: Duration = Duration::from_secs(5);

impl Node {
    /// Builds a server that listens on `address`, and resumes unfinished sessions.
    ///
    /// # Errors
    /// If the database or the models cannot be used. The message tells an operator what to do.
    pub async fn start(config: Config, address: SocketAddr) -> anyhow::Result<Arc<Self>> {
        Self::start_with_tools(config, address, vec![]).await
    }

    /// Builds a server like [`Node::start`], with tools that take precedence over the server's own.
    ///
    /// # Errors
    /// The errors of [`Node::start`].
    pub async fn start_with_tools(
        mut config: Config,
        address: SocketAddr,
        tools: Vec<Arc<dyn Tool>>,
    ) -> anyhow::Result<Arc<Self>> {
        let teams = agent::teams::read(&config.teams)?;
        let (chosen, minds) = crate::models::select_models(&config, &teams).await?;
        if chosen.demo.is_some() {
            demo_model::example::add_to(&mut config.tools.code.bases, &config.data_dir);
        }
        let joined = join_bus(&config)?;
        let hosts = AllowedHosts::new(&config, address);
        let proxies = TrustedProxies::new(&config.http.trusted_proxies, config.http.forwarded_header);
        let proxies = proxies.map_err(anyhow::Error::msg)?;
        let engines = store::open(&config.database(), &config.store).await?;
        let (cluster, questions) = joined
            .map(|BusConnection { bus, questions, place }| {
                let version = env!("CARGO_PKG_VERSION").into();
                let me = LiveNode { node: bus.node(), name: config.node_name(), version, bus: Some(place) };
                (Cluster { me, leases: engines.leases.clone(), bus, settings: config.cluster.clone() }, questions)
            })
            .unzip();
        let bus = cluster.as_ref().map(|cluster: &Cluster| cluster.bus.clone());
        if let Some(cluster) = &cluster {
            peers::check(cluster).await?;
        }
        let files = FileRepository::new(engines.contents.clone(), config.files.clone());
        let knowledge = Knowledge::new(engines.knowledge.clone(), files.clone(), config.knowledge.clone());
        let feeds = Feeds::new(engines.events.clone(), config.feed.clone(), bus.clone());
        minds.warm();
        let stopping = CancellationToken::new();
        if config.tools.mcp.values().any(|server| server.enabled && server.confined && !server.command.is_empty()) {
            let private = config.private_paths();
            let confinement = Arc::new(Confinement::detect(&config.tools.python.bwrap, private));
            config.tools.mcp.values_mut().for_each(|server| server.confinement = confinement.clone());
        }
        let mcp = Arc::new(
            McpServers::start(&config.tools.mcp, &config.mcp_folder(), &stopping).map_err(anyhow::Error::msg)?,
        );
        let tools = [tools, tool::builtin(&config.tools, Some(&knowledge)).await].concat();
        let quotas = Quotas::new(engines.quotas.clone(), config.quotas.clone());
        let access = CodeAccess::new(&config.tools.code, engines.identities.clone());
        let toolbox = Toolbox::new(tools, vec![mcp.clone()]).with_files(files.clone()).with_quotas(quotas.clone());
        let toolbox = toolbox.with_code_access(access).with_knowledge(knowledge.clone());
        let orchestrators = Orchestrators::new(
            engines.events.clone(),
            feeds.clone(),
            Arc::new(minds),
            toolbox,
            config.orchestrator.clone(),
            cluster.clone(),
        );
        // Without this wait, calls of resumed runs would fail because their tools are not available yet.
        if timeout(MCP_START_TIMEOUT, mcp.settled()).await.is_err() {
            tracing::warn!("some MCP servers have not responded yet; their tools become available once they do");
        }
        let taken_up = orchestrators.start(questions).await?;
        if let Some(bus) = &bus {
            let (feeds, status) = (feeds.clone(), bus.status());
            tokio::spawn(supervise("feed checks", move || feeds.clone().keep_up(status.clone())));
        }
        if taken_up > 0 {
            tracing::info!(taken_up, "resumed sessions with unfinished work");
        }
        let audit = AuditLog::start(engines.audit.clone(), config.audit.clone());
        let redactions = RedactionWorker::new(engines.redactions.clone());
        let reception = Dispatcher {
            redactions: redactions.clone(),
            audit: audit.clone(),
            sessions: Arc::new(orchestrators.clone()),
            identities: engines.identities.clone(),
            knowledge: knowledge.clone(),
            code: config.tools.code.clone(),
            quotas,
            room: files.room(),
            limits: Arc::new(RateLimiters::new(&config.pace, shared_limits(&config)?)),
            text_bytes: config.socket.text_bytes,
            within: Duration::from_secs(config.http.timeout_seconds),
        };
        let closing = CancellationToken::new();
        let revocations = Revocations::new(closing.clone());
        let every = Duration::from_millis(config.identity.revocation_ms);
        let (held, store) = (revocations.clone(), engines.identities.clone());
        tokio::spawn(supervise("revocation checks", move || held.clone().keep_up(store.clone(), every)));
        let access = Access { events: engines.events.clone(), feeds: feeds.clone(), reception: reception.clone() };
        let sockets = Arc::new(socket::SocketContext {
            reception: reception.clone(),
            revocations: revocations.clone(),
            access: access.clone(),
            bounds: Arc::new(config.socket.clone()),
            stopping: stopping.clone(),
            shutdown: closing,
            tasks: TaskTracker::new(),
            traffic: SocketTraffic::new(&config.socket),
        });
        let (held, store) = (revocations.clone(), engines.identities.clone());
        tokio::spawn(supervise("writes of last uses", move || held.clone().keep_writing_uses(store.clone())));
        let guest_doors = GuestDoors::new(&config, &hosts, chosen.source.scripted);
        if guest_doors.are_open() {
            tracing::warn!(
                "the doors accept callers without a credential, each as the guest of their address; set \
                 guest_doors = false to reject them"
            );
        }
        let node = Arc::new(Self {
            guest_doors,
            access,
            audit,
            hosts,
            proxies,
            admission: RequestAdmission::new(&config.http),
            files,
            knowledge,
            sockets,
            stopping,
            health: Health::default(),
            bus,
            events: engines.events,
            identities: engines.identities,
            leases: engines.leases,
            quotas: engines.quotas,
            redactions,
            vitals: engines.vitals,
            revocations,
            feeds,
            orchestrators,
            reception,
            mcp,
            model: chosen.source,
            teams: teams.offered,
            demo: chosen.demo,
            config,
        });
        let (weak, stopping) = (Arc::downgrade(&node), node.stopping.clone());
        tokio::spawn(supervise("the sweep", move || sweep::sweep(weak.clone(), stopping.clone())));
        let (weak, stopping, redactions) = (Arc::downgrade(&node), node.stopping.clone(), node.redactions.clone());
        tokio::spawn(supervise("redactions", move || redactions.clone().keep_up(weak.clone(), stopping.clone())));
        let weak = Arc::downgrade(&node);
        tokio::spawn(supervise("database checks", move || health::monitor(weak.clone())));
        if let Some(cluster) = cluster {
            let weak = Arc::downgrade(&node);
            tokio::spawn(supervise("checks of other nodes", move || peers::monitor(cluster.clone(), weak.clone())));
        }
        Ok(node)
    }

    /// Returns whether the doors accept callers without a token.
    pub fn takes_guests(&self) -> bool {
        self.guest_doors.are_open()
    }

    /// Returns the number of items on a page of a list: `asked`, or the default.
    ///
    /// # Errors
    /// `invalid_argument` if `asked` is out of range.
    pub fn page(&self, asked: Option<u32>) -> Result<u32, Problem> {
        let most = self.config.http.page_at_most;
        match asked.unwrap_or(self.config.http.page) {
            limit if (1..=most).contains(&limit) => Ok(limit),
            _ => Err(Problem::new(Code::InvalidArgument, format!("limit must be from 1 to {most}"))),
        }
    }
}

/// Joins the bus to the other nodes. A SQLite file has one server. PostgreSQL can have many, and each keeps a lease,
/// even without Redis, so that a second server can join at any time.
fn join_bus(config: &Config) -> anyhow::Result<Option<BusConnection>> {
    let me = NodeId::fresh();
    match (&config.redis_url, config.database().starts_with("sqlite:")) {
        (None, true) => Ok(None),
        (Some(_), true) => anyhow::bail!(
            "redis_url is for several servers on one PostgreSQL, but the database is a SQLite file; \
             set database_url to postgres://…, or remove redis_url"
        ),
        (None, false) => Ok(Some(Hub::new().join(me, &config.bus))),
        (Some(url), false) => Ok(Some(bus::redis::join(me, url, &config.bus)?)),
    }
}

/// Returns the rate limits that all nodes share, if there is a Redis.
fn shared_limits(config: &Config) -> anyhow::Result<Option<SharedRateLimiter>> {
    let shared =
        |url| Ok::<_, RedisUrlError>(SharedRateLimiter::new(bus::redis::RedisRoute::new(url, &config.bus.prefix)?));
    Ok(config.redis_url.as_deref().map(shared).transpose()?)
}
