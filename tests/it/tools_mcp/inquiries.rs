//! Questions of an MCP server to people.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use roundtable::kernel::{Inquiry, InquiryReply};
use roundtable::tool::{People, Progress, ToolSource};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{McpHarness, call_context_with, misbehaving_settings, node_settings, reference_server};

/// People who give the same reply to every question. Stores the questions.
struct RecordingPeople {
    answer: InquiryReply,
    questions: Mutex<Vec<Inquiry>>,
}

impl RecordingPeople {
    fn new(answer: InquiryReply) -> Arc<Self> {
        Arc::new(Self { answer, questions: Mutex::default() })
    }
}

#[async_trait]
impl People for RecordingPeople {
    async fn ask(&self, question: Inquiry) -> InquiryReply {
        self.questions.lock().push(question);
        self.answer.clone()
    }
}

#[tokio::test]
async fn the_reference_server_asks_and_gets_the_answer() {
    let people = RecordingPeople::new(InquiryReply::Accepted(json!({ "name": "Ada", "check": true })));
    let harness = McpHarness::start(node_settings(reference_server(), &[])).await;
    // The server lists this tool once it knows that there are people to ask.
    harness
        .wait_for(|_| {
            harness.servers.tools().iter().any(|tool| tool.spec().name.ends_with("trigger-elicitation-request"))
        })
        .await;
    let at = call_context_with(1, people.clone());
    let answer = harness.call_at(&at, "trigger-elicitation-request", json!({})).await.expect("answers");
    assert!(answer.contains("Ada"), "{answer}");
    let question = people.questions.lock().pop().expect("was asked");
    assert_eq!(&*question.from, "s");
    assert_eq!(question.schema["properties"]["name"]["type"], "string");
    assert!(!question.message.is_empty());
}

#[tokio::test]
async fn every_answer_arrives_with_either_protocol_version() {
    let answers = [
        (
            InquiryReply::Accepted(json!({ "colour": "red" })),
            json!({ "action": "accept", "content": { "colour": "red" } }),
        ),
        (InquiryReply::Declined, json!({ "action": "decline" })),
        (InquiryReply::Cancelled, json!({ "action": "cancel" })),
    ];
    for (answer, mut expected) in answers {
        for how in ["older", "newest"] {
            let people = RecordingPeople::new(answer.clone());
            let harness = McpHarness::start(misbehaving_settings(how)).await;
            let result =
                harness.call_at(&call_context_with(7, people.clone()), "ask", json!({})).await.expect("answers");
            if how == "newest" {
                expected["state"] = "kept".into();
            }
            assert_eq!(serde_json::from_str::<Value>(&result).expect("JSON"), expected, "greeted the {how} way");
            let question = people.questions.lock().pop().expect("was asked");
            assert_eq!(&*question.message, "Which colour?");
        }
    }
}

