//! Commands sent to the server, each with its first response and all later ones.

use std::collections::BTreeMap;

use parking_lot::Mutex;

/// All commands of one seed.
#[derive(Debug, Default)]
pub struct CommandLog {
    entries: Mutex<BTreeMap<String, Entry>>,
}

/// One command.
#[derive(Debug, Clone)]
pub struct Entry {
    pub session: String,
    pub actor: String,
    /// True if the command is resent until it gets a response. Otherwise, it is not retried.
    pub retries: bool,
    /// True if the command might find nothing to change. It then has a receipt but no events.
    pub may_be_noop: bool,
    pub sent: u32,
    /// The seq of each ack.
    pub acks: Vec<u64>,
    /// The code of each final rejection.
    pub rejections: Vec<String>,
}

impl CommandLog {
    pub fn open(&self, id: &str, session: &str, actor: &str, retries: bool, may_be_noop: bool) {
        let (session, actor) = (session.to_owned(), actor.to_owned());
        let entry = Entry { session, actor, retries, may_be_noop, sent: 0, acks: vec![], rejections: vec![] };
        self.entries.lock().insert(id.to_owned(), entry);
    }

    pub fn record_send(&self, id: &str) {
        self.update(id, |entry| entry.sent += 1);
    }

    pub fn record_ack(&self, id: &str, seq: u64) {
        self.update(id, |entry| entry.acks.push(seq));
    }

    pub fn record_rejection(&self, id: &str, code: &str) {
        self.update(id, |entry| entry.rejections.push(code.to_owned()));
    }

    pub fn entries(&self) -> BTreeMap<String, Entry> {
        self.entries.lock().clone()
    }

    fn update(&self, id: &str, change: impl FnOnce(&mut Entry)) {
        if let Some(entry) = self.entries.lock().get_mut(id) {
            change(entry);
        }
    }
}

impl Entry {
    pub fn is_answered(&self) -> bool {
        !self.acks.is_empty() || !self.rejections.is_empty()
    }
}
