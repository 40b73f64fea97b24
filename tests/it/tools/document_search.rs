//! `document_search`: what it finds in a session's files and knowledge bases, and what it does not find.

use std::sync::Arc;

use roundtable::files::{FileRepository, FileSettings, new_file};
use roundtable::identity::{Participant, ServerRole, create_participant};
use roundtable::kernel::CallGuard;
use roundtable::kernel::call::Permission;
use roundtable::kernel::call_rule::CallRule;
use roundtable::kernel::{Actor, ActorKind, File, FileId, Role, SessionId, Timestamp};
use roundtable::knowledge::{BaseChange, BaseId, BaseReaders, KnowledgeRepository, KnowledgeSettings};
use roundtable::store::{Append, Stores};
use roundtable::tool::{CallContext, ToolError, ToolSettings, builtin};
use serde_json::{Value, json};

use super::{ToolSet, call_context};
use crate::append_builders::{append, start_session};
use crate::fresh_database::FreshDatabase;

struct DocumentSearchHarness {
    _fresh: FreshDatabase,
    engines: Stores,
    knowledge: KnowledgeRepository,
    tools: ToolSet,
    ann: Participant,
    at: CallContext,
}

fn every_member() -> BaseReaders {
    BaseReaders { members: true, ..BaseReaders::default() }
}

impl DocumentSearchHarness {
    async fn new() -> Self {
        let fresh = FreshDatabase::sqlite().await;
        let engines = fresh.open().await;
        let files = FileRepository::new(engines.contents.clone(), FileSettings::default());
        let settings = KnowledgeSettings { max_document_bytes: 4096, ..KnowledgeSettings::default() };
        let knowledge = KnowledgeRepository::new(engines.knowledge.clone(), files, settings);
        let mut settings = ToolSettings::default();
        settings.python.enabled = false;
        let tools = ToolSet(builtin(&settings, Some(&knowledge)).await);
        let ann =
            create_participant(&*engines.identities, "Ann", ActorKind::User, ServerRole::Member).await.expect("enrols");
        let (session, fence) = start_session(&engines.events).await;
        let ben =
            create_participant(&*engines.identities, "Ben", ActorKind::User, ServerRole::Member).await.expect("enrols");
        let head = engines.events.head(session).await.expect("reads");
        let joins = Append { members: vec![(ben.id, Some(Role::Member))], ..append(session, fence, head, &["x"]) };
        engines.events.append(joins).await.expect("writes");
        let at = CallContext { session, ..call_context(&[]) };
        Self { _fresh: fresh, engines, knowledge, tools, ann, at }
    }

    async fn base(&mut self, name: &str, documents: &[(&str, &str)]) -> BaseId {
        let store = self.knowledge.store();
        let base = store.add_base(self.ann.id, name, "", &every_member(), 10).await.expect("keeps").expect("has room");
        for (name, content) in documents {
            self.knowledge.put(base, name.parse().expect("a name"), content.as_bytes()).await.expect("keeps");
        }
        self.at.knowledge.push(base.to_string().into());
        base
    }

    /// Adds another version of a file to this session.
    async fn file(&mut self, name: &str, content: &str) {
        let file = self.store_file(self.at.session, name, content).await;
        self.at.files.push(file);
    }

    async fn store_file(&self, session: SessionId, name: &str, content: &str) -> Arc<File> {
        let new = new_file(name.parse().expect("a name"), content.as_bytes());
        self.knowledge.files().put(session, &new, content.as_bytes()).await.expect("keeps");
        let version = self.at.files.iter().filter(|file| *file.name == *name).count() as u32 + 1;
        Arc::new(File {
            id: FileId(self.at.files.len() as u64 + 1),
            name: name.into(),
            version,
            media_type: new.media_type,
            bytes: new.bytes,
            digest: new.digest,
            at: Timestamp::default(),
            by: Actor::system(),
            call: None,
            removed: false,
            redacted: None,
        })
    }

    async fn search(&self, arguments: Value) -> Result<String, ToolError> {
        self.tools.call(&self.at, "document_search", arguments).await
    }

    async fn find(&self, query: &str) -> String {
        self.search(json!({ "query": query })).await.expect("is answered")
    }
}

#[tokio::test]
async fn passages_are_returned_with_their_positions_best_first() {
    let mut harness = DocumentSearchHarness::new().await;
    harness.base("银行规则", &[("锁定.md", "# 概述\n\n规则如下。\n\n# 锁定\n\n三次输错密码，账户锁定。")]).await;
    harness.file("notes.md", "The account lock is discussed.\n\n密码每年更换一次。").await;
    assert_eq!(
        harness.find("密码锁定").await,
        "1. knowledge base 1 \"银行规则\", \"锁定.md\", line 5:\n| # 锁定\n|\n| 三次输错密码，账户锁定。\n\n\
         2. file \"notes.md\", version 1, line 1:\n| The account lock is discussed.\n|\n| 密码每年更换一次。\n\n\
         [2 passages; searched knowledge base 1 \"银行规则\", 1 file]"
    );
    assert_eq!(harness.find("天气").await, "[nothing was found; searched knowledge base 1 \"银行规则\", 1 file]");
    let one = harness.search(json!({ "query": "密码锁定", "limit": 1 })).await.expect("is answered");
    assert!(one.ends_with("[1 passage; searched knowledge base 1 \"银行规则\", 1 file]"), "{one}");
    assert_eq!(DocumentSearchHarness::new().await.find("x").await, "[nothing was found; there is no text to search]");
}

