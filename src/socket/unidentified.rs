//! Connections of which nobody has said yet who they are, by address: somebody without a token must not take the places
//! of those who have one.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::protocol::{Code, Problem};

/// How many unidentified connections each address has.
#[derive(Debug, Default)]
pub(super) struct Unidentified(Mutex<HashMap<IpAddr, usize>>);

/// One of them; it counts until it is dropped.
pub(super) struct UnidentifiedPlace {
    all: Arc<Unidentified>,
    address: IpAddr,
}

impl Unidentified {
    /// Count one more from this address, unless it has `max` already.
    pub(super) fn admit(self: &Arc<Self>, address: IpAddr, max: usize) -> Result<UnidentifiedPlace, Problem> {
        let mut counts = self.0.lock();
        let count = counts.entry(address).or_default();
        if *count >= max {
            let words = "too many connections from this address have not said who they are; send hello on those first";
            return Err(Problem::new(Code::RateLimited, words).retry_after(1_000));
        }
        *count += 1;
        Ok(UnidentifiedPlace { all: self.clone(), address })
    }
}

impl Drop for UnidentifiedPlace {
    fn drop(&mut self) {
        let mut counts = self.all.0.lock();
        if let Some(count) = counts.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.address);
            }
        }
    }
}
