//! What a server asks people.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use roundtable::tool::{Inquiry, People, Place, Reply, Source};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{Table, everything, node, odd, place};

/// Reply all questions alike, and remember them.
struct Alike {
    answer: Reply,
    asked: Mutex<Vec<(Place, Inquiry)>>,
}

impl Alike {
    fn new(answer: Reply) -> Arc<Self> {
        Arc::new(Self { answer, asked: Mutex::default() })
    }
}

#[async_trait]
impl People for Alike {
    async fn ask(&self, at: &Place, question: Inquiry) -> Reply {
        self.asked.lock().push((at.clone(), question));
        self.answer.clone()
    }
}

#[tokio::test]
async fn the_reference_server_asks_and_is_told() {
    let people = Alike::new(Reply::Accepted(json!({ "name": "Ada", "check": true })));
    let table = Table::ready(node(everything(), &[]), Some(people.clone())).await;
    // It lists this tool once it knows that there is somebody to ask.
    table
        .until(|_| table.servers.tools().iter().any(|tool| tool.spec().name.ends_with("trigger-elicitation-request")))
        .await;
    let answer = table.call("trigger-elicitation-request", json!({})).await.expect("answers");
    assert!(answer.contains("Ada"), "{answer}");
    let (at, question) = people.asked.lock().pop().expect("was asked");
    assert_eq!((at.session, &*question.from), (place(1).session, "s"));
    assert_eq!(question.schema["properties"]["name"]["type"], "string");
    assert!(!question.message.is_empty());
}

#[tokio::test]
async fn every_answer_gets_there_in_either_greeting() {
    let answers = [
        (Reply::Accepted(json!({ "colour": "red" })), json!({ "action": "accept", "content": { "colour": "red" } })),
        (Reply::Declined, json!({ "action": "decline" })),
        (Reply::Cancelled, json!({ "action": "cancel" })),
    ];
    for (answer, mut expected) in answers {
        for how in ["older", "newest"] {
            let people = Alike::new(answer.clone());
            let table = Table::ready(odd(how), Some(people.clone())).await;
            let said = table.call_at(&place(7), "ask", json!({})).await.expect("answers");
            if how == "newest" {
                expected["state"] = "kept".into();
            }
            assert_eq!(serde_json::from_str::<Value>(&said).expect("JSON"), expected, "greeted the {how} way");
            let (at, question) = people.asked.lock().pop().expect("was asked");
            assert_eq!((at.session, &*question.message), (place(7).session, "Which colour?"));
        }
    }
}

/// Never answer; tell when a question came and when it was taken back.
#[derive(Default)]
struct Silent {
    came: Notify,
    gone: Notify,
}

#[async_trait]
impl People for Silent {
    async fn ask(&self, _: &Place, _: Inquiry) -> Reply {
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
        let people = Arc::new(Silent::default());
        let table = Table::ready(odd(how), Some(people.clone())).await;
        let mut calling = Box::pin(table.call("ask", json!({})));
        tokio::select! {
            answer = &mut calling => panic!("{answer:?}"),
            () = people.came.notified() => {}
        }
        drop(calling);
        tokio::time::timeout(super::PATIENCE, people.gone.notified()).await.expect("is taken back");
    }
}

#[tokio::test]
async fn nobody_is_asked_in_a_strangers_name() {
    let people = Alike::new(Reply::Accepted(json!({ "colour": "red" })));
    let table = Table::ready(odd("older"), Some(people.clone())).await;
    let (hang, stranger) = (table.tool("mcp_s_hang"), place(2));
    let mut hanging = hang.call(&stranger, json!({}));
    let answer = tokio::select! {
        answer = table.call("ask", json!({})) => answer,
        answer = &mut hanging => panic!("{answer:?}"),
    };
    assert_eq!(answer.as_deref(), Ok(r#"{"action":"cancel"}"#));
    assert!(people.asked.lock().is_empty());
}