#[tokio::test]
async fn only_the_newest_versions_of_the_sessions_own_texts_are_searched() {
    let mut harness = DocumentSearchHarness::new().await;
    let (other, _) = start_session(&harness.engines.events).await;
    let foreign = harness.store_file(other, "foreign.md", "apples of others").await;
    let at = CallContext { session: other, files: vec![foreign], ..harness.at.clone() };
    let found = harness.tools.call(&at, "document_search", json!({ "query": "apples" })).await.expect("is answered");
    assert!(found.contains("apples of others"), "{found}");
    harness.file("a.md", "apples of the first version").await;
    assert!(harness.find("apples").await.contains("first version"));
    harness.file("a.md", "pears").await;
    harness.file("a.bin", "apples\0").await;
    harness.file("large.log", &"apples ".repeat(1_000)).await;
    let found = harness.find("apples").await;
    assert_eq!(
        found,
        "[nothing was found; searched 1 file]\n[not searched: \"large.log\", which has more than 4096 bytes; read it]"
    );
    assert!(harness.find("pears").await.contains("file \"a.md\", version 2, line 1:\n| pears"));
    harness.file("a.md", "apples of the first version").await;
    assert!(harness.find("apples").await.contains("version 3"), "what comes back is found again");
}

#[tokio::test]
async fn files_under_an_ask_rule_are_found_only_after_approval() {
    let mut harness = DocumentSearchHarness::new().await;
    let base = harness.base("Rules", &[("a.md", "apples of the base")]).await;
    harness.file("salaries.csv", "apples of the salaries").await;
    harness.file("notes.md", "apples of the notes").await;
    let ask = |tool: &str, arguments: String| CallRule {
        tool: tool.into(),
        arguments: Some(arguments.into()),
        permission: Permission::Ask,
        risk: None,
    };
    let rules = [
        ask("file_read", "*\"name\":\"salaries.csv\"*".into()),
        ask("document_search", format!("*\"in\":\"{base}\"*")),
    ];
    let mut search = async |arguments: Value| {
        harness.at.guard = CallGuard::of(&rules, "document_search", &arguments);
        harness.search(arguments).await.expect("is answered")
    };
    let found = search(json!({ "query": "apples" })).await;
    assert!(found.contains("apples of the notes") && found.contains("[1 passage; searched 1 file]"), "{found}");
    assert!(found.ends_with("left out: 2; the rules ask before they are read, or do not allow it]"), "{found}");
    let found = search(json!({ "query": "apples", "in": "salaries.csv" })).await;
    assert!(found.starts_with("[nothing was found"), "{found}");
    let found = search(json!({ "query": "apples", "in": base.to_string() })).await;
    assert!(found.contains("apples of the base"), "{found}");
    // Neither a list nor an error reveals a name that the rules ask about.
    harness.at.guard = CallGuard::of(&rules, "file_list", &json!({}));
    let listed = harness.tools.call(&harness.at, "file_list", json!({})).await.expect("is answered");
    assert!(listed.contains("name=\"notes.md\"") && !listed.contains("salaries"), "{listed}");
    assert!(
        listed.ends_with("[files left out: 1; the rules ask before they are read, or do not allow it]"),
        "{listed}"
    );
    for (tool, arguments) in
        [("file_read", json!({ "name": "x" })), ("document_search", json!({ "query": "x", "in": "x" }))]
    {
        harness.at.guard = CallGuard::of(&rules, tool, &arguments);
        let refused = harness.tools.call(&harness.at, tool, arguments).await.expect_err("is not there");
        assert!(refused.message.contains("\"notes.md\"") && !refused.message.contains("salaries"), "{refused}");
    }
}

#[tokio::test]
async fn a_base_that_is_not_searched_is_named() {
    let mut harness = DocumentSearchHarness::new().await;
    let base = harness.base("Rules", &[("a.md", "apples")]).await;
    harness.at.knowledge.extend(["9".into(), "old name".into()]);
    assert!(harness.find("apples").await.ends_with(
        "[1 passage; searched knowledge base 1 \"Rules\"]\n[not searched: knowledge base 9, \"old name\", which was \
         deleted, or which nobody in this session may read]"
    ));
    let change = BaseChange { readers: Some(BaseReaders::default()), ..BaseChange::default() };
    harness.knowledge.store().change_base(base, &change).await.expect("changes");
    let found = harness.find("apples").await;
    assert!(found.starts_with("[nothing was found;") && found.contains("knowledge base 1, 9, \"old name\""), "{found}");
}

#[tokio::test]
async fn a_search_can_be_limited_to_one_source() {
    let mut harness = DocumentSearchHarness::new().await;
    harness.base("One", &[("one.md", "apples")]).await;
    harness.base("Two", &[("two.md", "apples")]).await;
    harness.file("three.md", "apples").await;
    harness.file("four.md", "apples, too").await;
    for (place, names) in
        [("1", &["one.md"][..]), ("2", &["two.md"]), ("files", &["three.md", "four.md"]), ("four.md", &["four.md"])]
    {
        let found = harness.search(json!({ "query": "apples", "in": place })).await.expect("is answered");
        for name in ["one.md", "two.md", "three.md", "four.md"] {
            assert_eq!(found.contains(name), names.contains(&name), "{place}: {found}");
        }
    }
    let refused = harness.search(json!({ "query": "apples", "in": "five.md" })).await.expect_err("is not there");
    assert_eq!(refused.code, "not_found");
    assert!(
        refused.message.ends_with("it has knowledge base 1, knowledge base 2, \"three.md\", \"four.md\""),
        "{refused}"
    );
    for query in [" ", &"x".repeat(501)] {
        let refused = harness.search(json!({ "query": query })).await.expect_err("is no query");
        assert_eq!(refused.code, "arguments_invalid");
    }
}
