//! One running server: everything that it is made of, built once.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::agent::{self, ModelSource, Models};
use crate::config::Config;
use crate::demo_model::DemoModel;
use crate::doors::Reception;
use crate::feed::Feeds;
use crate::http::Hosts;
use crate::http::limits::RateLimits;
use crate::identity::{Grant, IdentityStore, Standing, check_name, issue, standing_participant};
use crate::kernel::Team;
use crate::orchestrator::Orchestrators;
use crate::protocol::{Code, Problem};
use crate::socket::{self, Traffic};
use crate::store::{self, EventStore};

/// One running server.
pub struct Node {
    /// What is in force.
    pub config: Config,
    /// Under which names it may be reached.
    pub hosts: Hosts,
    /// The logs.
    pub events: Arc<dyn EventStore>,
    /// Who is who.
    pub identities: Arc<dyn IdentityStore>,
    /// What is going on in sessions.
    pub feeds: Feeds,
    /// Where commands come in.
    pub reception: Reception,
    /// What sockets need of all this.
    pub sockets: Arc<socket::Context>,
    /// Where answers come from.
    pub model: ModelSource,
    /// The teams that a new session may have.
    pub teams: Vec<Arc<Team>>,
    /// Cancelled when the server stops: streams end then.
    pub stopping: CancellationToken,
    /// The demo model, where it is in use; it ends with the server.
    pub demo: Option<DemoModel>,
}

impl Node {
    /// Build a server that listens on `address`; what was left unfinished goes on from here.
    ///
    /// # Errors
    /// Where the database or the models cannot be used; the words tell an operator what to do.
    pub async fn start(config: Config, address: SocketAddr) -> anyhow::Result<Arc<Self>> {
        let hosts = Hosts::new(&config, address);
        let engines = store::open(&config.database(), &config.store).await?;
        let feeds = Feeds::new(engines.events.clone(), config.feed.clone());
        let demo_only = config.only_demo_model;
        let environment = |name: &str| std::env::var(name).ok().filter(|_| !demo_only);
        let mut providers = config.providers.clone();
        if demo_only {
            providers.named.clear();
        }
        let ollama = if demo_only { "" } else { agent::OLLAMA };
        let chosen = agent::choose(&providers, config.demo.clone(), environment, ollama).await?;
        let models = Models::new(&chosen.providers, environment)?;
        let orchestrators =
            Orchestrators::new(engines.events.clone(), feeds.clone(), models, config.orchestrator.clone());
        let taken_up = orchestrators.recover().await?;
        if taken_up > 0 {
            tracing::info!(taken_up, "sessions with unfinished work go on");
        }
        let reception = Reception {
            orchestrators,
            identities: engines.identities.clone(),
            limits: Arc::new(RateLimits::new(&config.pace)),
            text_bytes: config.socket.text_bytes,
        };
        let stopping = CancellationToken::new();
        let sockets = Arc::new(socket::Context {
            store: engines.events.clone(),
            identities: engines.identities.clone(),
            feeds: feeds.clone(),
            commands: Arc::new(reception.orchestrators.clone()),
            limits: reception.limits.clone(),
            bounds: config.socket.clone(),
            shutdown: stopping.clone(),
            tasks: TaskTracker::new(),
            traffic: Traffic::default(),
        });
        let node = Arc::new(Self {
            hosts,
            sockets,
            stopping,
            events: engines.events,
            identities: engines.identities,
            feeds,
            reception,
            model: chosen.source,
            teams: agent::builtin_teams::all().to_vec(),
            demo: chosen.demo,
            config,
        });
        tokio::spawn(crate::sweep::sweep(Arc::downgrade(&node), node.stopping.clone()));
        Ok(node)
    }

    /// A link that signs the person at the server's own terminal in, once.
    pub async fn sign_in_link(&self) -> anyhow::Result<String> {
        let name = ["USER", "LOGNAME"].iter().find_map(|name| std::env::var(name).ok());
        let name = name.and_then(|name| check_name(&name).ok()).unwrap_or_else(|| "operator".into());
        let key = format!("operator {name}");
        let operator = standing_participant(&*self.identities, &key, &name, Standing::Admin).await?;
        let seconds = self.config.identity.sign_in_minutes * 60;
        let code = issue(&*self.identities, operator.id, Grant::SignIn, Some(seconds)).await?;
        // Behind the # it reaches no server's and no proxy's log.
        Ok(format!("{}/sign-in#{}", self.hosts.public_url(), code.reveal()))
    }

    /// Whether the doors take callers without a token.
    pub fn takes_guests(&self) -> bool {
        self.config.guest_doors.unwrap_or(self.hosts.is_loopback() && self.model.scripted)
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
