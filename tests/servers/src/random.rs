//! A seeded random number generator: SplitMix64 (Steele, Lea and Flood 2014), so that a plan always stays the same,
//! even if a library changes.

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Returns the stream for a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a separate stream, seeded from this one.
    pub fn split(&mut self) -> Self {
        Self(self.draw())
    }

    /// Returns a separate stream for one actor, which does not depend on what other actors draw, or when.
    pub fn of(seed: u64, actor: u64) -> Self {
        let mut random = Self(seed ^ actor.wrapping_mul(0xd134_2543_de82_ef95));
        Self(random.draw())
    }

    /// Returns a random number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number from `low` up to but not including `high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.draw() % (high - low)
    }

    /// Returns a number from 0 up to but not including `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.between(0, limit)
    }

    /// Returns one of these elements.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.index(of.len())]
    }

    /// Returns an index into a list of this length.
    pub fn index(&mut self, len: usize) -> usize {
        self.between(0, len as u64) as usize
    }

    /// Returns `true` in this percentage of calls.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.between(0, 100) < percent
    }
}
