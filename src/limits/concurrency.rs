//! Concurrency limits, in total and per key, such as an address or a participant. The unit is slots or bytes.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;

/// Limit on the number of slots that are in use at the same time.
#[derive(Debug)]
pub struct ConcurrencyLimit<K> {
    max: usize,
    max_per_key: usize,
    held: Mutex<PermitCounts<K>>,
}

#[derive(Debug)]
struct PermitCounts<K> {
    total: usize,
    by_key: HashMap<K, usize>,
}

/// Slots that are in use until this is dropped.
#[derive(Debug)]
pub struct ConcurrencyPermit<K: Hash + Eq> {
    places: Arc<ConcurrencyLimit<K>>,
    key: Option<K>,
    count: usize,
}

/// Slot of a connection, keyed by address. It is in use as long as the connection is open, even after an upgrade to
/// WebSocket.
pub(crate) type ConnectionPermit = Arc<ConcurrencyPermit<IpAddr>>;

impl<K: Hash + Eq + Clone> ConcurrencyLimit<K> {
    /// Creates a limit of `max` slots in total and `max_per_key` for one key.
    pub fn new(max: usize, max_per_key: usize) -> Arc<Self> {
        let held = Mutex::new(PermitCounts { total: 0, by_key: HashMap::new() });
        Arc::new(Self { max, max_per_key, held })
    }

    /// Takes a slot for this key. Returns `None` if there is no slot left.
    pub fn take(self: &Arc<Self>, key: K) -> Option<ConcurrencyPermit<K>> {
        let mut permit = self.none(Some(key));
        permit.grow(1).then_some(permit)
    }

    /// Takes a slot that counts only in total. Returns `None` if there is no slot left.
    pub fn take_without_key(self: &Arc<Self>) -> Option<ConcurrencyPermit<K>> {
        let mut permit = self.none(None);
        permit.grow(1).then_some(permit)
    }

    /// Returns a permit without slots, to grow later.
    pub fn none(self: &Arc<Self>, key: Option<K>) -> ConcurrencyPermit<K> {
        ConcurrencyPermit { places: self.clone(), key, count: 0 }
    }

    /// Returns the number of slots in use.
    pub fn held(&self) -> usize {
        self.held.lock().total
    }
}

impl<K: Hash + Eq + Clone> ConcurrencyPermit<K> {
    /// Takes `more` slots, all of them or none. Returns whether they were taken.
    pub fn grow(&mut self, more: usize) -> bool {
        if more == 0 {
            return true;
        }
        let ConcurrencyLimit { max, max_per_key, held } = &*self.places;
        let mut held = held.lock();
        if held.total.saturating_add(more) > *max {
            return false;
        }
        if let Some(key) = &self.key {
            let of_key = held.by_key.get(key).copied().unwrap_or(0).saturating_add(more);
            if of_key > *max_per_key {
                return false;
            }
            held.by_key.insert(key.clone(), of_key);
        }
        held.total += more;
        self.count += more;
        true
    }
}

impl<K: Hash + Eq> ConcurrencyPermit<K> {
    /// Returns the number of slots of this permit.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Releases all slots.
    pub fn clear(&mut self) {
        let count = std::mem::take(&mut self.count);
        if count == 0 {
            return;
        }
        let mut held = self.places.held.lock();
        held.total -= count;
        let Some(key) = &self.key else { return };
        if let Some(of_key) = held.by_key.get_mut(key) {
            *of_key -= count;
            // Otherwise every key that was ever used would stay in memory.
            if *of_key == 0 {
                held.by_key.remove(key);
            }
        }
    }
}

impl<K: Hash + Eq> Drop for ConcurrencyPermit<K> {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_key_leaves_room_for_others_and_nothing_is_kept_of_those_who_are_gone() {
        let places = ConcurrencyLimit::new(4, 2);
        let taken = [places.take("a"), places.take("a"), places.take("a"), places.take("b"), places.take("c")];
        let has = taken.each_ref().map(Option::is_some);
        assert_eq!(has, [true, true, false, true, true]);
        assert!(places.take("d").is_none(), "there are no more in total");
        assert!(places.take_without_key().is_none());
        drop(taken);
        assert_eq!(places.held(), 0);
        assert!(places.held.lock().by_key.is_empty());
        let without = [(); 3].map(|()| places.take_without_key());
        assert!(without.iter().all(Option::is_some), "the bound of a key is not theirs");
    }
    #[test]
    fn a_permit_grows_within_both_bounds_and_gives_all_of_it_back() {
        let bytes = ConcurrencyLimit::new(10, 6);
        let (mut ann, mut also_ann, mut ben) = (bytes.none(Some("a")), bytes.none(Some("a")), bytes.none(Some("b")));
        assert!(ann.grow(4) && !also_ann.grow(3), "they are one key's");
        assert!(also_ann.grow(2) && ben.grow(4) && !ben.grow(1), "there are no more in total");
        assert_eq!((ann.count(), bytes.held()), (4, 10));
        ann.clear();
        assert!(ben.grow(1));
        drop((ann, also_ann, ben));
        assert!(bytes.held() == 0 && bytes.held.lock().by_key.is_empty());
    }
}
