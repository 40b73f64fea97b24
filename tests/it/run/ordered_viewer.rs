//! A viewer that checks the order of events as it reads.

use std::time::Duration;

use roundtable::feed::JsonViewer;
use roundtable::kernel::{Event, MessageId};
use roundtable::protocol::ServerFrame;

use super::harness::wire_name;

/// Timeout after which a test fails instead of hanging.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);

/// A viewer of one session.
pub(crate) struct OrderedViewer {
    pub(crate) watch: JsonViewer,
    /// Events that the viewer has seen.
    pub(crate) seen: Vec<Event>,
    /// Fragments of running messages that the viewer has seen.
    pub(crate) deltas: Vec<(MessageId, u32, u64, String)>,
    /// Names and data of the signals.
    pub(crate) signals: Vec<(String, serde_json::Value)>,
}

impl OrderedViewer {
    pub(crate) fn new(watch: JsonViewer) -> Self {
        Self { watch, seen: vec![], deltas: vec![], signals: vec![] }
    }

    /// Reads until an event with this name.
    pub(crate) async fn wait_for(&mut self, name: &str) -> Event {
        self.find(name, |event| wire_name(event) == name).await
    }

    pub(crate) async fn find(&mut self, what: &str, wanted: impl Fn(&Event) -> bool) -> Event {
        let found = tokio::time::timeout(TIMEOUT, async {
            loop {
                let before = self.seen.len();
                self.next().await;
                if self.seen.len() > before && wanted(&self.seen[before]) {
                    return self.seen[before].clone();
                }
            }
        });
        match found.await {
            Ok(event) => event,
            Err(_) => panic!("waited for {what}; saw {:?}", self.event_names()),
        }
    }

    /// Reads one frame.
    pub(crate) async fn next(&mut self) {
        let json = self.watch.next().await.expect("the feed goes on");
        match serde_json::from_slice(&json).expect("a frame") {
            ServerFrame::Event { event, .. } => {
                let expected = self.seen.last().map_or(1, |last| last.seq + 1);
                assert_eq!(event.seq, expected, "one order, no gap, no repeat");
                self.seen.push(event);
            }
            ServerFrame::Delta { message, attempt, at, text, .. } => {
                self.deltas.push((message, attempt, at, text.to_string()));
            }
            ServerFrame::Signal { name, data, .. } => self.signals.push((name.to_string(), data)),
            _ => {}
        }
    }

    pub(crate) fn event_names(&self) -> Vec<String> {
        self.seen.iter().map(wire_name).collect()
    }

    /// Returns the names in each presence signal.
    pub(crate) fn presence_signals(&self) -> Vec<Vec<String>> {
        let signals = self.signals.iter().filter(|(name, _)| name == "presence");
        let names = signals.map(|(_, data)| {
            let here = data["here"].as_array().into_iter().flatten();
            let mut names: Vec<String> = here.filter_map(|who| Some(who["name"].as_str()?.into())).collect();
            names.sort();
            names
        });
        names.collect()
    }

    /// Reads until a presence signal contains exactly these names.
    pub(crate) async fn wait_for_presence(&mut self, names: &[&str]) {
        while !self.presence_signals().iter().any(|here| here == names) {
            self.next().await;
        }
    }

    /// Returns the combined text of all deltas of a message's newest attempt.
    pub(crate) fn text_of(&self, message: MessageId) -> String {
        let mut text = String::new();
        for (of, _, at, part) in &self.deltas {
            if *of == message {
                text.truncate(usize::try_from(*at).expect("fits"));
                assert_eq!(text.len() as u64, *at, "no gap in the deltas");
                text.push_str(part);
            }
        }
        text
    }
}
