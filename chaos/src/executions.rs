//! Executions of a stored team. Each is started with an idempotency key, read as server-sent events from any node,
//! paused and resumed. The key is resent after every lost connection.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::http_request::{LineResponse, request};
use crate::socket::Key;
use servers::random::Random;

/// Number of executions.
const EXECUTIONS: u64 = 2;
/// Nodes of the team, each with the strategy for its agents.
const NODES: [(&str, &str); 3] = [("web", "round_robin"), ("queue", "priority"), ("db", "adaptive")];
/// Range of the delay before an execution starts, in milliseconds. Executions start during the faults.
const START_MS: (u64, u64) = (200, 2_500);
/// Time without a response or an event before the client tries another node.
const IDLE_TIMEOUT: Duration = Duration::from_millis(2_500);

/// Executions in progress.
pub struct TeamExecutions {
    team: String,
    clients: Vec<(watch::Receiver<bool>, JoinHandle<SeenExecution>)>,
}

/// Events that a client received from one execution.
#[derive(Default)]
struct SeenExecution {
    id: String,
    /// Name and node of each event, in order.
    events: Vec<(String, Value)>,
    last_id: u64,
    violations: Vec<String>,
}

struct ExecutionClient {
    team: String,
    execution: String,
    key: Key,
    addresses: Vec<SocketAddr>,
    random: Random,
    seen: SeenExecution,
    is_over: bool,
}

/// Returns a team whose strategy the seed selects.
fn document(seed: u64) -> Value {
    let strategy = *Random::of(seed, 30_000).pick(&["hierarchical", "parallel", "sequential"]);
    let agent = |id: &str| {
        json!({
            "agent_id": id, "agent_name": id, "model_provider": "demo", "model_id": "demo",
            "system_prompt": "You find faults.", "user_prompt_template": "{task}",
        })
    };
    let supervisor = |strategy: &str| {
        json!({
            "model_provider": "demo", "model_id": "demo", "system_prompt": "You lead.",
            "coordination_strategy": strategy,
        })
    };
    let node = |(id, strategy): (&str, &str)| {
        json!({
            "node_id": id, "node_name": id, "node_type": "service", "agents": [agent("first"), agent("second")],
            "supervisor_config": supervisor(strategy),
        })
    };
    json!({
        "team_name": "Orders",
        "topology": {
            "nodes": NODES.map(node),
            "edges": [
                { "source_node_id": "web", "target_node_id": "db", "relation_type": "calls" },
                { "source_node_id": "db", "target_node_id": "queue", "relation_type": "monitors" },
            ],
            "global_supervisor": supervisor(strategy),
        },
    })
}

impl TeamExecutions {
    /// Creates the team on the node with this address, and starts executions of it on any node.
    pub async fn start(address: SocketAddr, key: &Key, addresses: &[SocketAddr], seed: u64) -> anyhow::Result<Self> {
        let created = request(address, &key.token, "/api/v1/teams", Some(&document(seed).to_string())).await?;
        let created: Value = serde_json::from_str(&created)?;
        let team = created["team_id"].as_str().context("no team")?.to_owned();
        let client = |at: u64| {
            let client = ExecutionClient {
                team: team.clone(),
                execution: format!("execution-{seed}-{at}"),
                key: key.clone(),
                addresses: addresses.to_vec(),
                random: Random::of(seed, 30_001 + at),
                seen: SeenExecution::default(),
                is_over: false,
            };
            let (over, is_over) = watch::channel(false);
            (is_over, tokio::spawn(client.execute(over)))
        };
        let clients = (0..EXECUTIONS).map(client).collect();
        Ok(Self { team, clients })
    }

    /// Returns the number of clients that have not seen the end of their execution.
    pub fn unfinished(&self) -> usize {
        self.clients.iter().filter(|(is_over, _)| !*is_over.borrow()).count()
    }

    /// Checks the executions as these nodes show them. Returns the problems, and the sessions of the executions.
    pub async fn check(self, nodes: &[SocketAddr], key: &Key) -> anyhow::Result<(Vec<String>, Vec<String>)> {
        let (mut violations, mut sessions) = (vec![], vec![]);
        if self.unfinished() > 0 {
            self.clients.iter().for_each(|(_, client)| client.abort());
            return Ok((vec!["an execution is not over".into()], vec![]));
        }
        let started = self.clients.len();
        for (_, client) in self.clients {
            let seen = client.await?;
            violations.extend(seen.violations.iter().map(|violation| format!("execution {}: {violation}", seen.id)));
            sessions.push(format!("s_{}", seen.id.replace('-', "")));
            let mut first = None;
            for (at, node) in nodes.iter().enumerate() {
                let shown = ShownExecution::of(*node, key, &self.team, &seen.id).await?;
                let found = shown.violations(&seen, started).into_iter();
                violations.extend(found.map(|violation| format!("execution {} on node {at}: {violation}", seen.id)));
                let first = first.get_or_insert_with(|| shown.clone());
                if *first != shown {
                    violations.push(format!("execution {}: node 0 shows {first:?}, and node {at} {shown:?}", seen.id));
                }
            }
        }
        Ok((violations, sessions))
    }
}

