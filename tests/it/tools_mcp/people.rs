//! Questions of an MCP server to people.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use roundtable::kernel::{Inquiry, InquiryReply};
use roundtable::tool::{People, Progress, ToolSource};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{Table, everything, node, odd, place_with};

/// Gives the same reply to all questions, and records them.
struct Alike {
    answer: InquiryReply,
    asked: Mutex<Vec<Inquiry>>,
}

impl Alike {
    fn new(answer: InquiryReply) -> Arc<Self> {
        Arc::new(Self { answer, asked: Mutex::default() })
    }
}

#[async_trait]
impl People for Alike {
    async fn ask(&self, question: Inquiry) -> InquiryReply {
        self.asked.lock().push(question);
        self.answer.clone()
    }
}

#[tokio::test]
async fn the_reference_server_asks_and_is_told() {
    let people = Alike::new(InquiryReply::Accepted(json!({ "name": "Ada", "check": true })));
    let table = Table::ready(node(everything(), &[])).await;
    // The server lists this tool once it knows that there are people to ask.
    table
        .until(|_| table.servers.tools().iter().any(|tool| tool.spec().name.ends_with("trigger-elicitation-request")))
        .await;
    let at = place_with(1, people.clone());
    let answer = table.call_at(&at, "trigger-elicitation-request", json!({})).await.expect("answers");
    assert!(answer.contains("Ada"), "{answer}");
    let question = people.asked.lock().pop().expect("was asked");
    assert_eq!(&*question.from, "s");
    assert_eq!(question.schema["properties"]["name"]["type"], "string");
    assert!(!question.message.is_empty());
}

#[tokio::test]
async fn every_answer_gets_there_in_either_greeting() {
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
            let people = Alike::new(answer.clone());
            let table = Table::ready(odd(how)).await;
            let said = table.call_at(&place_with(7, people.clone()), "ask", json!({})).await.expect("answers");
            if how == "newest" {
                expected["state"] = "kept".into();
            }
            assert_eq!(serde_json::from_str::<Value>(&said).expect("JSON"), expected, "greeted the {how} way");
            let question = people.asked.lock().pop().expect("was asked");
            assert_eq!(&*question.message, "Which colour?");
        }
    }
}

#[tokio::test]
async fn a_question_that_cannot_be_read_is_cancelled_and_asks_nobody() {
    let people = Alike::new(InquiryReply::Declined);
    let table = Table::ready(odd("older")).await;
    for schema in [json!({ "type": "string" }), json!({}), json!("colour")] {
        let said = table.call_at(&place_with(7, people.clone()), "ask", json!({ "schema": schema })).await;
        assert_eq!(said.as_deref(), Ok(r#"{"action":"cancel"}"#), "{schema}");
    }
    assert!(people.asked.lock().is_empty());
}

#[tokio::test]
async fn a_secret_is_asked_for_on_a_page_of_the_server_or_not_at_all() {
    let people = Alike::new(InquiryReply::Accepted(json!({ "password": "hunter2" })));
    let table = Table::ready(odd("older")).await;
    let at = place_with(7, people.clone());
    let form = |name: &str| json!({ "schema": { "type": "object", "properties": { name: { "type": "string" } } } });
    for name in ["password", "apiKey", "access_token", "数据库密码"] {
        let said = table.call_at(&at, "ask", form(name)).await;
        assert_eq!(said.as_deref(), Ok(r#"{"action":"decline"}"#), "{name}");
    }
    for url in ["http://wiki.example.org/connect", "https://a@b.example.org/", "javascript:alert(1)"] {
        let said = table.call_at(&at, "ask", json!({ "url": url })).await;
        assert_eq!(said.as_deref(), Ok(r#"{"action":"decline"}"#), "{url}");
    }
    assert!(people.asked.lock().is_empty(), "nobody was asked");
    let said = table.call_at(&at, "ask", json!({ "url": "https://wiki.example.org/connect" })).await;
    assert_eq!(said.as_deref(), Ok(r#"{"action":"accept"}"#), "what people say there is not told here");
    let question = people.asked.lock().pop().expect("was asked");
    assert_eq!(question.link.as_deref(), Some("https://wiki.example.org/connect"));
}

/// Records the progress of calls.
#[derive(Default)]
struct Curious(Mutex<Vec<Progress>>);

#[async_trait]
impl People for Curious {
    async fn ask(&self, _: Inquiry) -> InquiryReply {
        InquiryReply::Cancelled
    }

    fn progress(&self, progress: Progress) {
        self.0.lock().push(progress);
    }
}

#[tokio::test]
async fn the_progress_of_a_call_is_told_to_its_people() {
    let (people, strangers) = (Arc::new(Curious::default()), Arc::new(Curious::default()));
    let table = Table::ready(odd("older")).await;
    let (hang, stranger) = (table.tool("mcp_s_hang"), place_with(2, strangers.clone()));
    let mut hanging = hang.call(&stranger, json!({}));
    let at = place_with(1, people.clone());
    let said = tokio::select! {
        said = table.call_at(&at, "progress", json!({})) => said,
        answer = &mut hanging => panic!("{answer:?}"),
    };
    assert_eq!(said.as_deref(), Ok("done"));
    // Each notification is handled separately, so it may arrive after the result.
    let seen = async {
        while people.0.lock().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(super::PATIENCE, seen).await.expect("is told");
    let told = Progress { done: 1.0, total: Some(4.0), message: Some("a quarter".into()), output: None };
    assert_eq!(*people.0.lock(), [told]);
    assert!(strangers.0.lock().is_empty());
}

/// Never answers; notifies when a question arrives and when it is withdrawn.
#[derive(Default)]
struct SilentPeople {
    came: Notify,
    gone: Notify,
}

#[async_trait]
impl People for SilentPeople {
    async fn ask(&self, _: Inquiry) -> InquiryReply {
        struct Gone<'a>(&'a Notify);
        impl Drop for Gone<'_> {
            fn drop(&mut self) {
                self.0.notify_one();
            }
        }
        let _gone = Gone(&self.gone);
        self.came.notify_one();
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_question_goes_with_its_call() {
    for how in ["older", "newest"] {
        let people = Arc::new(SilentPeople::default());
        let table = Table::ready(odd(how)).await;
        let at = place_with(1, people.clone());
        let mut calling = Box::pin(table.call_at(&at, "ask", json!({})));
        tokio::select! {
            answer = &mut calling => panic!("{answer:?}"),
            () = people.came.notified() => {}
        }
        drop(calling);
        tokio::time::timeout(super::PATIENCE, people.gone.notified()).await.expect("is taken back");
    }
}

#[tokio::test]
async fn a_server_cannot_ask_another_session() {
    let people = || Alike::new(InquiryReply::Accepted(json!({ "colour": "red" })));
    let (here, there) = (people(), people());
    let table = Table::ready(odd("older")).await;
    let (hang, stranger, own) = (table.tool("mcp_s_hang"), place_with(2, there.clone()), place_with(1, here.clone()));
    let mut hanging = hang.call(&stranger, json!({}));
    let answer = tokio::select! {
        answer = table.call_at(&own, "ask", json!({})) => answer,
        answer = &mut hanging => panic!("{answer:?}"),
    };
    assert_eq!(answer.as_deref(), Ok(r#"{"action":"cancel"}"#));
    // Either call can be the later one.
    assert!(here.asked.lock().is_empty() && there.asked.lock().is_empty());
}
