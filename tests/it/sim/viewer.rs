//! A viewer that goes from node to node, always on from where it was.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use roundtable::kernel::{MessageId, SessionId};
use roundtable::protocol::ServerFrame;
use tokio::time::timeout;

use super::world::World;
use servers::random::Random;

/// What a viewer has seen.
pub(super) struct Viewer {
    pub(super) session: SessionId,
    pub(super) events: Mutex<Vec<Bytes>>,
    /// What is wrong with what it saw.
    pub(super) wrong: Mutex<Option<String>>,
}

impl Viewer {
    pub(super) fn new(session: SessionId) -> Arc<Self> {
        Arc::new(Self { session, events: Mutex::default(), wrong: Mutex::default() })
    }

    fn complain(&self, words: String) {
        self.wrong.lock().get_or_insert(words);
    }

    fn take(&self, world: &World, frame: Bytes, texts: &mut HashMap<MessageId, (u32, u64)>) {
        match serde_json::from_slice(&frame) {
            Ok(ServerFrame::Event { event, .. }) => {
                let mut events = self.events.lock();
                if event.seq != events.len() as u64 + 1 {
                    let next = events.len() + 1;
                    drop(events);
                    return self.complain(format!("saw {} where {next} was next", event.seq));
                }
                // Law 1: what is seen is durable.
                if world.memory.head(self.session) < event.seq {
                    self.complain(format!("saw {} before it was durable", event.seq));
                }
                events.push(frame);
            }
            Ok(ServerFrame::Delta { item, attempt, at, text, .. }) => {
                let known = texts.entry(item).or_insert((attempt, 0));
                let fits = at == 0 || (known.0 == attempt && known.1 == at);
                if attempt < known.0 || !fits {
                    return self.complain(format!("item {item:?}: {known:?}, then attempt {attempt} at {at}"));
                }
                *known = (attempt, at + text.len() as u64);
            }
            _ => {}
        }
    }
}

/// Watch, here for a while and there for a while, until the program ends.
pub(super) async fn follow(world: Arc<World>, viewer: Arc<Viewer>, mut dice: Random) {
    loop {
        let node = world.node(&mut dice);
        let Ok(Ok(feed)) = timeout(Duration::from_millis(300), node.feeds.open(viewer.session)).await else { continue };
        let has = viewer.events.lock().len() as u64;
        if !matches!(timeout(Duration::from_millis(300), feed.covers(has)).await, Ok(Ok(true))) {
            continue;
        }
        let mut watch = feed.watch(has);
        let mut texts = HashMap::new();
        let most = *dice.pick(&[200, 200, 2_000]);
        let stay = Duration::from_millis(20 + dice.below(most));
        let here = async {
            while let Some(frame) = watch.next().await {
                viewer.take(&world, frame, &mut texts);
            }
        };
        let _ = timeout(stay, here).await;
    }
}
