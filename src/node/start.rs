//! Startup of a server: builds its parts from the lowest to the highest, and starts its background jobs.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{GuestDoors, Node, select_models, tool_names};
use crate::access::Access;
use crate::agent::teams::topology::ModelCatalog;
use crate::audit::AuditLog;
use crate::bus::redis::RedisUrlError;
use crate::bus::{self, BusConnection, BusRequest, Hub};
use crate::config::Config;
use crate::demo_model::example;
use crate::dispatch::Dispatcher;
use crate::feed::FeedRegistry;
use crate::files::FileRepository;
use crate::health::{self, Health};
use crate::identity::{IdentityStore, Revocations};
use crate::knowledge::KnowledgeRepository;
use crate::limits::{ConcurrencyLimit, RateLimiters, RequestAdmission, SharedRateLimiter};
use crate::network::{AllowedHosts, TrustedProxies};
use crate::node_id::NodeId;
use crate::orchestrator::{Cluster, SessionRegistry};
use crate::quotas::Quotas;
use crate::redaction_worker::RedactionWorker;
use crate::redactions::RedactionQueue;
use crate::sign_in::{OidcProvider, ProxySignIn};
use crate::socket::{SocketContext, SocketTraffic};
use crate::store::{self, LiveNode, Stores};
use crate::supervise::supervise;
use crate::sweep::Sweeper;
use crate::tool::code::{CodeAccess, CodeBaseSettings};
use crate::tool::mcp::McpServerRegistry;
use crate::tool::{self, Confinement, PythonTool, Tool, Toolbox};
use crate::{agent, peers};

/// Maximum time that startup waits for MCP servers.
const MCP_START_TIMEOUT: Duration = Duration::from_secs(5);

impl Node {
    /// Builds a server that listens on `address`, and resumes unfinished sessions.
    ///
    /// # Errors
    /// Fails if the database or the models cannot be used. The message tells an operator what to do.
    pub async fn start(config: Config, address: SocketAddr) -> anyhow::Result<Arc<Self>> {
        Self::start_with_tools(config, address, vec![]).await
    }

