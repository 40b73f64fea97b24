//! Unidentified connections, counted by client address: an IPv4 address, or the /64 network of an IPv6 address. Clients
//! without a token must not take the slots of clients that have one.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::protocol::{Code, Problem};

/// Number of unidentified connections per IPv4 address or IPv6 network.
#[derive(Debug, Default)]
pub(super) struct UnidentifiedConnections(Mutex<HashMap<IpAddr, usize>>);

/// Guard that counts one unidentified connection until the guard is dropped.
pub(super) struct UnidentifiedPermit {
    all: Arc<UnidentifiedConnections>,
    address: IpAddr,
}

impl UnidentifiedConnections {
    /// Counts a connection from this address. Fails if the address already has `max` connections.
    pub(super) fn admit(self: &Arc<Self>, address: IpAddr, max: usize) -> Result<UnidentifiedPermit, Problem> {
        let mut counts = self.0.lock();
        let count = counts.entry(address).or_default();
        if *count >= max {
            let message = "too many unidentified connections from this address; send hello on those first";
            return Err(Problem::new(Code::RateLimited, message).retry_after(1_000));
        }
        *count += 1;
        Ok(UnidentifiedPermit { all: self.clone(), address })
    }
}

impl Drop for UnidentifiedPermit {
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
