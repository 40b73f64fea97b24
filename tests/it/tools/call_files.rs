//! Files made by a call, and which of them are stored.

use std::sync::Arc;

use async_trait::async_trait;
use roundtable::files::{FileRepository, FileSettings, new_file};
use roundtable::kernel::call::Permission;
use roundtable::kernel::call_rule::CallRule;
use roundtable::kernel::{Actor, Agent, AgentRole, AttemptError, CallOutput, File, FileId, Timestamp};
use roundtable::knowledge::{Knowledge, KnowledgeSettings};
use roundtable::store::Stores;
use roundtable::tool::{CallContext, Output, OutputFile, Tool, ToolError, ToolSettings, ToolSpec, Toolbox, builtin};
use serde_json::{Value, json};

use super::place;
use crate::append_builders::begun;
use crate::fresh_database::Fresh;

/// Makes a number of files, and writes a long output.
struct Maker(ToolSpec);

#[async_trait]
impl Tool for Maker {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn call(&self, _: &CallContext, arguments: Value) -> Result<Output, ToolError> {
        let count = arguments["count"].as_u64().unwrap_or_default();
        let files =
            (0..count).map(|n| OutputFile { name: format!("{n:05}{}", "x".repeat(90)), content: vec![b'x'] }).collect();
        Ok(Output { text: "y".repeat(100_000), files })
    }
}

struct CallFilesHarness {
    _fresh: Fresh,
    _engines: Stores,
    toolbox: Toolbox,
    at: CallContext,
}

impl CallFilesHarness {
    async fn new() -> Self {
        let fresh = Fresh::sqlite().await;
        let engines = fresh.open().await;
        let settings = FileSettings { max_session_versions: 30, ..FileSettings::default() };
        let files = FileRepository::new(engines.contents.clone(), settings);
        let knowledge = Knowledge::new(engines.knowledge.clone(), files.clone(), KnowledgeSettings::default());
        let mut tools = builtin(&ToolSettings::default(), Some(&knowledge)).await;
        tools.push(Arc::new(Maker(ToolSpec::reading("make", "", json!({ "type": "object" })))));
        let (session, _) = begun(&engines.events).await;
        let at = CallContext { session, ..place(&[]) };
        Self { _fresh: fresh, _engines: engines, toolbox: Toolbox::new(tools, vec![]).with_files(files), at }
    }

    /// Adds a file whose content is missing.
    fn lost_file(&mut self, name: &str, bytes: u64) {
        let new = new_file(name.parse().expect("a name"), b"");
        self.at.files.push(Arc::new(File {
            id: FileId(1),
            name: name.into(),
            version: 1,
            media_type: new.media_type,
            bytes,
            digest: new.digest,
            at: Timestamp::default(),
            by: Actor::system(),
            call: None,
            removed: false,
            redacted: None,
        }));
    }

    async fn call(&self, rules: Vec<CallRule>, name: &str, arguments: Value) -> Result<CallOutput, AttemptError> {
        let mut agent = Agent::new("A".parse().expect("an id"), AgentRole::Worker);
        (agent.tools, agent.permissions) = (vec!["*".into()], rules);
        self.toolbox.call(&agent, self.at.clone(), name, &arguments.to_string()).await
    }
}

#[tokio::test]
async fn forty_thousand_files_are_no_event_of_megabytes() {
    let stage = CallFilesHarness::new().await;
    let brought = stage.call(vec![], "make", json!({ "count": 40_000 })).await.expect("is answered");
    assert!(brought.files.len() <= 1000, "{}", brought.files.len());
    assert!(brought.text.len() < 17 * 1024, "{}", brought.text.len());
    let words = "[too_many_files: a call keeps 1000 files at most, and 39000 more are not kept]";
    assert!(brought.text.ends_with(words), "{}", &brought.text[brought.text.len() - 300..]);
}

#[tokio::test]
async fn a_file_whose_name_is_a_letter_keeps_no_program_from_running() {
    let mut stage = CallFilesHarness::new().await;
    for name in ["p", "r"] {
        stage.lost_file(name, 40 << 20);
    }
    let printed = stage.call(vec![], "python", json!({ "code": "print(r'1')" })).await.expect("runs");
    assert_eq!(&*printed.text, "1\n");
    let named = stage.call(vec![], "python", json!({ "code": "open('/tmp/files/p')" })).await.expect("runs");
    assert!(named.text.contains("[p was not in /tmp/files: the files that the program names are too large]"));
}

#[tokio::test]
async fn a_program_is_given_no_file_that_the_rules_ask_about() {
    let mut stage = CallFilesHarness::new().await;
    stage.lost_file("salaries.csv", 10);
    let ask = CallRule {
        tool: "file_read".into(),
        arguments: Some("*\"name\":\"salaries.csv\"*".into()),
        permission: Permission::Ask,
        risk: None,
    };
    let code = json!({ "code": "import os\nprint(os.listdir('/tmp/files'), 'salaries.csv')" });
    let ran = stage.call(vec![ask], "python", code).await.expect("runs");
    assert!(
        ran.text.starts_with("[] salaries.csv\n[salaries.csv was not in /tmp/files: the rules ask"),
        "{}",
        ran.text
    );
}