/// An execution as a node shows it.
#[derive(Debug, Clone, PartialEq)]
struct ShownExecution {
    details: Value,
    list: Value,
    log: Value,
}

impl ShownExecution {
    async fn of(node: SocketAddr, key: &Key, team: &str, id: &str) -> anyhow::Result<Self> {
        let get = async |path: String| -> anyhow::Result<Value> {
            Ok(serde_json::from_str(&request(node, &key.token, &path, None).await?)?)
        };
        Ok(Self {
            details: get(format!("/api/v1/executions/{id}")).await?,
            list: get(format!("/api/v1/teams/{team}/executions?size=100")).await?,
            log: get(format!("/api/v1/executions/{id}/log?size=100")).await?,
        })
    }

    /// Returns the violations of these laws: every execution ends once, each of its nodes is complete once, and the
    /// list, the details and the log agree with the events that the client received.
    fn violations(&self, seen: &SeenExecution, started: usize) -> Vec<String> {
        let (mut violations, none) = (vec![], vec![]);
        let list = self.list["executions"].as_array().unwrap_or(&none);
        if list.len() != started || self.list["total"] != started {
            violations.push(format!("{started} executions were started, and the list has {}", self.list));
        }
        let listed = list.iter().find(|listed| listed["id"] == *seen.id).unwrap_or(&Value::Null);
        let is_different = |field: &&&str| listed[**field] != self.details[**field];
        let fields = ["status", "started_at", "completed_at", "duration_ms", "team_version", "session_id", "title"];
        if let Some(field) = fields.iter().find(is_different) {
            violations.push(format!("{field} is {} in the list, and {} in detail", listed[field], self.details[field]));
        }
        if self.details["status"] != "success" {
            violations.push(format!("it ended with {}: {}", self.details["status"], self.details["errors"]));
        }
        let log = self.log["log"].as_array().unwrap_or(&none).iter();
        let log: Vec<_> =
            log.map(|entry| (entry["event_type"].as_str().unwrap_or_default(), &entry["node_id"])).collect();
        if !log.iter().copied().eq(seen.events.iter().map(|(name, node)| (&**name, node))) {
            violations.push(format!("the client saw {:?}, and the log has {log:?}", seen.events));
        }
        let mut complete: BTreeMap<&str, u32> = NODES.iter().map(|(id, _)| (*id, 0)).collect();
        for (_, node) in log.iter().filter(|(name, _)| *name == "node_complete") {
            *complete.entry(node.as_str().unwrap_or_default()).or_default() += 1;
        }
        let ends = log.iter().filter(|(name, _)| *name == "execution_complete").count();
        if ends != 1 || complete.len() != NODES.len() || complete.values().any(|times| *times != 1) {
            violations.push(format!("it ended {ends} times, and its nodes {complete:?}"));
        }
        violations
    }
}

impl ExecutionClient {
    /// Executes the team, and follows the execution to its end.
    async fn execute(mut self, over: watch::Sender<bool>) -> SeenExecution {
        sleep(Duration::from_millis(self.random.between(START_MS.0, START_MS.1))).await;
        while !self.is_over {
            // An error here is a failure of the connection. The next connection goes to any node.
            let _ = self.follow().await;
            sleep(Duration::from_millis(self.random.between(20, 200))).await;
        }
        over.send_replace(true);
        self.seen
    }

    fn pick_address(&mut self) -> SocketAddr {
        self.addresses[self.random.index(self.addresses.len())]
    }

