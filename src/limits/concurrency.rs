//! Bounds on how much is under way at once, in total and for one key: an address, a participant.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use parking_lot::Mutex;

/// Bound on what is under way at once.
#[derive(Debug)]
pub struct ConcurrencyLimit<K> {
    max: usize,
    max_per_key: usize,
    held: Mutex<Held<K>>,
}

#[derive(Debug)]
struct Held<K> {
    total: usize,
    by_key: HashMap<K, usize>,
}

/// A place that is held until this is dropped.
#[derive(Debug)]
pub struct ConcurrencyPermit<K: Hash + Eq> {
    places: Arc<ConcurrencyLimit<K>>,
    key: Option<K>,
}

impl<K: Hash + Eq + Clone> ConcurrencyLimit<K> {
    /// So many places in total, and so many for one key.
    pub fn new(max: usize, max_per_key: usize) -> Arc<Self> {
        let held = Mutex::new(Held { total: 0, by_key: HashMap::new() });
        Arc::new(Self { max, max_per_key, held })
    }

    /// A place for this key, if there is one.
    pub fn take(self: &Arc<Self>, key: K) -> Option<ConcurrencyPermit<K>> {
        let mut held = self.held.lock();
        let of_key = held.by_key.get(&key).copied().unwrap_or(0);
        if held.total >= self.max || of_key >= self.max_per_key {
            return None;
        }
        held.total += 1;
        held.by_key.insert(key.clone(), of_key + 1);
        Some(ConcurrencyPermit { places: self.clone(), key: Some(key) })
    }

    /// A place that counts in total only.
    pub fn take_without_key(self: &Arc<Self>) -> Option<ConcurrencyPermit<K>> {
        let mut held = self.held.lock();
        if held.total >= self.max {
            return None;
        }
        held.total += 1;
        Some(ConcurrencyPermit { places: self.clone(), key: None })
    }

    /// How many places are held.
    pub fn held(&self) -> usize {
        self.held.lock().total
    }
}

impl<K: Hash + Eq> Drop for ConcurrencyPermit<K> {
    fn drop(&mut self) {
        let mut held = self.places.held.lock();
        held.total -= 1;
        let Some(key) = &self.key else { return };
        if let Some(of_key) = held.by_key.get_mut(key) {
            *of_key -= 1;
            // Else whoever was here once would be remembered for ever.
            if *of_key == 0 {
                held.by_key.remove(key);
            }
        }
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
}