#[tokio::test]
async fn an_unreadable_question_is_cancelled_and_asks_nobody() {
    let people = RecordingPeople::new(InquiryReply::Declined);
    let harness = McpHarness::start(misbehaving_settings("older")).await;
    for schema in [json!({ "type": "string" }), json!({}), json!("colour")] {
        let result = harness.call_at(&call_context_with(7, people.clone()), "ask", json!({ "schema": schema })).await;
        assert_eq!(result.as_deref(), Ok(r#"{"action":"cancel"}"#), "{schema}");
    }
    assert!(people.questions.lock().is_empty());
}

#[tokio::test]
async fn a_secret_is_requested_only_on_a_page_of_the_server() {
    let people = RecordingPeople::new(InquiryReply::Accepted(json!({ "password": "hunter2" })));
    let harness = McpHarness::start(misbehaving_settings("older")).await;
    let at = call_context_with(7, people.clone());
    let form = |name: &str| json!({ "schema": { "type": "object", "properties": { name: { "type": "string" } } } });
    for name in ["password", "apiKey", "access_token", "数据库密码"] {
        let result = harness.call_at(&at, "ask", form(name)).await;
        assert_eq!(result.as_deref(), Ok(r#"{"action":"decline"}"#), "{name}");
    }
    for url in ["http://wiki.example.org/connect", "https://a@b.example.org/", "javascript:alert(1)"] {
        let result = harness.call_at(&at, "ask", json!({ "url": url })).await;
        assert_eq!(result.as_deref(), Ok(r#"{"action":"decline"}"#), "{url}");
    }
    assert!(people.questions.lock().is_empty(), "nobody was asked");
    let result = harness.call_at(&at, "ask", json!({ "url": "https://wiki.example.org/connect" })).await;
    assert_eq!(result.as_deref(), Ok(r#"{"action":"accept"}"#), "what people say there is not told here");
    let question = people.questions.lock().pop().expect("was asked");
    assert_eq!(question.link.as_deref(), Some("https://wiki.example.org/connect"));
}

/// Records the progress of calls.
#[derive(Default)]
struct ProgressRecorder(Mutex<Vec<Progress>>);

#[async_trait]
impl People for ProgressRecorder {
    async fn ask(&self, _: Inquiry) -> InquiryReply {
        InquiryReply::Cancelled
    }

    fn progress(&self, progress: Progress) {
        self.0.lock().push(progress);
    }
}

#[tokio::test]
async fn the_progress_of_a_call_is_shown_to_its_people() {
    let (people, strangers) = (Arc::new(ProgressRecorder::default()), Arc::new(ProgressRecorder::default()));
    let harness = McpHarness::start(misbehaving_settings("older")).await;
    let (hang, stranger) = (harness.tool("mcp_s_hang"), call_context_with(2, strangers.clone()));
    let mut hanging = hang.call(&stranger, json!({}));
    let at = call_context_with(1, people.clone());
    let reported = tokio::select! {
        reported = harness.call_at(&at, "progress", json!({})) => reported,
        answer = &mut hanging => panic!("{answer:?}"),
    };
    assert_eq!(reported.as_deref(), Ok("done"));
    // Each notification is handled separately, so it can arrive after the result.
    let seen = async {
        while people.0.lock().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(super::TIMEOUT, seen).await.expect("is told");
    let expected = Progress { done: 1.0, total: Some(4.0), message: Some("a quarter".into()), output: None };
    assert_eq!(*people.0.lock(), [expected]);
    assert!(strangers.0.lock().is_empty());
}

/// People who never answer. Notifies when a question arrives and when it is withdrawn.
#[derive(Default)]
struct SilentPeople {
    arrived: Notify,
    withdrawn: Notify,
}

#[async_trait]
impl People for SilentPeople {
    async fn ask(&self, _: Inquiry) -> InquiryReply {
        struct DropNotifier<'a>(&'a Notify);
        impl Drop for DropNotifier<'_> {
            fn drop(&mut self) {
                self.0.notify_one();
            }
        }
        let _notifier = DropNotifier(&self.withdrawn);
        self.arrived.notify_one();
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_question_is_withdrawn_with_its_call() {
    for how in ["older", "newest"] {
        let people = Arc::new(SilentPeople::default());
        let harness = McpHarness::start(misbehaving_settings(how)).await;
        let at = call_context_with(1, people.clone());
        let mut calling = Box::pin(harness.call_at(&at, "ask", json!({})));
        tokio::select! {
            answer = &mut calling => panic!("{answer:?}"),
            () = people.arrived.notified() => {}
        }
        drop(calling);
        tokio::time::timeout(super::TIMEOUT, people.withdrawn.notified()).await.expect("is taken back");
    }
}

#[tokio::test]
async fn a_server_cannot_ask_another_session() {
    let people = || RecordingPeople::new(InquiryReply::Accepted(json!({ "colour": "red" })));
    let (here, there) = (people(), people());
    let harness = McpHarness::start(misbehaving_settings("older")).await;
    let (hang, stranger, own) =
        (harness.tool("mcp_s_hang"), call_context_with(2, there.clone()), call_context_with(1, here.clone()));
    let mut hanging = hang.call(&stranger, json!({}));
    let answer = tokio::select! {
        answer = harness.call_at(&own, "ask", json!({})) => answer,
        answer = &mut hanging => panic!("{answer:?}"),
    };
    assert_eq!(answer.as_deref(), Ok(r#"{"action":"cancel"}"#));
    // Either call can be the later one.
    assert!(here.questions.lock().is_empty() && there.questions.lock().is_empty());
}
