//! A complete server with its own tools, and one person who follows a session over a socket and acts in it.

use std::sync::Arc;

use async_trait::async_trait;
use roundtable::config::Config;
use roundtable::demo_model::{DemoSettings, Mistake};
use roundtable::identity::ServerRole;
use roundtable::kernel::SessionId;
use roundtable::tool::{CallContext, Output, SideEffect, Tool, ToolError, ToolSpec};
use serde_json::{Value, json};

use crate::server::Server;
use crate::socket_harness::WebSocketClient;

/// A tool that returns the arguments of its call.
pub(super) struct EchoTool(ToolSpec);

impl EchoTool {
    /// Returns an echo tool that changes nothing.
    pub(super) fn reading(name: &str) -> Arc<dyn Tool> {
        let properties = json!({ "path": { "type": "string" }, "pattern": { "type": "string" } });
        Arc::new(Self(ToolSpec::reading(name, "Says what it was called with.", json!({ "properties": properties }))))
    }

    /// Returns an echo tool that sends its arguments out of the server.
    pub(super) fn outbound(name: &str) -> Arc<dyn Tool> {
        let schema = json!({ "type": "object", "properties": { "query": { "type": "string" } } });
        Arc::new(Self(ToolSpec { effect: SideEffect::Outbound, ..ToolSpec::reading(name, "Looks far away.", schema) }))
    }

    /// Returns an echo tool with the effect [`SideEffect::World`], so that people are asked for approval. It takes a
    /// branch.
    pub(super) fn changing(name: &str) -> Arc<dyn Tool> {
        let schema = json!({
            "type": "object", "required": ["branch"], "properties": { "branch": { "type": "string", "minLength": 1 } },
        });
        Arc::new(Self(ToolSpec { effect: SideEffect::World, ..ToolSpec::reading(name, "Changes the world.", schema) }))
    }
}

#[async_trait]
impl Tool for EchoTool {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn call(&self, _: &CallContext, arguments: Value) -> Result<Output, ToolError> {
        Ok(format!("{} heard {arguments}", self.0.name).into())
    }
}

/// A server, and a person who watches one session from its first event.
pub(super) struct FlowHarness {
    pub(super) server: Server,
    pub(super) session: SessionId,
    client: WebSocketClient,
    seen: Vec<Value>,
    signals: Vec<Value>,
    /// Number of events that the test has consumed.
    read: usize,
    commands: usize,
}

impl FlowHarness {
    /// Starts a session with this team and the tools `code_list`, `code_search` and `push`.
    pub(super) async fn start(team: &str, message: &str) -> Self {
        Self::start_with_settings(team, message, json!({}), |_| {}).await
    }

    /// Like [`Self::start`], with a demo model that makes this mistake the given number of times.
    pub(super) async fn start_with_mistake(team: &str, message: &str, mistake: Mistake, mistake_times: u32) -> Self {
        Self::start_with_settings(team, message, json!({ "max_turns_per_task": 3 }), |config| {
            config.demo = DemoSettings { mistake: Some(mistake), mistake_times, ..DemoSettings::fast() };
        })
        .await
    }

    pub(super) async fn start_with_settings(
        team: &str,
        message: &str,
        settings: Value,
        change: impl FnOnce(&mut Config),
    ) -> Self {
        let tools = vec![EchoTool::reading("code_list"), EchoTool::reading("code_search"), EchoTool::changing("push")];
        Self::start_with_tools(tools, team, message, settings, change).await
    }

    /// Like [`Self::start_with_settings`], with these tools.
    pub(super) async fn start_with_tools(
        tools: Vec<Arc<dyn Tool>>,
        team: &str,
        message: &str,
        settings: Value,
        change: impl FnOnce(&mut Config),
    ) -> Self {
        let server = Server::start_with_tools(tools, change).await;
        let person = server.person("Ann", ServerRole::Member).await;
        let request = json!({ "team": team, "message": message, "settings": settings });
        let session = server.session(&person, &request).await;
        let url = format!("{}/api/v1/ws", server.url.replace("http", "ws"));
        let (socket, _) = tokio_tungstenite::connect_async(url).await.expect("connects");
        let mut client = WebSocketClient { socket };
        client.send(json!({ "type": "hello", "token": person.token })).await;
        client.join(session, Some(0)).await;
        Self { server, session, client, seen: vec![], signals: vec![], read: 0, commands: 0 }
    }

    /// Returns the next frame. Events and signals are stored.
    async fn next(&mut self) -> Value {
        let frame = self.client.next().await;
        if frame["type"] == "event" {
            self.seen.push(frame.clone());
        }
        if frame["type"] == "signal" {
            self.signals.push(frame.clone());
        }
        frame
    }

    /// Returns the newest run.
    pub(super) fn run(&self) -> &Value {
        self.seen.iter().rev().find_map(|event| event.get("run")).expect("a run has begun")
    }

    /// Waits for the next event whose line begins with this text, and returns it.
    pub(super) async fn wait_for(&mut self, wanted: &str) -> Value {
        self.wait_for_any(&[wanted]).await
    }

