//! A node that dies after the content of a file has been stored, but before the file's event: in the end, the file
//! exists exactly once.

use std::sync::Arc;

use async_trait::async_trait;
use roundtable::demo_model::{DemoModel, DemoSettings};
use roundtable::feed::{FeedRegistry, FeedSettings};
use roundtable::files::{ContentStore, Upload};
use roundtable::files::{FileRepository, FileSettings};
use roundtable::kernel::*;
use roundtable::knowledge::{KnowledgeRepository, KnowledgeSettings};
use roundtable::orchestrator::{OrchestratorSettings, SessionRegistry};
use roundtable::store::Stores;
use roundtable::store_error::StoreError;
use roundtable::tool::{ToolSettings, Toolbox, builtin};
use tokio::sync::Notify;
use uuid::Uuid;

use super::harness::{models, read_log, say, sender};
use super::ordered_viewer::OrderedViewer;
use crate::fresh_database::FreshDatabase;
use crate::server::with_timeout;

/// A content store that stores everything but never replies.
struct SilentContentStore {
    inner: Arc<dyn ContentStore>,
    stored: Arc<Notify>,
}

#[async_trait]
impl ContentStore for SilentContentStore {
    async fn put(&self, session: SessionId, digest: &str, content: &[u8]) -> Result<(), StoreError> {
        self.inner.put(session, digest, content).await?;
        self.stored.notify_one();
        std::future::pending().await
    }

    async fn slice(
        &self,
        session: SessionId,
        digest: &str,
        from: u64,
        most: u64,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        self.inner.slice(session, digest, from, most).await
    }

    async fn sessions_with_unreferenced(&self, before: Timestamp) -> Result<Vec<SessionId>, StoreError> {
        self.inner.sessions_with_unreferenced(before).await
    }

    async fn delete_unreferenced(
        &self,
        session: SessionId,
        named: &[Arc<str>],
        before: Timestamp,
    ) -> Result<u64, StoreError> {
        self.inner.delete_unreferenced(session, named, before).await
    }

    async fn add_upload(&self, upload: &Upload, digest: &str, content: &[u8], most: u32) -> Result<(), StoreError> {
        self.inner.add_upload(upload, digest, content, most).await
    }

    async fn take_upload(&self, upload: &Upload, most: u32) -> Result<(), StoreError> {
        self.inner.take_upload(upload, most).await
    }

    async fn upload(&self, id: Uuid) -> Result<Option<Upload>, StoreError> {
        self.inner.upload(id).await
    }

    async fn upload_content(&self, id: Uuid) -> Result<Option<Vec<u8>>, StoreError> {
        self.inner.upload_content(id).await
    }

    async fn remove_uploads(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.inner.remove_uploads(before).await
    }
}

async fn build_node(
    engines: &Stores,
    contents: Arc<dyn ContentStore>,
    demo: &DemoModel,
) -> (FeedRegistry, SessionRegistry) {
    let files = FileRepository::new(contents, FileSettings::default());
    let mut settings = ToolSettings::default();
    settings.python.enabled = false;
    let knowledge = KnowledgeRepository::new(engines.knowledge.clone(), files.clone(), KnowledgeSettings::default());
    let toolbox = Toolbox::new(builtin(&settings, Some(&knowledge)).await, vec![]).with_files(files);
    let feeds = FeedRegistry::new(engines.events.clone(), FeedSettings::default(), None);
    let (models, bounds) = (Arc::new(models(demo)), OrchestratorSettings::default());
    (feeds.clone(), SessionRegistry::new(engines.events.clone(), feeds, models, toolbox, bounds, None, None))
}

#[tokio::test]
async fn a_crash_between_content_and_event_leaves_one_file() {
    let fresh = FreshDatabase::sqlite().await;
    let engines = fresh.open().await;
    let demo = DemoModel::start(DemoSettings::fast()).await.expect("listens");
    let stored = Arc::new(Notify::new());
    let silent = Arc::new(SilentContentStore { inner: engines.contents.clone(), stored: stored.clone() });
    let (_, first) = build_node(&engines, silent, &demo).await;
    let session = SessionId(Uuid::now_v7());
    let worker = Agent { tools: vec!["*".into()], ..Agent::new("W".parse().expect("an id"), AgentRole::Worker) };
    let team = Team {
        name: "harness".into(),
        title: "RunHarness".into(),
        flow: "react".into(),
        language: Language::En,
        starters: vec![],
        agents: vec![worker],
        steps: vec![],
        topology: None,
        origin: None,
    };
    let create = Command::Create { title: "A run on the harness".into(), team, settings: Settings::default() };
    first.submit(session, sender("create"), create).await.expect("created");
    let command = say("/tool file_write {\"name\": \"a.md\", \"content\": \"kept\"}");
    first.submit(session, sender("c1"), command).await.expect("accepted");
    with_timeout(stored.notified()).await;
    first.shutdown().await;
    let named = |log: &[Event]| log.iter().filter(|event| matches!(event.fact, Fact::FileAdded { .. })).count();
    assert_eq!(named(&read_log(&*engines.events, session).await), 0, "the content is kept, and nothing names it");

    let (feeds, second) = build_node(&engines, engines.contents.clone(), &demo).await;
    second.start(None).await.expect("starts");
    let mut viewer = OrderedViewer::new(feeds.open(session).await.expect("opens").watch(0));
    viewer.wait_for("run.finished").await;
    let log = read_log(&*engines.events, session).await;
    assert_eq!(named(&log), 1);
    let sent = log.iter().filter(|event| matches!(event.fact, Fact::ToolStarted { .. })).count();
    assert_eq!(sent, 2, "the call was made again, without asking");
    let digest = blake3::hash(b"kept").to_hex();
    let content = engines.contents.slice(session, digest.as_str(), 0, 10).await.expect("reads");
    assert_eq!(content.as_deref(), Some(&b"kept"[..]));
    second.shutdown().await;
}
