//! The feeds of this node.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::page_cache::PageCache;
use super::{Feed, FeedSettings};
use crate::bus::Bus;
use crate::kernel::{ParticipantId, Role, SessionId};
use crate::node_id::NodeId;
use crate::store::EventStore;
use crate::store_error::StoreError;

/// The feeds of this node. A feed lives while an orchestrator or a viewer holds it.
#[derive(Clone)]
pub struct FeedRegistry {
    pub(super) store: Arc<dyn EventStore>,
    pub(super) settings: FeedSettings,
    pages: Arc<PageCache>,
    registry: Arc<OpenFeeds>,
    bus: Option<Arc<dyn Bus>>,
}

/// A feed's slot. The lock is held while a feed is opened, so that a session never has two.
type FeedEntry = Arc<tokio::sync::Mutex<Weak<Feed>>>;

#[derive(Default)]
pub(super) struct OpenFeeds {
    entries: Mutex<BTreeMap<SessionId, FeedEntry>>,
}

impl OpenFeeds {
    /// Removes an unused entry.
    pub(super) fn forget(&self, session: SessionId) {
        let mut entries = self.entries.lock();
        if entries.get(&session).is_some_and(|entry| Arc::strong_count(entry) == 1) {
            // No task is opening the feed, and a live feed removes its own entry when it is dropped.
            let dead = entries[&session].try_lock().is_ok_and(|feed| feed.strong_count() == 0);
            if dead {
                entries.remove(&session);
            }
        }
    }
}

struct FeedEntryGuard<'a>(&'a OpenFeeds, SessionId);

impl Drop for FeedEntryGuard<'_> {
    fn drop(&mut self) {
        self.0.forget(self.1);
    }
}

impl FeedRegistry {
    /// Creates an empty registry. `bus` connects to the other nodes. `None` on a single node.
    pub fn new(store: Arc<dyn EventStore>, settings: FeedSettings, bus: Option<Arc<dyn Bus>>) -> Self {
        let pages = PageCache::new(store.clone(), &settings);
        Self { store, settings, pages, registry: Arc::default(), bus }
    }

    /// Returns the session's feed. `None` if nothing holds it, or if it is being opened.
    pub fn get(&self, session: SessionId) -> Option<Arc<Feed>> {
        self.registry.entries.lock().get(&session)?.try_lock().ok()?.upgrade()
    }

    /// Returns all feeds that something holds.
    pub(super) fn all(&self) -> Vec<Arc<Feed>> {
        let entries = self.registry.entries.lock();
        entries.values().filter_map(|entry| entry.try_lock().ok()?.upgrade()).collect()
    }

    /// Returns the session's feed, and creates it if nothing holds it. A publisher must open the feed before it
    /// appends, so that the feed's head equals the store's. A session that does not exist yet has a feed with head 0.
    pub async fn open(&self, session: SessionId) -> Result<Arc<Feed>, StoreError> {
        // Dropped last, even if the caller is cancelled: an entry without a feed must not remain.
        let _opening = FeedEntryGuard(&self.registry, session);
        let entry = self.registry.entries.lock().entry(session).or_default().clone();
        {
            let mut known = entry.lock().await;
            match known.upgrade() {
                Some(feed) => Ok(feed),
                None => {
                    // Without a feed, this node did not learn of redactions.
                    self.pages.forget(session);
                    let head = self.store.head(session).await?;
                    let registry = Arc::downgrade(&self.registry);
                    let (store, settings, bus) = (self.store.clone(), self.settings.clone(), self.bus.clone());
                    let pages = self.pages.clone();
                    let feed = Arc::new(Feed::new(session, head, store, settings, pages, registry, bus));
                    *known = Arc::downgrade(&feed);
                    Ok(feed)
                }
            }
        }
    }

    /// Returns the session's feed, and the participant's role in the store. The role is `None` if they are not a
    /// member. Opens the feed first: it then reports every later removal, and the store already knows every earlier
    /// one.
    pub async fn open_as(
        &self,
        session: SessionId,
        who: ParticipantId,
    ) -> Result<(Arc<Feed>, Option<Role>), StoreError> {
        let feed = self.open(session).await?;
        let listed = self.store.role(session, who).await?;
        Ok((feed, listed))
    }

    /// Forgets the viewers of dead nodes.
    pub fn forget_viewers_of(&self, dead: &[NodeId]) {
        if !dead.is_empty() {
            self.all().iter().for_each(|feed| feed.forget_viewers_of(dead));
        }
    }

    /// Returns the number of feeds that something holds.
    pub fn len(&self) -> usize {
        self.registry.entries.lock().len()
    }

    /// Returns whether there are no feeds.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
