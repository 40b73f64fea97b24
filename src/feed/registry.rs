//! The feeds of this node.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::pages::Pages;
use super::{Feed, FeedBounds};
use crate::bus::Bus;
use crate::kernel::{ParticipantId, Role, SessionId};
use crate::store::{EventStore, NodeId, StoreError};

/// The feeds of this node. One lives as long as somebody holds it: its orchestrator or a viewer.
#[derive(Clone)]
pub struct Feeds {
    pub(super) store: Arc<dyn EventStore>,
    pub(super) bounds: FeedBounds,
    pages: Arc<Pages>,
    registry: Arc<Registry>,
    bus: Option<Arc<dyn Bus>>,
}

/// Locked while a feed is opened, so that a session never has two.
type Entry = Arc<tokio::sync::Mutex<Weak<Feed>>>;

#[derive(Default)]
pub(super) struct Registry {
    entries: Mutex<BTreeMap<SessionId, Entry>>,
}

impl Registry {
    /// Let go of an entry that nobody uses.
    pub(super) fn forget(&self, session: SessionId) {
        let mut entries = self.entries.lock();
        if entries.get(&session).is_some_and(|entry| Arc::strong_count(entry) == 1) {
            // Nobody is opening it, and a feed that lives is forgotten when it dies.
            let dead = entries[&session].try_lock().is_ok_and(|feed| feed.strong_count() == 0);
            if dead {
                entries.remove(&session);
            }
        }
    }
}

struct Opening<'a>(&'a Registry, SessionId);

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        self.0.forget(self.1);
    }
}

impl Feeds {
    /// No feed yet; the other nodes are heard and told over the bus, where there can be any.
    pub fn new(store: Arc<dyn EventStore>, bounds: FeedBounds, bus: Option<Arc<dyn Bus>>) -> Self {
        let pages = Pages::new(store.clone(), &bounds);
        Self { store, bounds, pages, registry: Arc::default(), bus }
    }

    /// The session's feed, where somebody holds it.
    pub fn get(&self, session: SessionId) -> Option<Arc<Feed>> {
        self.registry.entries.lock().get(&session)?.try_lock().ok()?.upgrade()
    }

    /// Those that somebody holds.
    pub(super) fn all(&self) -> Vec<Arc<Feed>> {
        let entries = self.registry.entries.lock();
        entries.values().filter_map(|entry| entry.try_lock().ok()?.upgrade()).collect()
    }

    /// The session's feed. Whoever publishes into it must have opened it before they append: then its head is the
    /// store's. A session that does not exist yet has a feed with head 0.
    pub async fn open(&self, session: SessionId) -> Result<Arc<Feed>, StoreError> {
        // Dropped last, also when the caller gives up: an entry without a feed must not stay.
        let _opening = Opening(&self.registry, session);
        let entry = self.registry.entries.lock().entry(session).or_default().clone();
        {
            let mut known = entry.lock().await;
            match known.upgrade() {
                Some(feed) => Ok(feed),
                None => {
                    // Nobody has told this node of what was redacted since it had a feed.
                    self.pages.forget(session);
                    let head = self.store.head(session).await?;
                    let registry = Arc::downgrade(&self.registry);
                    let (store, bounds, bus) = (self.store.clone(), self.bounds.clone(), self.bus.clone());
                    let pages = self.pages.clone();
                    let feed = Arc::new(Feed::new(session, head, store, bounds, pages, registry, bus));
                    *known = Arc::downgrade(&feed);
                    Ok(feed)
                }
            }
        }
    }

    /// The session's feed, and the role that the store lists somebody in. The feed first: a removal after it is open
    /// reaches a view of it, one before it the store.
    pub async fn open_as(
        &self,
        session: SessionId,
        who: ParticipantId,
    ) -> Result<(Arc<Feed>, Option<Role>), StoreError> {
        let feed = self.open(session).await?;
        let listed = self.store.role(session, who).await?;
        Ok((feed, listed))
    }

    /// These nodes are dead: nobody watches there.
    pub fn forget_viewers_of(&self, dead: &[NodeId]) {
        if !dead.is_empty() {
            self.all().iter().for_each(|feed| feed.forget_viewers_of(dead));
        }
    }

    /// Feeds that somebody holds.
    pub fn len(&self) -> usize {
        self.registry.entries.lock().len()
    }

    /// Whether nobody holds a feed.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