    /// Waits for the next event whose line begins with one of these texts, and returns it.
    pub(super) async fn wait_for_any(&mut self, wanted: &[&str]) -> Value {
        loop {
            while let Some(event) = self.seen.get(self.read) {
                self.read += 1;
                if summarize(event).is_some_and(|line| wanted.iter().any(|wanted| line.starts_with(wanted))) {
                    return event.clone();
                }
                let over = matches!(event["event"].as_str(), Some("run.finished" | "run.failed"));
                assert!(!over, "waited for {wanted:?}; saw {:#?}", self.outline());
            }
            self.next().await;
        }
    }

    /// Waits for the next gate of this kind, and returns it.
    pub(super) async fn wait_for_gate(&mut self, kind: &str) -> Value {
        self.wait_for(&format!("gate.opened {kind}")).await["data"]["gate"].clone()
    }

    /// Sends a command. Returns its error if it is rejected.
    pub(super) async fn send_command(&mut self, what: &str, data: Value, rev: Option<&Value>) -> Option<Value> {
        self.commands += 1;
        let id = format!("c_{}", self.commands);
        let mut frame = json!({ "type": "command", "id": id, "session": self.session, "do": what, "data": data });
        if let Some(rev) = rev {
            frame["expect"] = json!({ "rev": rev });
        }
        self.client.send(frame).await;
        loop {
            let frame = self.next().await;
            match frame["type"].as_str() {
                Some("ack") if frame["id"] == *id => return None,
                Some("error") => return Some(frame),
                _ => {}
            }
        }
    }

    /// Votes at this gate; the vote must count.
    pub(super) async fn vote(&mut self, gate: &Value, choice: &str, more: Value) {
        let mut data = json!({ "gate": gate["id"], "choice": choice });
        for (field, value) in more.as_object().into_iter().flatten() {
            data[field] = value.clone();
        }
        assert_eq!(self.send_command("vote", data, Some(&gate["rev"])).await, None);
    }

    /// Answers this gate; the answer must count.
    pub(super) async fn answer(&mut self, gate: &Value, value: Value) {
        assert_eq!(self.send_command("answer", json!({ "gate": gate["id"], "value": value }), None).await, None);
    }

    /// Says this text; the command must be accepted.
    pub(super) async fn say(&mut self, text: &str) {
        assert_eq!(self.send_command("say", json!({ "text": text }), None).await, None);
    }

    /// Follows the run to its end and returns its final output.
    pub(super) async fn finish(&mut self) -> String {
        let finished = self.wait_for("run.finished").await;
        let answer = &finished["data"]["final_message"];
        let ends = |event: &&Value| event["event"] == "message.completed" && event["data"]["message"] == *answer;
        let text = self.seen.iter().find(ends).map(|event| event["data"]["text"].as_str().unwrap_or_default());
        text.unwrap_or_default().to_owned()
    }

    /// Returns the prompts that contain this text, oldest first.
    pub(super) fn prompts(&self, task: &str) -> Vec<String> {
        let requests = self.server.demo().requests();
        let texts = requests.iter().map(|request| {
            let texts = request.messages.iter().filter_map(|message| message["content"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        });
        texts.filter(|text| text.contains(task)).collect()
    }

    /// Returns one line per event, without the events that occur in every run.
    pub(super) fn outline(&self) -> Vec<String> {
        self.seen.iter().filter_map(summarize).collect()
    }

    /// Returns the data of the signals with this name.
    pub(super) fn signals(&self, name: &str) -> Vec<&Value> {
        self.signals.iter().filter(|signal| signal["name"] == name).map(|signal| &signal["data"]).collect()
    }

    /// Returns the data of the events with this name.
    pub(super) fn events(&self, name: &str) -> Vec<&Value> {
        self.seen.iter().filter(|event| event["event"] == name).map(|event| &event["data"]).collect()
    }
}

/// Returns the line that describes an event, or `None` if the event occurs in every run.
fn summarize(event: &Value) -> Option<String> {
    let data = &event["data"];
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let name = event["event"].as_str()?;
    let more = match name {
        "run.started" => text(&data["flow"]),
        "run.finished" => text(&data["reason"]),
        "run.failed" | "tool.failed" => text(&data["error"]["code"]),
        "step.started" => data["agents"].as_array()?.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" + "),
        "plan.proposed" => format!("{} items", data["plan"]["items"].as_array()?.len()),
        "plan.item_changed" => format!("{} {}", data["number"], text(&data["state"])),
        "decision.made" => text(&data["decision"]["action"]),
        "output.rejected" => text(&data["again"]),
        "tool.proposed" => text(&data["name"]),
        "tool.checked" => text(&data["permission"]),
        "gate.opened" => text(&data["gate"]["kind"]),
        "gate.decided" => text(&data["outcome"]),
        "plan.edited" | "gate.revised" | "output.produced" | "tool.started" | "tool.completed"
        | "message.withdrawn" | "gate.closed" => {
            return Some(name.to_owned());
        }
        _ => return None,
    };
    Some(format!("{name} {more}"))
}
