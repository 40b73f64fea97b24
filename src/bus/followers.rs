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
    traffic::{Traffic, count},
};
use crate::kernel::SessionId;

/// When news of a session can be heard.
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
    sessions: Mutex<Sessions>,
    /// Somebody came to, or left, a session in [`Followers::changed`].
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

    /// One more follower.
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

    /// Put news before all who follow.
    pub(super) fn hear(&self, session: SessionId, news: &Bytes) {
        let sessions = self.sessions.lock();
        for inbox in sessions.inboxes(session) {
            count(&self.traffic.heard);
            if !inbox.put(news.clone(), self.bound) {
                count(&self.traffic.lost);
            }
        }
    }

    /// Tell all who follow that news was lost.
    pub(super) fn hear_loss(&self, session: SessionId) {
        self.sessions.lock().inboxes(session).for_each(|inbox| self.lose(inbox));
    }

    /// Tell everybody that news was lost.
    pub(super) fn hear_loss_of_all(&self) {
        let sessions = self.sessions.lock();
        sessions.followed.keys().flat_map(|session| sessions.inboxes(*session)).for_each(|inbox| self.lose(inbox));
    }

    /// From now on news of this session reaches those who follow it.
    pub(super) fn in_force(&self, session: SessionId) {
        if let Some(followed) = self.sessions.lock().followed.get_mut(&session)
            && !std::mem::replace(&mut followed.in_force, true)
        {
            followed.inboxes.iter().for_each(|inbox| self.lose(inbox));
        }
    }

    /// From now on no news reaches anybody: every session has to come in force again.
    pub(super) fn out_of_force(&self) {
        let sessions = &mut *self.sessions.lock();
        sessions.followed.values_mut().for_each(|followed| followed.in_force = false);
        sessions.changed.extend(sessions.followed.keys());
    }

    /// The sessions that somebody came to or left since this was asked last, and whether they are followed now.
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