    /// Sends the start request, or resumes reading the events, on one connection.
    async fn follow(&mut self) -> anyhow::Result<()> {
        let body = json!({ "input": { "task": "Why do orders fail?" } }).to_string();
        let last = self.seen.last_id;
        let resume = if last > 0 { format!("last-event-id: {last}\r\n") } else { String::new() };
        let is_start = self.seen.id.is_empty() || self.random.chance(50);
        let (path, headers, body) = match is_start {
            true => {
                let headers = format!("idempotency-key: {}\r\n{resume}", self.execution);
                (format!("/api/v1/teams/{}/execute", self.team), headers, Some(&*body))
            }
            false => (format!("/api/v1/executions/{}/events", self.seen.id), resume, None),
        };
        if is_start && self.random.chance(25) {
            // Send the same request to another node at about the same time.
            let (address, token, path) = (self.pick_address(), self.key.token.clone(), path.clone());
            let (headers, body) = (headers.clone(), body.map(str::to_owned));
            tokio::spawn(async move {
                let request = LineResponse::send(address, &token, &path, &headers, body.as_deref());
                let _ = timeout(IDLE_TIMEOUT, request).await;
            });
        }
        let (address, token) = (self.pick_address(), self.key.token.clone());
        let request = LineResponse::send(address, &token, &path, &headers, body);
        let mut response = timeout(IDLE_TIMEOUT, request).await??;
        if response.status != 200 {
            return self.accept_error(&path, response, &[]).await;
        }
        if let Some(id) = response.location.as_ref().and_then(|path| path.strip_prefix("/api/v1/executions/")) {
            if !self.seen.id.is_empty() && self.seen.id != *id {
                self.seen.violations.push(format!("the same key started {id}"));
            }
            id.clone_into(&mut self.seen.id);
        }
        self.read(&mut response).await
    }

    /// Reads events until the stream ends or the client disconnects.
    async fn read(&mut self, response: &mut LineResponse) -> anyhow::Result<()> {
        // An event of the session can become several server-sent events; the last one has the id.
        let (mut id, mut batch): (Option<u64>, _) = (None, vec![]);
        loop {
            let line = match timeout(IDLE_TIMEOUT, response.next()).await {
                Ok(line) => line?.context("the stream ended")?,
                // A pause request that was delayed in transit can take effect after all other requests.
                Err(_) => return self.control("resume").await,
            };
            if let Some(text) = line.strip_prefix("id:") {
                id = Some(text.trim().parse()?);
            } else if let Some(data) = line.strip_prefix("data:") {
                let data: Value = serde_json::from_str(data)?;
                let name = data["event"].as_str().unwrap_or_default().to_owned();
                if name != "heartbeat" {
                    let is_last = name == "execution_complete" || data["fatal"] == true;
                    batch.push((name, data["node_id"].clone(), is_last));
                }
            } else if line.is_empty()
                && let Some(id) = id.take()
            {
                if id <= self.seen.last_id {
                    self.seen.violations.push(format!("{id} came after {}: {batch:?}", self.seen.last_id));
                }
                self.seen.last_id = id;
                for (name, node, is_last) in batch.drain(..) {
                    self.seen.events.push((name, node));
                    self.is_over |= is_last;
                }
                if self.is_over {
                    return Ok(());
                }
                match self.random.between(0, 40) {
                    0..3 => return Ok(()),
                    3..6 => return self.pause().await,
                    _ => {}
                }
            }
        }
    }

    async fn pause(&mut self) -> anyhow::Result<()> {
        let paused = self.control("pause").await;
        sleep(Duration::from_millis(self.random.between(50, 400))).await;
        self.control("resume").await?;
        paused
    }

    async fn control(&mut self, verb: &str) -> anyhow::Result<()> {
        let path = format!("/api/v1/executions/{}/{verb}", self.seen.id);
        let (address, token) = (self.pick_address(), self.key.token.clone());
        let response = timeout(IDLE_TIMEOUT, LineResponse::send(address, &token, &path, "", Some(""))).await??;
        let repeated = ["already_paused", "not_paused", "already_requested", "target_over"];
        if response.status == 202 { Ok(()) } else { self.accept_error(&path, response, &repeated).await }
    }

    /// Accepts retryable errors and errors with these codes.
    async fn accept_error(&mut self, path: &str, response: LineResponse, accepted: &[&str]) -> anyhow::Result<()> {
        let status = response.status;
        let body = timeout(IDLE_TIMEOUT, response.rest()).await??;
        let error: Value = serde_json::from_str(&body).with_context(|| format!("{status}: {body}"))?;
        // Errors from the server itself, which occur before the request reaches the door, are nested in `error`.
        let error = if error["error"].is_object() { &error["error"] } else { &error };
        if error["retryable"] == true || accepted.iter().any(|code| error["code"] == *code) {
            return Ok(());
        }
        self.seen.violations.push(format!("{path}: {status}: {body}"));
        bail!("{status}")
    }
}
