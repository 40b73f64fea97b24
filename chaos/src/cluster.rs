//! Three nodes with PostgreSQL and Redis. Faults can be injected into the links of each node to PostgreSQL, Redis and
//! its viewers.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, ensure};
use parking_lot::Mutex;
use serde_json::Value;
use servers::random::Random;
use servers::{postgres, redis};
use tokio::process::Command;
use tokio::sync::Mutex as Lock;

use crate::counting_tool::CountingTool;
use crate::database_history;
use crate::faulty_proxy::{FaultyProxy, Target};
use crate::http_request::{put, request};
use crate::node::Node;
use crate::plan::{NODES, Plan};
use crate::quota_law::{QUOTA, REQUEST_BOUND};
use crate::socket::Key;

/// Servers that all seeds share.
pub struct SharedServers {
    pub postgres: Mutex<postgres::Cluster>,
    pub redis: Mutex<redis::Server>,
}

/// The cluster of one seed.
pub struct ChaosCluster {
    pub shared_servers: Arc<SharedServers>,
    /// URL for direct access to the database, without a link.
    pub database: String,
    pub nodes: Vec<Lock<Node>>,
    pub links: Vec<Links>,
    pub keys: Keys,
    /// The tool that agents call.
    pub tool: CountingTool,
    /// The program that all nodes run at the start.
    program: PathBuf,
}

/// Links of one node.
pub struct Links {
    pub redis: FaultyProxy,
    pub database: FaultyProxy,
    pub viewers: FaultyProxy,
}

/// Keys of the participants.
pub struct Keys {
    /// Administrator who owns all sessions.
    pub lead: Key,
    pub bot: Key,
    pub viewer: Key,
    /// Visitor who is not in any session and knocks.
    pub visitor: Key,
}

impl ChaosCluster {
    /// Prepares the tables with `program`, which all nodes run at the start. Nothing else runs yet.
    pub async fn build(
        shared_servers: Arc<SharedServers>,
        plan: &Plan,
        program: &Path,
        folder: &Path,
    ) -> anyhow::Result<Self> {
        let tool = CountingTool::start(Random::of(plan.seed, 2)).await?;
        let (name, redis) = ("chaos", shared_servers.redis.lock().url());
        let (socket, admin_url, database) = {
            let postgres = shared_servers.postgres.lock();
            (postgres.socket(), postgres.url("postgres"), postgres.url(name))
        };
        database_history::create_database(&admin_url, name).await?;
        let token = |name, role| token(program, &database, name, role);
        let (lead, bot) = (token("lead", "admin").await?, token("bot", "bot").await?);
        let (viewer, visitor) = (token("viewer", "member").await?, token("visitor", "member").await?);
        database_history::install_triggers(&database).await?;
        let redis = PathBuf::from(redis.trim_start_matches("unix://"));
        let (mut nodes, mut links) = (vec![], vec![]);
        for index in 0..NODES {
            let node_links = Links {
                redis: FaultyProxy::start(Target::Unix(redis.clone())).await?,
                database: FaultyProxy::start(Target::Unix(socket.clone())).await?,
                viewers: FaultyProxy::start(Target::Unset).await?,
            };
            let url = format!("postgres://roundtable@{}/{name}?sslmode=disable", node_links.database.address);
            let mut environment = vec![
                ("REDIS_URL", format!("redis://{}", node_links.redis.address)),
                ("TOOLS__MCP__CHAOS__URL", format!("http://{}/mcp", tool.address)),
                ("CLUSTER__NAME", format!("node-{index}")),
                ("ALLOWED_HOSTS", "chaos".to_owned()),
                ("BUS__PREFIX", folder.file_name().map_or("chaos".into(), |name| name.display().to_string())),
            ];
            if let Some(quota) = plan.quota {
                environment.push((QUOTA, quota.to_string()));
                environment.push((REQUEST_BOUND.0, REQUEST_BOUND.1.to_string()));
            }
            nodes.push(Lock::new(Node::new(index, program, folder, url, &environment)));
            links.push(node_links);
        }
        let key = |token: String| Key { token, id: String::new() };
        let keys = Keys { lead: key(lead), bot: key(bot), viewer: key(viewer), visitor: key(visitor) };
        Ok(Self { shared_servers, database, nodes, links, keys, tool, program: program.to_owned() })
    }

    /// Starts all nodes. Returns their addresses.
    pub async fn start(&mut self) -> anyhow::Result<Vec<SocketAddr>> {
        let mut addresses = vec![];
        for (node, links) in self.nodes.iter().zip(&self.links) {
            let address = node.lock().await.start().await?;
            links.viewers.set_target(Target::Tcp(address));
            addresses.push(address);
        }
        for key in [&mut self.keys.lead, &mut self.keys.bot, &mut self.keys.viewer] {
            let me: serde_json::Value =
                serde_json::from_str(&request(addresses[0], &key.token, "/api/v1/me", None).await?)?;
            let id = me["id"].as_str().or(me["participant"].as_str()).or(me["you"]["id"].as_str());
            key.id = id.with_context(|| format!("no participant id in {me}"))?.to_owned();
        }
        Ok(addresses)
    }

    /// Returns the addresses for viewers.
    pub fn client_addresses(&self) -> Vec<SocketAddr> {
        self.links.iter().map(|links| links.viewers.address).collect()
    }

    /// Creates a session of a team with all participants.
    pub async fn session(&self, address: SocketAddr, team: &str, settings: Value) -> anyhow::Result<String> {
        let token = &self.keys.lead.token;
        let body = serde_json::json!({ "team": team, "settings": settings }).to_string();
        let created = request(address, token, "/api/v1/sessions", Some(&body)).await?;
        let created: serde_json::Value = serde_json::from_str(&created)?;
        let session = created["session"].as_str().context("no id")?.to_owned();
        for (key, role) in [(&self.keys.bot, "bot"), (&self.keys.viewer, "reviewer")] {
            let data = serde_json::json!({ "participant": key.id, "role": role });
            let invite = serde_json::json!({ "id": format!("invite-{role}"), "do": "invite", "data": data });
            request(address, token, &format!("/api/v1/sessions/{session}/commands"), Some(&invite.to_string())).await?;
        }
        let file = format!("/api/v1/sessions/{session}/files/rules.md");
        // The lead does not send this request, because the others count toward the lead's rate limit.
        put(address, &self.keys.viewer.token, &file, "pay once\nrefund twice\n").await?;
        Ok(session)
    }

    /// Returns the log of a session, as `roundtable export` prints it.
    pub async fn export(&self, session: &str) -> anyhow::Result<String> {
        let mut command = Command::new(&self.program);
        let output = command.args(["export", session]).env_clear().env("ROUNDTABLE_DATABASE_URL", &self.database);
        let output = output.output().await?;
        ensure!(output.status.success(), "no export: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?)
    }
}

async fn token(program: &Path, database: &str, name: &str, role: &str) -> anyhow::Result<String> {
    let mut command = Command::new(program);
    command.args(["token", "create", "--name", name, "--role", role]);
    let output = command.env_clear().env("ROUNDTABLE_DATABASE_URL", database).output().await?;
    let token = String::from_utf8(output.stdout)?.trim().to_owned();
    ensure!(token.starts_with("rt_token_"), "no token: {}", String::from_utf8_lossy(&output.stderr));
    Ok(token)
}