    /// Builds a server like [`Node::start`], with tools that take precedence over the server's own.
    ///
    /// # Errors
    /// The same as for [`Node::start`].
    pub async fn start_with_tools(
        mut config: Config,
        address: SocketAddr,
        tools: Vec<Arc<dyn Tool>>,
    ) -> anyhow::Result<Arc<Self>> {
        let python = config.tools.python.clone();
        let python = tokio::spawn(async move { PythonTool::start(&python).await });
        let teams = agent::teams::read(&config.teams)?;
        let others = tools.iter().map(|tool| tool.spec().name.clone());
        for warning in teams.check_tools(&tool_names(&config, others))? {
            tracing::warn!(%warning, "a team names a tool that cannot be called");
        }
        let (chosen, models) = select_models(&config, &teams).await?;
        if chosen.demo.is_some() {
            add_example_code(&mut config);
        }
        let joined = join_bus(&config)?;
        let hosts = AllowedHosts::new(config.public_url.as_deref(), &config.allowed_hosts, address);
        let proxies = TrustedProxies::new(&config.http.trusted_proxies, config.http.forwarded_header);
        let proxies = proxies.map_err(anyhow::Error::msg)?;
        let oidc = OidcProvider::new(&config.oidc, hosts.public_url()).map_err(anyhow::Error::msg)?;
        let proxy_sign_in =
            ProxySignIn::new(&config.identity.proxy).map_err(|error| anyhow::anyhow!("identity.proxy.{error}"))?;
        let engines = store::open(&config.database(), &config.store).await?;
        let (cluster, requests) = joined.map(|joined| form_cluster(&config, &engines, joined)).unzip();
        if let Some(cluster) = &cluster {
            peers::check(cluster).await?;
        }
        let bus = cluster.as_ref().map(|cluster: &Cluster| cluster.bus.clone());
        let files = FileRepository::new(engines.contents.clone(), config.files.clone());
        let knowledge = KnowledgeRepository::new(engines.knowledge.clone(), files.clone(), config.knowledge.clone());
        let quotas = Quotas::new(engines.quotas.clone(), config.quotas.clone());
        let feeds = FeedRegistry::new(engines.events.clone(), config.feed.clone(), bus.clone());
        models.warm();
        let stopping = CancellationToken::new();
        let mcp = start_mcp_servers(&config, &stopping)?;
        let tools = [tools, tool::builtin_with(&config.tools, Some(&knowledge), python.await?)].concat();
        let access = CodeAccess::new(&config.tools.code, engines.identities.clone());
        let toolbox = Toolbox::new(tools, vec![mcp.clone()]).with_files(files.clone()).with_quotas(quotas.clone());
        let toolbox = toolbox.with_code_access(access).with_knowledge(knowledge.clone());
        let session_registry = SessionRegistry::new(
            engines.events.clone(),
            feeds.clone(),
            Arc::new(models),
            toolbox.clone(),
            config.orchestrator.clone(),
            cluster.clone(),
            Some(engines.identities.clone()),
        );
        resume_sessions(&session_registry, requests, &mcp).await?;
        let audit = AuditLog::start(engines.audit.clone(), config.audit.clone());
        let redactions = RedactionQueue::new(engines.redactions.clone());
        let models = Arc::new(ModelCatalog::new(&chosen.providers));
        let dispatcher = Dispatcher {
            models: models.clone(),
            redactions: redactions.clone(),
            audit: audit.clone(),
            sessions: Arc::new(session_registry.clone()),
            identities: engines.identities.clone(),
            knowledge: knowledge.clone(),
            code: config.tools.code.clone(),
            quotas,
            files: files.clone(),
            limits: Arc::new(RateLimiters::new(&config.rate_limits, shared_limits(&config)?)),
            text_bytes: config.socket.max_text_bytes,
            within: Duration::from_secs(config.http.timeout_seconds),
        };
        let closing = CancellationToken::new();
        let revocations = watch_revocations(&config, &engines.identities, &closing);
        let access = Access {
            events: engines.events.clone(),
            executions: engines.executions.clone(),
            feeds: feeds.clone(),
            dispatcher: dispatcher.clone(),
        };
        let sockets = Arc::new(SocketContext {
            dispatcher: dispatcher.clone(),
            revocations: revocations.clone(),
            access: access.clone(),
            settings: Arc::new(config.socket.clone()),
            stopping: stopping.clone(),
            shutdown: closing,
            tasks: TaskTracker::new(),
            traffic: SocketTraffic::new(&config.socket),
        });
        let guest_doors = GuestDoors::new(&config, &hosts, chosen.source.scripted);
        if guest_doors.are_open() {
            tracing::warn!(
                "the doors accept callers without a credential, each as the guest of their address; set \
                 guest_doors = false to reject them"
            );
        }
        let redaction_worker =
            RedactionWorker { queue: redactions.clone(), sessions: session_registry.clone(), audit: audit.clone() };
        let sweeper = Arc::new(Sweeper {
            settings: config.sessions.clone(),
            database: engines.vitals.clone(),
            events: engines.events.clone(),
            redactions: redaction_worker.clone(),
            files: files.clone(),
            knowledge: knowledge.clone(),
            identities: engines.identities.clone(),
            external: engines.external.clone(),
            audit: audit.clone(),
            quotas: engines.quotas.clone(),
            leases: engines.leases.clone(),
            limits: dispatcher.limits.clone(),
        });
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
            health: Arc::new(Health::default()),
            bus,
            events: engines.events,
            identities: engines.identities,
            external: engines.external,
            oidc,
            proxy_sign_in,
            leases: engines.leases,
            quotas: engines.quotas,
            redactions,
            redaction_worker,
            sweeper,
            vitals: engines.vitals,
            revocations,
            feeds,
            session_registry,
            dispatcher,
            mcp,
            model: chosen.source,
            models,
            toolbox,
            forecasts: ConcurrencyLimit::new(4, 1),
            stored_teams: engines.teams,
            executions: engines.executions,
            teams: teams.offered,
            demo: chosen.demo,
            config,
        });
        node.begin_jobs(cluster);
        Ok(node)
    }

    /// Starts the background jobs. They end when the server stops, or when the node is dropped.
    fn begin_jobs(&self, cluster: Option<Cluster>) {
        if let Some(bus) = &self.bus {
            let (feeds, status) = (self.feeds.clone(), bus.status());
            tokio::spawn(supervise("feed checks", move || feeds.clone().keep_up(status.clone())));
        }
        let (sweeper, stopping) = (self.sweeper.clone(), self.stopping.clone());
        tokio::spawn(supervise("the sweep", move || sweeper.clone().run(stopping.clone())));
        let (worker, stopping) = (self.redaction_worker.clone(), self.stopping.clone());
        tokio::spawn(supervise("redactions", move || worker.clone().run(stopping.clone())));
        let (health, database) = (Arc::downgrade(&self.health), self.vitals.clone());
        tokio::spawn(supervise("database checks", move || health::monitor(health.clone(), database.clone())));
        if let Some(cluster) = cluster {
            let (feeds, health) = (self.feeds.clone(), Arc::downgrade(&self.health));
            let check = move || peers::monitor(cluster.clone(), feeds.clone(), health.clone());
            tokio::spawn(supervise("checks of other nodes", check));
        }
    }
}

