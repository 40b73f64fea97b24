//! Fence of the claim to a session.

/// The right to write a session's log. Each claim gets a higher fence, and a writer with a lower one cannot write (law
/// 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Fence(pub u64);

impl Fence {
    /// Returns the fence of the next claim.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}
