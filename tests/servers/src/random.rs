//! Chance that a seed repeats: SplitMix64 (Steele, Lea and Flood 2014), so that a plan is the same for ever, whatever a
//! library does.

/// A stream of numbers.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A stream of its own for somebody, drawn from this one.
    pub fn split(&mut self) -> Self {
        Self(self.draw())
    }

    /// A stream of its own for one actor: what the others draw, and when, does not change it.
    pub fn of(seed: u64, actor: u64) -> Self {
        let mut random = Self(seed ^ actor.wrapping_mul(0xd134_2543_de82_ef95));
        Self(random.draw())
    }

    /// Any number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From `low` up to and without `high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.draw() % (high - low)
    }

    /// From 0 up to and without `most`.
    pub fn below(&mut self, most: u64) -> u64 {
        self.between(0, most)
    }

    /// One of these.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.index(of.len())]
    }

    /// An index of so many.
    pub fn index(&mut self, len: usize) -> usize {
        self.between(0, len as u64) as usize
    }

    /// True in so many of a hundred.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.between(0, 100) < percent
    }
}
