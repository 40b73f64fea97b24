//! One running server: everything that it is made of, built once.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::access::Access;
use crate::agent::{self, ModelSource};
use crate::audit::Audit;
use crate::bus::redis::RedisUrlError;
use crate::bus::{self, Bus, Hub, Joined};
use crate::config::Config;
use crate::demo_model::{self, DemoModel};
use crate::doors::GuestDoors;
use crate::feed::Feeds;
use crate::files::Files;
use crate::health::{self, Health};
use crate::http::{Admission, Hosts, TrustedProxies};
use crate::identity::{IdentityStore, Revocations};
use crate::kernel::Team;
use crate::knowledge::Knowledge;
use crate::lasting::lasting;
use crate::limits::{RateLimits, SharedLimits};
use crate::neighbours;
use crate::orchestrator::{Cluster, Orchestrators};
use crate::protocol::{Code, Problem};
use crate::quotas::{QuotaStore, Quotas};
use crate::reception::Reception;
use crate::redactions::Redactions;
use crate::socket::{self, Traffic};
use crate::store::{self, EventStore, Leases, Living, NodeId, Vitals};
use crate::sweep;
use crate::tool::{self, Confinement, Tool, Toolbox, code::CodeAccess, mcp::Servers};

/// One running server.
pub struct Node {
    /// What is in force.
    pub config: Config,
    /// Under which names it may be reached.
    pub hosts: Hosts,
    /// Whether the doors take callers without a credential.
    pub guest_doors: GuestDoors,
    /// Proxies that are believed about who asks.
    pub proxies: TrustedProxies,
    /// Places for requests under way.
    pub admission: Admission,
    /// The logs.
    pub events: Arc<dyn EventStore>,
    /// What is in the files of sessions.
    pub files: Files,
    /// Knowledge bases.
    pub knowledge: Knowledge,
    /// The audit log.
    pub audit: Audit,
    /// Who is who.
    pub identities: Arc<dyn IdentityStore>,
    /// Which nodes live.
    pub leases: Arc<dyn Leases>,
    /// What quotas count.
    pub quotas: Arc<dyn QuotaStore>,
    /// Redactions that take longer than a request.
    pub redactions: Redactions,
    /// How the database is.
    pub vitals: Arc<dyn Vitals>,
    /// What ends when a credential does.
    pub revocations: Arc<Revocations>,
    /// What is going on in sessions.
    pub feeds: Feeds,
    /// The sessions that this node has.
    pub orchestrators: Orchestrators,
    /// Who may know of which session.
    pub access: Access,
    /// Where commands come in.
    pub reception: Reception,
    /// What sockets need of all this.
    pub sockets: Arc<socket::Context>,
    /// Where answers come from.
    pub model: ModelSource,
    /// The teams that a new session may have.
    pub teams: Vec<Arc<Team>>,
    /// The way to the other nodes; none: the server is alone with its database.
    pub bus: Option<Arc<dyn Bus>>,
    /// How it is, as the last look found it.
    pub health: Health,
    /// The MCP servers of the configuration.
    pub mcp: Arc<Servers>,
    /// Cancelled when the server begins to stop: it takes nothing new, hands its sessions over, then closes what is open.
    pub stopping: CancellationToken,
    /// The demo model, where it is in use; it ends with the server.
    pub demo: Option<DemoModel>,
}

/// How long a start waits for MCP servers.
const MCP_PATIENCE: Duration = Duration::from_secs(5);

impl Node {
    /// Build a server that listens on `address`; what was left unfinished goes on from here.
    ///
    /// # Errors
    /// Where the database or the models cannot be used; the words tell an operator what to do.
    pub async fn start(config: Config, address: SocketAddr) -> anyhow::Result<Arc<Self>> {
        Self::start_with_tools(config, address, vec![]).await
    }