/// Adds the example code base of the demo model, unless there are other code bases.
fn add_example_code(config: &mut Config) {
    let bases = &mut config.tools.code.bases;
    if !bases.is_empty() {
        return;
    }
    match example::unpack(&config.data_dir) {
        Ok(folder) => {
            let mut base = CodeBaseSettings::from(folder);
            base.readers.teams = example::TEAMS.map(Into::into).into();
            bases.insert(example::NAME.into(), base);
        }
        // The demo works without the example code base.
        Err(error) => tracing::warn!(%error, folder = %config.data_dir.display(), "example code base not written"),
    }
}

/// Returns this node's part of the cluster, and the requests from other nodes.
fn form_cluster(
    config: &Config,
    engines: &Stores,
    BusConnection { bus, requests, place }: BusConnection,
) -> (Cluster, mpsc::Receiver<BusRequest>) {
    let version = env!("CARGO_PKG_VERSION").into();
    let me = LiveNode { node: bus.node(), name: config.node_name(), version, bus: Some(place) };
    (Cluster { me, leases: engines.leases.clone(), bus, settings: config.cluster.clone() }, requests)
}

/// Starts the MCP servers of the configuration.
fn start_mcp_servers(config: &Config, stopping: &CancellationToken) -> anyhow::Result<Arc<McpServerRegistry>> {
    let settings = &config.tools.mcp;
    // If there is no program to confine, a missing bubblewrap must not cause a warning.
    let is_needed = settings.values().any(|server| server.enabled && server.confined && !server.command.is_empty());
    let confinement = if is_needed {
        Confinement::detect(&config.tools.python.bwrap, config.private_paths())
    } else {
        Confinement::Off
    };
    let servers = McpServerRegistry::start(settings, &config.mcp_folder(), &confinement, stopping);
    Ok(Arc::new(servers.map_err(anyhow::Error::msg)?))
}

/// Resumes sessions with unfinished work.
async fn resume_sessions(
    session_registry: &SessionRegistry,
    requests: Option<mpsc::Receiver<BusRequest>>,
    mcp: &McpServerRegistry,
) -> anyhow::Result<()> {
    // Without this wait, tool calls in resumed runs would fail because their tools are not available yet.
    if timeout(MCP_START_TIMEOUT, mcp.settled()).await.is_err() {
        tracing::warn!("some MCP servers have not responded yet; their tools become available once they do");
    }
    let resumed = session_registry.start(requests).await?;
    if resumed > 0 {
        tracing::info!(resumed, "resumed sessions with unfinished work");
    }
    Ok(())
}

/// Starts watching for revoked credentials, and recording when credentials were last used.
fn watch_revocations(
    config: &Config,
    identities: &Arc<dyn IdentityStore>,
    closing: &CancellationToken,
) -> Arc<Revocations> {
    let revocations = Revocations::new(closing.clone());
    let every = Duration::from_millis(config.identity.revocation_ms);
    let (held, store) = (revocations.clone(), identities.clone());
    tokio::spawn(supervise("revocation checks", move || held.clone().keep_up(store.clone(), every)));
    let (held, store) = (revocations.clone(), identities.clone());
    tokio::spawn(supervise("writes of last uses", move || held.clone().keep_writing_uses(store.clone())));
    revocations
}

/// Joins the bus to the other nodes. Returns `None` with SQLite, because only one server can use a SQLite file. Many
/// servers can use PostgreSQL, and each keeps a lease, even without Redis, so that a second server can join at any
/// time.
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

/// Returns the rate limits that all nodes share, or `None` without Redis.
fn shared_limits(config: &Config) -> anyhow::Result<Option<SharedRateLimiter>> {
    let shared =
        |url| Ok::<_, RedisUrlError>(SharedRateLimiter::new(bus::redis::RedisRoute::new(url, &config.bus.prefix)?));
    Ok(config.redis_url.as_deref().map(shared).transpose()?)
}
