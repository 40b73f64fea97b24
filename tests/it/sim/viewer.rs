//! A viewer that moves from node to node and always continues from its last position.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use roundtable::feed::{Cursor, JsonViewer, Viewer as FeedViewer};
use roundtable::kernel::{MessageId, SessionId, State, evolve};
use roundtable::node_id::NodeId;
use roundtable::protocol::ServerFrame;
use serde_json::Value;
use tokio::time::timeout;

use super::simulation::Simulation;
use servers::random::Random;

/// Everything that a viewer has seen.
pub(super) struct SimViewer {
    pub(super) session: SessionId,
    pub(super) events: Mutex<Vec<Bytes>>,
    /// True if the viewer occasionally discards its events and starts over from a snapshot.
    forgets: bool,
    /// First violation in what the viewer saw.
    pub(super) violation: Mutex<Option<String>>,
}

impl SimViewer {
    pub(super) fn new(session: SessionId, forgets: bool) -> Arc<Self> {
        Arc::new(Self { session, events: Mutex::default(), forgets, violation: Mutex::default() })
    }

    /// Checks that a snapshot equals the fold of the events up to its seq, and starts over from there.
    fn start_from_snapshot(&self, simulation: &Simulation, snapshot: &[u8], seq: u64) {
        let mut log = simulation.log(self.session);
        if log.len() < usize::try_from(seq).expect("is small") {
            return self.report_violation(format!("got a snapshot at {seq} before that was durable"));
        }
        let later = log.split_off(usize::try_from(seq).expect("is small"));
        let is_redacted = later.iter().any(|frame| match serde_json::from_slice(frame) {
            Ok(ServerFrame::Event { event, .. }) => event.fact.is_redaction(),
            _ => false,
        });
        let mut state = State::new(self.session);
        for event in log.iter().filter_map(|frame| serde_json::from_slice(frame).ok()) {
            if let ServerFrame::Event { event, .. } = event {
                evolve(&mut state, &event);
            }
        }
        let (given, folded) = (serde_json::from_slice::<Value>(snapshot).ok(), serde_json::to_value(state.view()).ok());
        // A snapshot from before a redaction has content that the log no longer has; the viewer learns of the redaction
        // next.
        if given != folded && !is_redacted {
            let differs = difference(given.as_ref(), folded.as_ref(), "");
            let violation = format!("got a snapshot at {seq} that is not what the log makes up to there");
            self.report_violation(format!("{violation}: {}", differs.unwrap_or_default()));
        }
        *self.events.lock() = log;
    }

    fn report_violation(&self, violation_text: String) {
        self.violation.lock().get_or_insert(violation_text);
    }

    fn receive_frame(
        &self,
        simulation: &Simulation,
        at: NodeId,
        frame: Bytes,
        texts: &mut HashMap<MessageId, (u32, u64)>,
    ) {
        match serde_json::from_slice(&frame) {
            Ok(ServerFrame::Event { event, .. }) => {
                let mut events = self.events.lock();
                if event.seq != events.len() as u64 + 1 {
                    let next = events.len() + 1;
                    drop(events);
                    return self.report_violation(format!("saw {} where {next} was next", event.seq));
                }
                // Law 1: every event that a viewer sees is durable.
                if simulation.memory.head(self.session) < event.seq {
                    self.report_violation(format!("saw {} before it was durable", event.seq));
                }
                events.push(frame);
                if event.fact.is_redaction() {
                    // The viewer discards its copy of the log and reads it again.
                    *events = simulation.log(self.session);
                    events.truncate(usize::try_from(event.seq).expect("is small"));
                }
                if !simulation.bus.borrow().is_up()
                    && simulation.memory.ownership(self.session).owner.is_some_and(|owner| owner != at)
                {
                    simulation.bus_outage_effects.events_from_store.fetch_add(1, Relaxed);
                }
            }
            Ok(ServerFrame::Signal { name, data, .. }) if &*name == "liveness" && data["live"] == false => {
                simulation.bus_outage_effects.liveness_signals.fetch_add(1, Relaxed);
            }
            Ok(ServerFrame::Delta { message, attempt, at, text, .. }) => {
                let known = texts.entry(message).or_insert((attempt, 0));
                let fits = at == 0 || (known.0 == attempt && known.1 == at);
                if attempt < known.0 || !fits {
                    return self
                        .report_violation(format!("message {message:?}: {known:?}, then attempt {attempt} at {at}"));
                }
                *known = (attempt, at + text.len() as u64);
            }
            Ok(ServerFrame::CaughtUp { through, .. }) if through != self.events.lock().len() as u64 => {
                self.report_violation(format!("was told that it has all up to {through}, and has not"));
            }
            _ => {}
        }
    }
}

/// Returns the path of the first difference between two values, with both values.
fn difference(seen: Option<&Value>, made: Option<&Value>, at: &str) -> Option<String> {
    let inside = |key: &str, seen, made| difference(seen, made, &format!("{at}/{key}"));
    match (seen, made) {
        (seen, made) if seen == made => None,
        (Some(Value::Object(seen)), Some(Value::Object(made))) => {
            let mut keys = seen.keys().chain(made.keys());
            keys.find_map(|key| inside(key, seen.get(key), made.get(key)))
        }
        (Some(Value::Array(seen)), Some(Value::Array(made))) => {
            let longer = seen.len().max(made.len());
            (0..longer).find_map(|index| inside(&index.to_string(), seen.get(index), made.get(index)))
        }
        _ => Some(format!("{at} is {seen:?} and should be {made:?}")),
    }
}

/// Watches one node after another, each for a while, until the program ends.
pub(super) async fn watch_nodes(simulation: Arc<Simulation>, viewer: Arc<SimViewer>, mut dice: Random) {
    loop {
        let node = simulation.node(&mut dice);
        let Ok(Ok(feed)) = timeout(Duration::from_millis(300), node.feeds.open(viewer.session)).await else { continue };
        let mut texts = HashMap::new();
        let most = *dice.pick(&[200, 200, 2_000]);
        let stay = Duration::from_millis(20 + dice.below(most));
        let mut watch = if viewer.forgets && dice.below(2) == 0 {
            let come = FeedViewer::with_snapshot(Cursor::new(feed, None));
            let Ok(Ok((comes, snapshot))) = timeout(Duration::from_millis(300), come).await else { continue };
            viewer.start_from_snapshot(&simulation, &snapshot, comes.head());
            JsonViewer::new(comes)
        } else {
            let has = viewer.events.lock().len() as u64;
            if !matches!(timeout(Duration::from_millis(300), feed.covers(has)).await, Ok(Ok(true))) {
                continue;
            }
            feed.watch(has)
        };
        let here = async {
            while let Ok(frame) = watch.next().await {
                viewer.receive_frame(&simulation, node.id, frame, &mut texts);
            }
        };
        let _ = timeout(stay, here).await;
    }
}
