//! A bounded list in a response.

/// The newest entries of a list, and the number of all its entries.
pub(super) struct NewestEntries<T> {
    pub(super) entries: Vec<T>,
    pub(super) total: u64,
    max: usize,
}

impl<T> NewestEntries<T> {
    pub(super) fn new(max: usize) -> Self {
        Self { entries: vec![], total: 0, max }
    }

    pub(super) fn push(&mut self, entry: T) {
        self.entries.push(entry);
        self.total += 1;
        self.entries.drain(..self.entries.len().saturating_sub(self.max));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_the_newest_entries_and_says_how_many_there_are() {
        let mut list = NewestEntries::new(3);
        (1..=5).for_each(|entry| list.push(entry));
        assert_eq!((list.entries, list.total), (vec![3, 4, 5], 5));
    }
}
