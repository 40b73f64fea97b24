//! Pages of lists: `page` and `size` in a query.

use crate::protocol::{Code, Problem};

/// Page of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PageNumber {
    /// Number of the page, from 1.
    pub(super) page: u32,
    /// Maximum number of entries on a page.
    pub(super) size: u32,
}

impl PageNumber {
    /// Maximum of `size`.
    pub(super) const MAX_SIZE: u32 = 100;
    const DEFAULT_SIZE: u32 = 20;

    /// Returns the page that a query requests.
    ///
    /// # Errors
    /// `invalid_argument` if a number is out of bounds.
    pub(super) fn new(page: Option<u32>, size: Option<u32>) -> Result<Self, Problem> {
        let (page, size) = (page.unwrap_or(1), size.unwrap_or(Self::DEFAULT_SIZE));
        if page == 0 || !(1..=Self::MAX_SIZE).contains(&size) {
            let max = Self::MAX_SIZE;
            let message = format!("in the query string: page must be at least 1, and size from 1 to {max}");
            return Err(Problem::new(Code::InvalidArgument, message));
        }
        Ok(Self { page, size })
    }

    /// Returns the number of entries before the page.
    pub(super) fn offset(self) -> u64 {
        u64::from(self.page - 1) * u64::from(self.size)
    }
}
