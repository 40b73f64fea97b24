//! Limits on concurrent requests. Unidentified clients have a few separate slots, no participant and no address can
//! take all slots, and a request whose body has not arrived needs none. The concurrency limit and load shedding of
//! `tower` have one limit for all requests, and hold a slot until the response.

use std::net::IpAddr;
use std::sync::Arc;

use axum::http::Extensions;
use parking_lot::Mutex;

use super::{ConcurrencyLimit, ConcurrencyPermit};
use crate::identity::Participant;
use crate::kernel::ParticipantId;
use crate::network::{ClientAddress, HttpSettings};
use crate::protocol::{Code, Problem};

/// Divisor that yields the share of one participant from the number of slots.
const SENDER_SHARE: usize = 8;
/// Divisor that yields the share of one address from the number of slots of unidentified clients, and from the number
/// of slots for identity lookups.
const ADDRESS_SHARE: usize = 4;

/// Sender of a request, as the key of limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestSender {
    /// Participant with an identity.
    Participant(ParticipantId),
    /// Unidentified client, by address.
    Stranger(IpAddr),
}

/// Limits on concurrent requests.
#[derive(Debug)]
pub struct RequestAdmission {
    lookups: Arc<ConcurrencyLimit<IpAddr>>,
    requests: PermitPool,
    bodies: PermitPool,
    /// Memory for bodies, in bytes.
    buffer: PermitPool,
}

/// Slots of two kinds, so that unidentified clients take none from participants. In the pool for body memory, a slot is
/// a byte.
#[derive(Debug, Clone)]
struct PermitPool {
    participants: Arc<ConcurrencyLimit<ParticipantId>>,
    strangers: Arc<ConcurrencyLimit<IpAddr>>,
}

#[derive(Debug)]
enum SenderPermit {
    Participant(ConcurrencyPermit<ParticipantId>),
    Stranger(ConcurrencyPermit<IpAddr>),
}

/// Memory of one body. The first [`FREE_BYTES`] do not count.
#[derive(Debug)]
pub(crate) struct BodyMemory(SenderPermit);

/// Number of bytes of every body that do not count toward the memory limit, so that a command always fits, in
/// particular one that stops a run. The slots limit the number of such bodies.
const FREE_BYTES: usize = 4 << 10;

/// Slot of a request, as a request extension. It is released while the body arrives. Otherwise, bodies that never
/// arrive would take all slots.
#[derive(Debug, Clone)]
pub(crate) struct RequestPermit {
    pool: PermitPool,
    sender: RequestSender,
    held: Arc<Mutex<(Option<SenderPermit>, Option<BodyMemory>)>>,
}

impl RequestSender {
    /// Returns the sender of the request with these extensions, or `None` if they contain neither a participant nor an
    /// address.
    pub(crate) fn of(extensions: &Extensions) -> Option<Self> {
        match extensions.get::<Participant>() {
            Some(participant) => Some(Self::Participant(participant.id)),
            None => extensions.get::<ClientAddress>().map(|address| Self::Stranger(address.network())),
        }
    }
}

impl PermitPool {
    fn new(participants: usize, strangers: usize) -> Self {
        Self {
            participants: ConcurrencyLimit::new(participants, participants.div_ceil(SENDER_SHARE)),
            strangers: ConcurrencyLimit::new(strangers, strangers.div_ceil(ADDRESS_SHARE)),
        }
    }

    /// Creates the pool for body memory. A sender can always use the memory of the largest body, even if its share is
    /// smaller.
    fn of_bytes(settings: &HttpSettings) -> Self {
        let (max, body) = (settings.max_buffered_bytes, settings.max_body_bytes);
        let strangers = max.div_ceil(SENDER_SHARE).max(body);
        Self {
            participants: ConcurrencyLimit::new(max, max.div_ceil(SENDER_SHARE).max(body)),
            strangers: ConcurrencyLimit::new(strangers, strangers.div_ceil(ADDRESS_SHARE).max(body)),
        }
    }

    fn take(&self, sender: RequestSender) -> Result<SenderPermit, Problem> {
        let mut held = self.none(sender);
        if held.grow(1) { Ok(held) } else { Err(busy_problem()) }
    }

    fn none(&self, sender: RequestSender) -> SenderPermit {
        match sender {
            RequestSender::Participant(who) => SenderPermit::Participant(self.participants.none(Some(who))),
            RequestSender::Stranger(address) => SenderPermit::Stranger(self.strangers.none(Some(address))),
        }
    }
}

impl SenderPermit {
    fn count(&self) -> usize {
        match self {
            Self::Participant(permit) => permit.count(),
            Self::Stranger(permit) => permit.count(),
        }
    }

    fn grow(&mut self, more: usize) -> bool {
        match self {
            Self::Participant(permit) => permit.grow(more),
            Self::Stranger(permit) => permit.grow(more),
        }
    }
}

impl BodyMemory {
    /// Reserves memory for a body of this size, in bytes.
    ///
    /// # Errors
    /// Fails with `busy` if there is not enough memory.
    pub(crate) fn grow_to(&mut self, bytes: usize) -> Result<(), Problem> {
        let more = bytes.saturating_sub(FREE_BYTES).saturating_sub(self.0.count());
        if self.0.grow(more) {
            return Ok(());
        }
        let message = "request bodies use too much memory, in total or yours; retry later";
        Err(Problem::new(Code::Busy, message).retry_after(500))
    }
}

