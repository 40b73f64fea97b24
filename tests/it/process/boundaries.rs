//! `kill -9` after every append of every flow: the run continues in the next process, reaches the same result, and
//! repeats nothing that cannot be undone.

use std::collections::BTreeMap;

use ::servers::random::Random;
use serde_json::{Value, json};
use uuid::Uuid;

use super::counting_tool::{CountingTool, DONE, TOOL};
use super::server::ServerProcess;
use super::viewer::{SocketViewer, ViewerState};

/// `Idempotency-Key` of an execution.
const KEY: &str = "the only one";

fn input() -> Value {
    json!({ "input": { "task": "find out why orders fail" } })
}

/// Start of the run.
#[derive(Clone)]
enum RunStart {
    /// With this message in a session.
    Say(String),
    /// As an execution of this stored team.
    Execute(String),
}

/// A person who sees one run through to its end, across as many processes as it takes.
struct BoundaryRun {
    server: ServerProcess,
    tool: CountingTool,
    session: String,
    viewer: SocketViewer,
    seen: ViewerState,
    /// Open gates, with their revisions.
    gates: BTreeMap<u64, Value>,
    start: RunStart,
    /// Number of times that the process was killed.
    kills: usize,
}

impl BoundaryRun {
    async fn say(team: &str, text: &str) -> Self {
        let (server, tool) = Self::server().await;
        let created = server.post("/api/v1/sessions", json!({ "team": team })).await;
        let session = created["session"].as_str().expect("an id").to_owned();
        Self::begin(server, tool, session, RunStart::Say(text.to_owned())).await
    }

    async fn execute(document: &Value) -> Self {
        let (server, tool) = Self::server().await;
        let created = server.post("/api/v1/teams", document.clone()).await;
        let team = created["team_id"].as_str().expect("an id").to_owned();
        let session = server.execute(&team, KEY, &input()).await;
        Self::begin(server, tool, session, RunStart::Execute(team)).await
    }

    async fn server() -> (ServerProcess, CountingTool) {
        let tool = CountingTool::start(Random::new(1)).await.expect("listens");
        let url = format!("http://{}/mcp", tool.address);
        let settings = [
            ("ROUNDTABLE_DEMO__TOKENS_PER_SECOND", "4000"),
            ("ROUNDTABLE_DEMO__DELAY_MS", "0"),
            ("ROUNDTABLE_TOOLS__PYTHON__ENABLED", "false"),
            ("ROUNDTABLE_TOOLS__MCP__CHAOS__URL", &url),
        ];
        (ServerProcess::start(&settings).await, tool)
    }

    async fn begin(server: ServerProcess, tool: CountingTool, session: String, start: RunStart) -> Self {
        let (viewer, seen, gates) = (server.viewer().await, ViewerState::default(), BTreeMap::new());
        let mut run = Self { server, tool, session, viewer, seen, gates, start, kills: 0 };
        run.reconnect().await;
        run
    }

    /// Rejoins at the last position, and resends everything that could have been lost.
    async fn reconnect(&mut self) {
        self.viewer.join(&self.session, self.seen.seq()).await;
        match self.start.clone() {
            RunStart::Say(text) => {
                self.viewer.command(&self.session, "begin", "say", json!({ "text": text })).await;
            }
            // The same key leads to the same execution, even after the execution has ended.
            RunStart::Execute(team) => {
                assert_eq!(self.server.execute(&team, KEY, &input()).await, self.session);
            }
        }
        for gate in self.gates.values().cloned().collect::<Vec<_>>() {
            self.decide(&gate).await;
        }
    }

    /// Decides as a person would. For a call whose result is lost, first checks whether the call has happened.
    async fn decide(&mut self, gate: &Value) {
        let id = gate["id"].as_u64().or_else(|| gate["id"].as_str()?.strip_prefix("g_")?.parse().ok()).expect("an id");
        let approve = json!({ "gate": gate["id"], "choice": "approve" });
        let answer = |text: &str| json!({ "gate": gate["id"], "text": text });
        let happened = self.tool.executions().values().sum::<u64>() > self.completed();
        let (what, data) = match gate["kind"].as_str().expect("a kind") {
            "question" => ("answer", answer("the newest")),
            "uncertain" if happened => ("answer", answer(DONE)),
            _ => ("vote", approve),
        };
        let frame = json!({
            "type": "command", "id": format!("g{id}"), "session": self.session, "do": what, "data": data,
            "expect": { "rev": gate["rev"] },
        });
        self.viewer.send(frame).await;
    }

    /// Returns the number of results of the irreversible tool.
    fn completed(&self) -> u64 {
        let events = &self.seen.events;
        let proposed = |event: &&Value| event["event"] == "tool.proposed" && event["data"]["name"] == TOOL;
        let own: Vec<&Value> = events.iter().filter(proposed).map(|event| &event["data"]["call"]).collect();
        let completed = |event: &&Value| event["event"] == "tool.completed" && own.contains(&&event["data"]["call"]);
        events.iter().filter(completed).count() as u64
    }