    /// The same, with tools that come before the server's own.
    ///
    /// # Errors
    /// As [`Node::start`].
    pub async fn start_with_tools(
        mut config: Config,
        address: SocketAddr,
        tools: Vec<Arc<dyn Tool>>,
    ) -> anyhow::Result<Arc<Self>> {
        let teams = agent::teams::read(&config.teams)?;
        let (chosen, minds) = crate::models::choose(&config, &teams).await?;
        if chosen.demo.is_some() {
            demo_model::example::add_to(&mut config.tools.code.bases, &config.data_dir);
        }
        let joined = join(&config)?;
        let hosts = Hosts::new(&config, address);
        let proxies = TrustedProxies::new(&config.http.trusted_proxies, config.http.forwarded_header);
        let proxies = proxies.map_err(anyhow::Error::msg)?;
        let engines = store::open(&config.database(), &config.store).await?;
        let (cluster, questions) = joined
            .map(|Joined { bus, questions, place }| {
                let version = env!("CARGO_PKG_VERSION").into();
                let me = Living { node: bus.node(), name: config.node_name(), version, bus: Some(place) };
                (Cluster { me, leases: engines.leases.clone(), bus, settings: config.cluster.clone() }, questions)
            })
            .unzip();
        let bus = cluster.as_ref().map(|cluster: &Cluster| cluster.bus.clone());
        if let Some(cluster) = &cluster {
            neighbours::check(cluster).await?;
        }
        let files = Files::new(engines.contents.clone(), config.files.clone());
        let knowledge = Knowledge::new(engines.knowledge.clone(), files.clone(), config.knowledge.clone());
        let feeds = Feeds::new(engines.events.clone(), config.feed.clone(), bus.clone());
        minds.warm();
        let stopping = CancellationToken::new();
        if config.tools.mcp.values().any(|server| server.enabled && server.confined && !server.command.is_empty()) {
            let private = config.private_paths();
            let confinement = Arc::new(Confinement::detect(&config.tools.python.bwrap, private));
            config.tools.mcp.values_mut().for_each(|server| server.confinement = confinement.clone());
        }
        let mcp =
            Arc::new(Servers::start(&config.tools.mcp, &config.mcp_folder(), &stopping).map_err(anyhow::Error::msg)?);
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
        // Calls of runs that go on now would fail for want of a tool that is there a moment later.
        if timeout(MCP_PATIENCE, mcp.settled()).await.is_err() {
            tracing::warn!("some MCP servers take long to answer; their tools are there once they do");
        }
        let taken_up = orchestrators.start(questions).await?;
        if let Some(bus) = &bus {
            let (feeds, status) = (feeds.clone(), bus.status());
            tokio::spawn(lasting("the looks for what viewers have missed", move || {
                feeds.clone().keep_up(status.clone())
            }));
        }
        if taken_up > 0 {
            tracing::info!(taken_up, "sessions with unfinished work go on");
        }
        let audit = Audit::start(engines.audit.clone(), config.audit.clone());
        let redactions = Redactions::new(engines.redactions.clone());
        let reception = Reception {
            redactions: redactions.clone(),
            audit: audit.clone(),
            sessions: Arc::new(orchestrators.clone()),
            identities: engines.identities.clone(),
            knowledge: knowledge.clone(),
            code: config.tools.code.clone(),
            quotas,
            room: files.room(),
            limits: Arc::new(RateLimits::new(&config.pace, shared_limits(&config)?)),
            text_bytes: config.socket.text_bytes,
            within: Duration::from_secs(config.http.timeout_seconds),
        };
        let closing = CancellationToken::new();
        let revocations = Revocations::new(closing.clone());
        let every = Duration::from_millis(config.identity.revocation_ms);
        let (held, store) = (revocations.clone(), engines.identities.clone());
        tokio::spawn(lasting("the looks for what was revoked", move || held.clone().keep_up(store.clone(), every)));
        let access = Access { events: engines.events.clone(), feeds: feeds.clone(), reception: reception.clone() };
        let sockets = Arc::new(socket::Context {
            reception: reception.clone(),
            revocations: revocations.clone(),
            access: access.clone(),
            bounds: Arc::new(config.socket.clone()),
            stopping: stopping.clone(),
            shutdown: closing,
            tasks: TaskTracker::new(),
            traffic: Traffic::new(&config.socket),
        });
        let (held, store) = (revocations.clone(), engines.identities.clone());
        tokio::spawn(lasting("the writes of last uses", move || held.clone().keep_writing_uses(store.clone())));
        let guest_doors = GuestDoors::new(&config, &hosts, chosen.source.scripted);
        if guest_doors.are_open() {
            tracing::warn!(
                "callers without a credential may come in through the doors, each as the guest of their address; \
                 set guest_doors = false to refuse them"
            );
        }
        let node = Arc::new(Self {
            guest_doors,
            access,
            audit,
            hosts,
            proxies,
            admission: Admission::new(&config.http),
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
        tokio::spawn(lasting("the sweep", move || sweep::sweep(weak.clone(), stopping.clone())));
        let (weak, stopping, redactions) = (Arc::downgrade(&node), node.stopping.clone(), node.redactions.clone());
        tokio::spawn(lasting("redactions", move || redactions.clone().keep_up(weak.clone(), stopping.clone())));
        let weak = Arc::downgrade(&node);
        tokio::spawn(lasting("the looks at the database", move || health::look(weak.clone())));
        if let Some(cluster) = cluster {
            let weak = Arc::downgrade(&node);
            tokio::spawn(lasting("the looks at other nodes", move || neighbours::look(cluster.clone(), weak.clone())));
        }
        Ok(node)
    }

    /// Whether the doors take callers without a token.
    pub fn takes_guests(&self) -> bool {
        self.guest_doors.are_open()
    }

    /// How many items a page of a list has.
    pub fn page(&self, asked: Option<u32>) -> Result<u32, Problem> {
        let most = self.config.http.page_at_most;
        match asked.unwrap_or(self.config.http.page) {
            limit if (1..=most).contains(&limit) => Ok(limit),
            _ => Err(Problem::new(Code::InvalidArgument, format!("limit is from 1 to {most}"))),
        }
    }
}

/// The way to the other nodes. A SQLite file has one server; PostgreSQL may have many, and each keeps a lease, so that a
/// second one never finds the first unprepared.
fn join(config: &Config) -> anyhow::Result<Option<Joined>> {
    let me = NodeId::fresh();
    match (&config.redis_url, config.database().starts_with("sqlite:")) {
        (None, true) => Ok(None),
        (Some(_), true) => anyhow::bail!(
            "redis_url is for several servers on one PostgreSQL, and the database is a SQLite file; \
             set database_url to postgres://…, or remove redis_url"
        ),
        (None, false) => Ok(Some(Hub::new().join(me, &config.bus))),
        (Some(url), false) => Ok(Some(bus::redis::join(me, url, &config.bus)?)),
    }
}

/// The counts that all nodes share, where there can be others.
fn shared_limits(config: &Config) -> anyhow::Result<Option<SharedLimits>> {
    let shared = |url| Ok::<_, RedisUrlError>(SharedLimits::new(bus::redis::Route::new(url, &config.bus.prefix)?));
    Ok(config.redis_url.as_deref().map(shared).transpose()?)
}
