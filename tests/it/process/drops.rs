//! A client that loses its connection repeatedly ends up with exactly the log.

use serde_json::json;

use super::server::ServerProcess;
use super::viewer::ViewerState;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_reconnects_fifty_times_sees_exactly_the_log() {
    let demo = [("ROUNDTABLE_DEMO__TOKENS_PER_SECOND", "300"), ("ROUNDTABLE_DEMO__DELAY_MS", "0")];
    let server = ServerProcess::start(&demo).await;
    let session = server.create().await;
    let mut seen = ViewerState::default();
    let mut drops = 0;
    let mut viewer = server.viewer().await;
    viewer.join(&session, 0).await;
    viewer.command(&session, "c1", "say", json!({ "text": "write test cases for the payment interface" })).await;
    let mut writing = MessageProgress::default();
    loop {
        // Each connection is dropped after its first delta, in the middle of a message.
        let last =
            viewer.wait_for(&mut seen, |frame| frame["data"]["to"] == "waiting" || frame["type"] == "delta").await;
        let last = last.expect("goes on");
        if last["type"] == "event" {
            if drops == 50 {
                break;
            }
            viewer.command(&session, &format!("again{drops}"), "say", json!({ "text": "once more" })).await;
        } else {
            writing.follow(&last);
        }
        if drops < 50 {
            drop(viewer);
            drops += 1;
            viewer = server.viewer().await;
            viewer.join(&session, seen.seq()).await;
            writing = MessageProgress::default();
        }
    }
    assert_eq!(drops, 50);
    assert!(server.log(&session).await == seen.events, "what was seen is the log");
}

/// State of the message in progress on one connection.
#[derive(Default)]
struct MessageProgress {
    message: String,
    bytes: u64,
}

impl MessageProgress {
    /// Checks that the deltas of a message follow each other without a gap, starting at its first character.
    fn follow(&mut self, delta: &serde_json::Value) {
        let (message, at) = (delta["message"].as_str().expect("an id"), delta["at"].as_u64().expect("an offset"));
        if self.message != message || at == 0 {
            (self.message, self.bytes) = (message.to_owned(), 0);
        }
        assert_eq!(self.bytes, at, "no gap in the deltas");
        self.bytes += delta["text"].as_str().expect("text").len() as u64;
    }
}
