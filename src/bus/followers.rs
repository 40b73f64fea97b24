//! Who on this node follows what.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::{
    following::{Following, Inbox},
    topic::Topic,
    traffic::{Traffic, count},
};

/// When news of a topic can be heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Force {
    /// With the first follower.
    AtOnce,
    /// When [`Followers::in_force`] says so: what comes earlier was not meant for the followers of now.
    WhenConfirmed,
}

/// Who on this node follows what.
pub(super) struct Followers {
    force: Force,
    bound: usize,
    traffic: Arc<Traffic>,
    topics: Mutex<Topics>,
    /// Somebody came to, or left, a topic in [`Followers::changed`].
    pub(super) change: Notify,
}

#[derive(Default)]
struct Topics {
    followed: HashMap<Topic, Followed>,
    changed: HashSet<Topic>,
}

#[derive(Default)]
struct Followed {
    in_force: bool,
    inboxes: Vec<Arc<Inbox>>,
}

impl Followers {
    pub(super) fn new(force: Force, bound: usize, traffic: Arc<Traffic>) -> Arc<Self> {
        Arc::new(Self { force, bound, traffic, topics: Mutex::default(), change: Notify::new() })
    }

    /// One more follower.
    pub(super) fn follow(self: &Arc<Self>, topic: Topic) -> Following {
        let inbox = Arc::new(Inbox::default());
        let mut topics = self.topics.lock();
        let followed = topics.followed.entry(topic).or_default();
        followed.inboxes.push(inbox.clone());
        followed.in_force |= self.force == Force::AtOnce;
        if followed.in_force {
            self.lose(&inbox);
        } else {
            topics.changed.insert(topic);
            self.change.notify_one();
        }
        drop(topics);
        Following::new(topic, inbox, self.clone())
    }

    pub(super) fn leave(&self, topic: Topic, inbox: &Arc<Inbox>) {
        let mut topics = self.topics.lock();
        let Some(followed) = topics.followed.get_mut(&topic) else { return };
        followed.inboxes.retain(|one| !Arc::ptr_eq(one, inbox));
        if followed.inboxes.is_empty() {
            topics.followed.remove(&topic);
            if self.force == Force::WhenConfirmed {
                topics.changed.insert(topic);
                self.change.notify_one();
            }
        }
    }

    /// Put news before all who follow.
    pub(super) fn hear(&self, topic: Topic, news: &Bytes) {
        let topics = self.topics.lock();
        for inbox in topics.inboxes(topic) {
            count(&self.traffic.heard);
            if !inbox.put(news.clone(), self.bound) {
                count(&self.traffic.lost);
            }
        }
    }

    /// Tell all who follow that news was lost.
    pub(super) fn hear_loss(&self, topic: Topic) {
        self.topics.lock().inboxes(topic).for_each(|inbox| self.lose(inbox));
    }

    /// Tell everybody that news was lost.
    pub(super) fn hear_loss_of_all(&self) {
        let topics = self.topics.lock();
        topics.followed.keys().flat_map(|topic| topics.inboxes(*topic)).for_each(|inbox| self.lose(inbox));
    }

    /// From now on news of this topic reaches those who follow it.
    pub(super) fn in_force(&self, topic: Topic) {
        if let Some(followed) = self.topics.lock().followed.get_mut(&topic)
            && !std::mem::replace(&mut followed.in_force, true)
        {
            followed.inboxes.iter().for_each(|inbox| self.lose(inbox));
        }
    }

    /// From now on no news reaches anybody: every topic has to come in force again.
    pub(super) fn out_of_force(&self) {
        let topics = &mut *self.topics.lock();
        topics.followed.values_mut().for_each(|followed| followed.in_force = false);
        topics.changed.extend(topics.followed.keys());
    }

    /// The topics that somebody came to or left since this was asked last, and whether they are followed now.
    pub(super) fn changed(&self) -> Vec<(Topic, bool)> {
        let topics = &mut *self.topics.lock();
        topics.changed.drain().map(|topic| (topic, topics.followed.contains_key(&topic))).collect()
    }

    fn lose(&self, inbox: &Inbox) {
        count(&self.traffic.lost);
        inbox.lose();
    }
}

impl Topics {
    fn inboxes(&self, topic: Topic) -> impl Iterator<Item = &Arc<Inbox>> {
        self.followed.get(&topic).into_iter().filter(|followed| followed.in_force).flat_map(|one| &one.inboxes)
    }
}