    /// Follows the run to its end. If `dies` is set, kills the process after every append.
    async fn finish(mut self, dies: bool) -> Self {
        let mut append = None;
        loop {
            let Some(event) = self.viewer.wait_for(&mut self.seen, |frame| frame["type"] == "event").await else {
                panic!("the server went away by itself");
            };
            let gate = event["data"]["gate"].clone();
            match event["event"].as_str().expect("a name") {
                "gate.opened" => {
                    self.decide(&gate).await;
                    self.gates.insert(event["seq"].as_u64().expect("a seq"), gate);
                }
                "gate.decided" | "gate.closed" => self.gates.retain(|_, open| open["id"] != gate),
                "run.finished" => return self,
                "run.failed" | "run.cancelled" => panic!("{event}"),
                _ => {}
            }
            // All events of an append become durable at the same time, and share their time and their cause.
            let latest = Some((event["at"].clone(), event["cause"].clone()));
            let begins = append != latest;
            append = latest;
            // If the process were killed after the events of the restart itself, the test would never end.
            let again = event["data"]["attempt"].as_u64().is_some_and(|attempt| attempt > 1)
                && event["event"].as_str().is_some_and(|name| name.ends_with(".started"));
            if dies && begins && !again {
                self.kills += 1;
                self.server.kill().await;
                self.server.restart().await;
                self.viewer = self.server.viewer().await;
                self.reconnect().await;
            }
        }
    }

    /// Returns the text of the run's final output.
    fn result(&self) -> &str {
        let answer = &self.seen.events.last().expect("has ended")["data"]["final_message"];
        let ends = |event: &&Value| event["event"] == "message.completed" && event["data"]["message"] == *answer;
        self.seen.events.iter().find(ends).and_then(|event| event["data"]["text"].as_str()).expect("an answer")
    }
}

async fn check_survival(team: &str) {
    let text = format!("write test cases for refunds\n/tool {TOOL} {{\"n\":\"1\"}}");
    let uninterrupted = BoundaryRun::say(team, &text).await.finish(false).await;
    let killed = BoundaryRun::say(team, &text).await.finish(true).await;
    assert_eq!(killed.result(), uninterrupted.result(), "{team}");
    assert_eq!(
        killed.tool.executions(),
        uninterrupted.tool.executions(),
        "{team}: nothing is done twice, nothing is left out"
    );
    let log = killed.server.log(&killed.session).await;
    assert!(log.starts_with(&killed.seen.events), "{team}: what was seen is the log");
}

/// Returns a team of nodes with one agent each. All results except the last are passed on.
fn document(strategy: &str, nodes: &[&str]) -> Value {
    let model = json!({ "model_provider": "demo", "model_id": "demo", "system_prompt": "You find faults." });
    let with = |more: Value| {
        let mut fields = model.clone();
        fields.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        fields
    };
    let node = |id: &&str| {
        json!({
            "node_id": id, "node_name": id, "node_type": "service", "supervisor_config": model,
            "agents": [with(json!({ "agent_id": "agent", "agent_name": "Agent", "user_prompt_template": "{task}" }))],
        })
    };
    let edge =
        |pair: &[&str]| json!({ "source_node_id": pair[0], "target_node_id": pair[1], "relation_type": "data_flow" });
    let global = with(json!({ "coordination_strategy": strategy }));
    let (edges, nodes): (Vec<_>, Vec<_>) = (nodes.windows(2).map(edge).collect(), nodes.iter().map(node).collect());
    json!({
        "team_name": "Orders",
        "topology": { "nodes": nodes, "edges": edges, "global_supervisor": global },
    })
}

/// Returns the status and result of the execution, and the nodes that its log reports as complete.
async fn execution_outcome(run: &BoundaryRun) -> (Value, Value, Vec<String>) {
    let id = Uuid::parse_str(run.session.trim_start_matches("s_")).expect("an id");
    let response = run.server.get(&format!("/api/v1/executions/{id}")).await;
    let log = run.server.get(&format!("/api/v1/executions/{id}/log?event_type=node_complete&size=100")).await;
    let nodes = log["log"].as_array().expect("a list").iter();
    let mut nodes: Vec<_> = nodes.map(|entry| entry["node_id"].as_str().expect("an id").to_owned()).collect();
    nodes.sort();
    (response["status"].clone(), response["result"].clone(), nodes)
}

async fn check_execution_survival(strategy: &str, nodes: &[&str]) {
    let document = document(strategy, nodes);
    let uninterrupted = execution_outcome(&BoundaryRun::execute(&document).await.finish(false).await).await;
    assert_eq!(
        (&uninterrupted.0, &*uninterrupted.2),
        (&json!("success"), &*nodes.iter().map(ToString::to_string).collect::<Vec<_>>())
    );
    let killed = BoundaryRun::execute(&document).await.finish(true).await;
    assert_eq!(execution_outcome(&killed).await, uninterrupted, "{strategy}: every node once, and the same result");
    let log = killed.server.log(&killed.session).await;
    assert!(log.starts_with(&killed.seen.events), "{strategy}: what was seen is the log");
    let completed = log.iter().filter(|event| event["event"] == "message.completed").count();
    assert_eq!(completed, 2 + 2 * nodes.len(), "{strategy}: each task once");
    // The process is killed after every append with a completed task, except the last one, which ends the run.
    assert!(killed.kills > 2 * nodes.len(), "{strategy}: {} kills", killed.kills);
}

macro_rules! executions {
    ($($test:ident: $strategy:literal of $nodes:expr)+) => {
        $(
            #[tokio::test]
            async fn $test() {
                check_execution_survival($strategy, &$nodes).await;
            }
        )+
    };
}

executions! {
    an_execution_layer_by_layer: "hierarchical" of ["a", "b"]
    an_execution_at_once: "parallel" of ["a", "b", "c"]
    an_execution_one_by_one: "sequential" of ["a", "b"]
}

macro_rules! teams {
    ($($test:ident: $team:literal)+) => {
        $(
            #[tokio::test]
            async fn $test() {
                check_survival($team).await;
            }
        )+
    };
}

teams! {
    review: "testcase-en"
    react: "assistant-en"
    plan_solve: "solver-en"
    router: "router-en"
    workflow: "workflow-en"
    comprehensive: "comprehensive-en"
    brain: "brain-en"
    investigate: "investigator-en"
}