impl RequestAdmission {
    /// Creates the limits from the settings.
    pub fn new(settings: &HttpSettings) -> Self {
        let (requests, strangers) = (settings.max_concurrent_requests, settings.max_stranger_requests);
        Self {
            lookups: ConcurrencyLimit::new(requests, requests.div_ceil(ADDRESS_SHARE)),
            requests: PermitPool::new(requests, strangers),
            bodies: PermitPool::new(requests, strangers),
            buffer: PermitPool::of_bytes(settings),
        }
    }

    /// Takes a slot for an identity lookup.
    ///
    /// # Errors
    /// Fails with `busy` if there is no slot.
    pub(crate) fn lookup(&self, address: ClientAddress) -> Result<ConcurrencyPermit<IpAddr>, Problem> {
        self.lookups.take(address.network()).ok_or_else(busy_problem)
    }

    /// Takes a slot for a request.
    ///
    /// # Errors
    /// Fails with `busy` if there is no slot.
    pub(crate) fn request(&self, sender: RequestSender) -> Result<RequestPermit, Problem> {
        let place = RequestPermit { pool: self.requests.clone(), sender, held: Arc::default() };
        place.resume(None)?;
        Ok(place)
    }

    /// Returns the memory for a body of this sender. No bytes are reserved yet.
    pub(crate) fn memory(&self, sender: RequestSender) -> BodyMemory {
        BodyMemory(self.buffer.none(sender))
    }

    /// Takes a slot for an arriving body.
    ///
    /// # Errors
    /// Fails with `busy` if there is no slot.
    pub(crate) fn body(&self, sender: RequestSender) -> Result<impl Send + use<>, Problem> {
        self.bodies.take(sender)
    }
}

impl RequestPermit {
    /// Releases the slot, while the body is read or after the response.
    pub(crate) fn pause(&self) {
        self.held.lock().0 = None;
    }

    /// Takes a slot again after the body was read. The memory `buffered` stays reserved until the response.
    ///
    /// # Errors
    /// Fails with `busy` if there is no slot.
    pub(crate) fn resume(&self, buffered: Option<BodyMemory>) -> Result<(), Problem> {
        let place = self.pool.take(self.sender)?;
        *self.held.lock() = (Some(place), buffered);
        Ok(())
    }
}

fn busy_problem() -> Problem {
    Problem::new(Code::Busy, "too many concurrent requests, in total or from you; retry later").retry_after(500)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admission() -> RequestAdmission {
        let settings =
            HttpSettings { max_concurrent_requests: 16, max_stranger_requests: 8, ..HttpSettings::default() };
        RequestAdmission::new(&settings)
    }

    fn participant(number: u128) -> RequestSender {
        RequestSender::Participant(ParticipantId(uuid::Uuid::from_u128(number)))
    }

    #[test]
    fn strangers_take_nothing_from_participants_and_nobody_takes_all() {
        let pool = admission().requests;
        let stranger = |last| RequestSender::Stranger(IpAddr::from([192, 0, 2, last]));
        let held: Vec<_> = (0..9).map(|_| pool.take(stranger(1))).collect();
        assert_eq!(held.iter().filter(|held| held.is_ok()).count(), 2, "one address has a part of them");
        let others: Vec<_> = (2..9).map(|last| pool.take(stranger(last))).collect();
        assert_eq!(others.iter().filter(|held| held.is_ok()).count(), 6);
        let ann: Vec<_> = (0..9).map(|_| pool.take(participant(1))).collect();
        assert_eq!(ann.iter().filter(|held| held.is_ok()).count(), 2, "one participant has a part of them");
        assert!(pool.take(participant(2)).is_ok());
    }

    #[test]
    fn a_request_whose_body_is_on_its_way_leaves_its_place_to_others() {
        let pool = PermitPool::new(1, 1);
        let place = RequestPermit { pool: pool.clone(), sender: participant(1), held: Arc::default() };
        place.resume(None).expect("there is one");
        assert!(pool.take(participant(2)).is_err());
        place.pause();
        let other = pool.take(participant(2)).expect("is free meanwhile");
        place.resume(None).expect_err("somebody else has it");
        drop(other);
        place.resume(None).expect("is free");
    }

    #[test]
    fn bodies_have_so_much_memory_together_and_nobody_has_all_of_it() {
        let settings =
            HttpSettings { max_buffered_bytes: 64 << 10, max_body_bytes: 4 << 10, ..HttpSettings::default() };
        let admission = RequestAdmission::new(&settings);
        let memory = |sender, bytes| {
            let mut memory = admission.memory(sender);
            memory.grow_to(bytes).map(|()| memory)
        };
        // A participant's eighth holds two bodies with 4 KiB beyond the free part.
        let large = 8 << 10;
        let of_one = [1; 3].map(|who| memory(participant(who), large));
        assert_eq!(of_one.each_ref().map(Result::is_ok), [true, true, false]);
        memory(participant(1), FREE_BYTES).expect("a small body always fits");
        let others: Vec<_> = (4..20).map(|number| memory(participant(number / 2), large)).collect();
        assert_eq!(others.iter().filter(|held| held.is_ok()).count(), 14, "there is no more in total");
        let stranger = |last| RequestSender::Stranger(IpAddr::from([192, 0, 2, last]));
        let strangers = [1, 1, 2, 3].map(|last| memory(stranger(last), large));
        let fit = strangers.each_ref().map(Result::is_ok);
        assert_eq!(fit, [true, false, true, false], "theirs is apart, and less");
        drop(of_one);
        drop(memory(participant(11), large).expect("is there again"));
    }
}
