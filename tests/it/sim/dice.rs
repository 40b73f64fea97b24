//! Chance that comes again with its seed (SplitMix64, Steele, Lea and Flood 2014).

/// Chance that comes again with its seed.
#[derive(Debug, Clone)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 up to this, exclusive.
    pub(super) fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }

    /// Dice of their own for somebody else.
    pub(super) fn split(&mut self) -> Self {
        Self(self.next())
    }

    pub(super) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        let index = self.below(of.len() as u64);
        &of[usize::try_from(index).expect("is small")]
    }
}
