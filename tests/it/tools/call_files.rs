//! Files that a call creates, and which of them are stored.

use std::sync::Arc;

use async_trait::async_trait;
use roundtable::files::{FileRepository, FileSettings, new_file};
use roundtable::kernel::call::Permission;
use roundtable::kernel::call_rule::CallRule;
use roundtable::kernel::{Actor, Agent, AgentRole, CallOutput, File, FileId, Timestamp};
use roundtable::knowledge::{KnowledgeRepository, KnowledgeSettings};
use roundtable::store::Stores;
use roundtable::tool::{CallContext, Output, OutputFile, Tool, ToolError, ToolSettings, ToolSpec, Toolbox, builtin};
use serde_json::{Value, json};

use super::call_context;
use crate::append_builders::start_session;
use crate::fresh_database::FreshDatabase;

/// A tool that creates a number of files, and writes a long output.
struct FileMakingTool(ToolSpec);

#[async_trait]
impl Tool for FileMakingTool {
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
    _fresh: FreshDatabase,
    _engines: Stores,
    toolbox: Toolbox,
    at: CallContext,
}

impl CallFilesHarness {
    async fn new() -> Self {
        let fresh = FreshDatabase::sqlite().await;
        let engines = fresh.open().await;
        let settings = FileSettings { max_session_versions: 30, ..FileSettings::default() };
        let files = FileRepository::new(engines.contents.clone(), settings);
        let knowledge =
            KnowledgeRepository::new(engines.knowledge.clone(), files.clone(), KnowledgeSettings::default());
        let mut tools = builtin(&ToolSettings::default(), Some(&knowledge)).await;
        tools.push(Arc::new(FileMakingTool(ToolSpec::reading("make", "", json!({ "type": "object" })))));
        let (session, _) = start_session(&engines.events).await;
        let at = CallContext { session, ..call_context(&[]) };
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

    async fn call(&self, rules: Vec<CallRule>, name: &str, arguments: Value) -> Result<CallOutput, ToolError> {
        let mut agent = Agent::new("A".parse().expect("an id"), AgentRole::Worker);
        (agent.tools, agent.permissions) = (vec!["*".into()], rules);
        self.toolbox.call(&agent, self.at.clone(), name, &arguments.to_string()).await
    }
}

#[tokio::test]
async fn files_beyond_the_limit_of_a_call_are_not_stored() {
    let harness = CallFilesHarness::new().await;
    let brought = harness.call(vec![], "make", json!({ "count": 40_000 })).await.expect("is answered");
    assert!(brought.files.len() <= 1000, "{}", brought.files.len());
    assert!(brought.text.len() < 17 * 1024, "{}", brought.text.len());
    let text = "[too_many_files: a call keeps 1000 files at most, and 39000 more are not kept]";
    assert!(brought.text.ends_with(text), "{}", &brought.text[brought.text.len() - 300..]);
}

#[tokio::test]
async fn a_file_with_a_short_name_does_not_block_programs() {
    let mut harness = CallFilesHarness::new().await;
    for name in ["p", "r"] {
        harness.lost_file(name, 40 << 20);
    }
    let printed = harness.call(vec![], "python", json!({ "code": "print(r'1')" })).await.expect("runs");
    assert_eq!(&*printed.text, "1\n");
    let named = harness.call(vec![], "python", json!({ "code": "open('/tmp/files/p')" })).await.expect("runs");
    assert!(named.text.contains("[p was not in /tmp/files: the files that the program names are too large]"));
}

#[tokio::test]
async fn a_program_gets_no_file_that_the_rules_ask_about() {
    let mut harness = CallFilesHarness::new().await;
    harness.lost_file("salaries.csv", 10);
    let ask = CallRule {
        tool: "file_read".into(),
        arguments: Some("*\"name\":\"salaries.csv\"*".into()),
        permission: Permission::Ask,
        risk: None,
    };
    let code = json!({ "code": "import os\nprint(os.listdir('/tmp/files'), 'salaries.csv')" });
    let ran = harness.call(vec![ask], "python", code).await.expect("runs");
    assert!(
        ran.text.starts_with("[] salaries.csv\n[salaries.csv was not in /tmp/files: the rules ask"),
        "{}",
        ran.text
    );
}
