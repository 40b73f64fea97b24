//! The followers of sessions on this node.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::{
    subscription::{BusSubscription, Inbox},
    traffic::{BusTraffic, count},
};
use crate::kernel::SessionId;

/// Moment from which messages of a session reach its followers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeliveryStart {
    /// As soon as there is a follower.
    AtOnce,
    /// After [`Followers::in_force`]. Earlier messages were not meant for the current followers.
    WhenConfirmed,
}

/// The followers of sessions on this node.
pub(super) struct Followers {
    force: DeliveryStart,
    bound: usize,
    traffic: Arc<BusTraffic>,
    sessions: Mutex<FollowedSessions>,
    /// Notified when [`Followers::changed`] has a new entry: a session that gained its first follower or lost its last.
    pub(super) change: Notify,
}

#[derive(Default)]
struct FollowedSessions {
    followed: HashMap<SessionId, SessionInboxes>,
    changed: HashSet<SessionId>,
}

#[derive(Default)]
struct SessionInboxes {
    in_force: bool,
    inboxes: Vec<Arc<Inbox>>,
}

impl Followers {
    pub(super) fn new(force: DeliveryStart, bound: usize, traffic: Arc<BusTraffic>) -> Arc<Self> {
        Arc::new(Self { force, bound, traffic, sessions: Mutex::default(), change: Notify::new() })
    }

    /// Adds a follower.
    pub(super) fn follow(self: &Arc<Self>, session: SessionId) -> BusSubscription {
        let inbox = Arc::new(Inbox::default());
        let mut sessions = self.sessions.lock();
        let followed = sessions.followed.entry(session).or_default();
        followed.inboxes.push(inbox.clone());
        followed.in_force |= self.force == DeliveryStart::AtOnce;
        if followed.in_force {
            self.lose(&inbox);
        } else {
            sessions.changed.insert(session);
            self.change.notify_one();
        }
        drop(sessions);
        BusSubscription::new(session, inbox, self.clone())
    }

    pub(super) fn leave(&self, session: SessionId, inbox: &Arc<Inbox>) {
        let mut sessions = self.sessions.lock();
        let Some(followed) = sessions.followed.get_mut(&session) else { return };
        followed.inboxes.retain(|one| !Arc::ptr_eq(one, inbox));
        if followed.inboxes.is_empty() {
            sessions.followed.remove(&session);
            if self.force == DeliveryStart::WhenConfirmed {
                sessions.changed.insert(session);
                self.change.notify_one();
            }
        }
    }

    /// Delivers a message to all followers of the session.
    pub(super) fn deliver(&self, session: SessionId, message: &Bytes) {
        let sessions = self.sessions.lock();
        for inbox in sessions.inboxes(session) {
            count(&self.traffic.received);
            if !inbox.put(message.clone(), self.bound) {
                count(&self.traffic.lost);
            }
        }
    }

    /// Reports a lost message to all followers of the session.
    pub(super) fn report_loss(&self, session: SessionId) {
        self.sessions.lock().inboxes(session).for_each(|inbox| self.lose(inbox));
    }

    /// Reports a lost message to all followers of all sessions.
    pub(super) fn report_loss_to_all(&self) {
        let sessions = self.sessions.lock();
        sessions.followed.keys().flat_map(|session| sessions.inboxes(*session)).for_each(|inbox| self.lose(inbox));
    }

    /// Marks the session's subscription as active: from now on, messages reach its followers.
    pub(super) fn in_force(&self, session: SessionId) {
        if let Some(followed) = self.sessions.lock().followed.get_mut(&session)
            && !std::mem::replace(&mut followed.in_force, true)
        {
            followed.inboxes.iter().for_each(|inbox| self.lose(inbox));
        }
    }

    /// Marks all subscriptions as inactive. Each session has to become active again.
    pub(super) fn deactivate_all(&self) {
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

impl FollowedSessions {
    fn inboxes(&self, session: SessionId) -> impl Iterator<Item = &Arc<Inbox>> {
        self.followed.get(&session).into_iter().filter(|followed| followed.in_force).flat_map(|one| &one.inboxes)
    }
}
