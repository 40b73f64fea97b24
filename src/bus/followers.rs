//! The followers of sessions on this node.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::{
    following::{Following, Inbox},
    traffic::{Traffic, count},
};
use crate::kernel::SessionId;

/// Moment from which a session's messages reach its followers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Force {
    /// Immediately with the first follower.
    AtOnce,
    /// After [`Followers::in_force`]. Earlier messages were not meant for the current followers.
    WhenConfirmed,
}

/// The followers of sessions on this node.
pub(super) struct Followers {
    force: Force,
    bound: usize,
    traffic: Arc<Traffic>,
    sessions: Mutex<Sessions>,
    /// Notified when [`Followers::changed`] has a session that gained its first follower or lost its last.
    pub(super) change: Notify,
}

#[derive(Default)]
struct Sessions {
    followed: HashMap<SessionId, Followed>,
    changed: HashSet<SessionId>,
}

#[derive(Default)]
struct Followed {
    in_force: bool,
    inboxes: Vec<Arc<Inbox>>,
}

impl Followers {
    pub(super) fn new(force: Force, bound: usize, traffic: Arc<Traffic>) -> Arc<Self> {
        Arc::new(Self { force, bound, traffic, sessions: Mutex::default(), change: Notify::new() })
    }

    /// Adds a follower.
    pub(super) fn follow(self: &Arc<Self>, session: SessionId) -> Following {
        let inbox = Arc::new(Inbox::default());
        let mut sessions = self.sessions.lock();
        let followed = sessions.followed.entry(session).or_default();
        followed.inboxes.push(inbox.clone());
        followed.in_force |= self.force == Force::AtOnce;
        if followed.in_force {
            self.lose(&inbox);
        } else {
            sessions.changed.insert(session);
            self.change.notify_one();
        }
        drop(sessions);
        Following::new(session, inbox, self.clone())
    }

    pub(super) fn leave(&self, session: SessionId, inbox: &Arc<Inbox>) {
        let mut sessions = self.sessions.lock();
        let Some(followed) = sessions.followed.get_mut(&session) else { return };
        followed.inboxes.retain(|one| !Arc::ptr_eq(one, inbox));
        if followed.inboxes.is_empty() {
            sessions.followed.remove(&session);
            if self.force == Force::WhenConfirmed {
                sessions.changed.insert(session);
                self.change.notify_one();
            }
        }
    }

    /// Delivers a message to all followers of the session.
    pub(super) fn hear(&self, session: SessionId, news: &Bytes) {
        let sessions = self.sessions.lock();
        for inbox in sessions.inboxes(session) {
            count(&self.traffic.heard);
            if !inbox.put(news.clone(), self.bound) {
                count(&self.traffic.lost);
            }
        }
    }

    /// Reports a lost message to all followers of the session.
    pub(super) fn hear_loss(&self, session: SessionId) {
        self.sessions.lock().inboxes(session).for_each(|inbox| self.lose(inbox));
    }

    /// Reports a lost message to all followers of all sessions.
    pub(super) fn hear_loss_of_all(&self) {
        let sessions = self.sessions.lock();
        sessions.followed.keys().flat_map(|session| sessions.inboxes(*session)).for_each(|inbox| self.lose(inbox));
    }

    /// Marks the session's subscription as active: messages reach its followers from now on.
    pub(super) fn in_force(&self, session: SessionId) {
        if let Some(followed) = self.sessions.lock().followed.get_mut(&session)
            && !std::mem::replace(&mut followed.in_force, true)
        {
            followed.inboxes.iter().for_each(|inbox| self.lose(inbox));
        }
    }

    /// Marks all subscriptions as inactive. Each session has to become active again.
    pub(super) fn out_of_force(&self) {
        let sessions = &mut *self.sessions.lock();
        sessions.followed.values_mut().for_each(|followed| followed.in_force = false);
        sessions.changed.extend(sessions.followed.keys());
    }

    /// Returns the sessions whose followers changed since the last call, and whether each has followers now.
    pub(super) fn changed(&self) -> Vec<(SessionId, bool)> {
        let sessions = &mut *self.sessions.lock();
        sessions.changed.drain().map(|session| (session, sessions.followed.contains_key(&session))).collect()
    }

    fn lose(&self, inbox: &Inbox) {
        count(&self.traffic.lost);
        inbox.lose();
    }
}

impl Sessions {
    fn inboxes(&self, session: SessionId) -> impl Iterator<Item = &Arc<Inbox>> {
        self.followed.get(&session).into_iter().filter(|followed| followed.in_force).flat_map(|one| &one.inboxes)
    }
}
