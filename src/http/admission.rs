//! Places for requests: strangers have few of their own, nobody has all of them, and what is not there yet needs none.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::Extensions;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{ClientAddress, HttpSettings};
use crate::identity::Participant;
use crate::kernel::ParticipantId;
use crate::limits::{ConcurrencyLimit, ConcurrencyPermit};
use crate::node::Node;
use crate::protocol::{Code, Problem};

/// Nobody has more than this part of the places.
const PART: usize = 8;
/// Nor has one address more than this part of the places of strangers, and of those in which identities are looked up.
const ADDRESS_PART: usize = 4;

/// Who sends a request, as far as limits go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sender {
    /// Somebody with an identity.
    Participant(ParticipantId),
    /// Nobody known, by address.
    Stranger(IpAddr),
}

/// Places for requests under way.
#[derive(Debug)]
pub struct Admission {
    lookups: Arc<ConcurrencyLimit<IpAddr>>,
    requests: Pool,
    bodies: Pool,
    buffer: Arc<Semaphore>,
}

/// Places of two kinds, so that strangers take none from participants.
#[derive(Debug, Clone)]
struct Pool {
    participants: Arc<ConcurrencyLimit<ParticipantId>>,
    strangers: Arc<ConcurrencyLimit<IpAddr>>,
}

#[derive(Debug)]
enum Held {
    Participant(#[allow(dead_code, reason = "held, not read")] ConcurrencyPermit<ParticipantId>),
    Stranger(#[allow(dead_code, reason = "held, not read")] ConcurrencyPermit<IpAddr>),
}

/// The place of a request, as a request extension. It is given back while the body is on its way: bodies that never come
/// would take every place.
#[derive(Debug, Clone)]
pub(crate) struct RequestPlace {
    pool: Pool,
    sender: Sender,
    held: Arc<Mutex<(Option<Held>, Option<OwnedSemaphorePermit>)>>,
}

impl Sender {
    /// Who sent the request with these extensions.
    pub(crate) fn of(extensions: &Extensions) -> Option<Self> {
        match extensions.get::<Participant>() {
            Some(participant) => Some(Self::Participant(participant.id)),
            None => extensions.get::<ClientAddress>().map(|address| Self::Stranger(address.network())),
        }
    }
}

impl Pool {
    fn new(participants: usize, strangers: usize) -> Self {
        Self {
            participants: ConcurrencyLimit::new(participants, participants.div_ceil(PART)),
            strangers: ConcurrencyLimit::new(strangers, strangers.div_ceil(ADDRESS_PART)),
        }
    }

    fn take(&self, sender: Sender) -> Result<Held, Problem> {
        let held = match sender {
            Sender::Participant(who) => self.participants.take(who).map(Held::Participant),
            Sender::Stranger(address) => self.strangers.take(address).map(Held::Stranger),
        };
        held.ok_or_else(busy)
    }
}

impl Admission {
    /// As the settings say.
    pub fn new(settings: &HttpSettings) -> Self {
        let (requests, strangers) = (settings.concurrent_requests, settings.max_stranger_requests);
        Self {
            lookups: ConcurrencyLimit::new(requests, requests.div_ceil(ADDRESS_PART)),
            requests: Pool::new(requests, strangers),
            bodies: Pool::new(requests, strangers),
            buffer: Arc::new(Semaphore::new(settings.max_buffered_bytes.div_ceil(KIB))),
        }
    }

    /// A place while somebody is looked up.
    pub(super) fn lookup(&self, address: ClientAddress) -> Result<ConcurrencyPermit<IpAddr>, Problem> {
        self.lookups.take(address.network()).ok_or_else(busy)
    }

    /// Memory for so many more bytes of bodies.
    pub(super) fn buffer(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Problem> {
        let kib = u32::try_from(bytes.div_ceil(KIB)).unwrap_or(u32::MAX);
        self.buffer.clone().try_acquire_many_owned(kib).map_err(|_| busy())
    }

    /// A place for a body on its way.
    pub(super) fn body(&self, sender: Sender) -> Result<impl Send + use<>, Problem> {
        self.bodies.take(sender)
    }
}

/// Bytes that one permit of the buffer stands for.
const KIB: usize = 1024;

impl RequestPlace {
    /// Give the place back while the body is read.
    pub(super) fn pause(&self) {
        self.held.lock().0 = None;
    }

    /// Take a place again for what was read, which is in memory until the request is answered.
    pub(super) fn resume(&self, buffered: Option<OwnedSemaphorePermit>) -> Result<(), Problem> {
        let place = self.pool.take(self.sender)?;
        *self.held.lock() = (Some(place), buffered);
        Ok(())
    }
}

/// A place for the request until it is answered; where there is none it is told to come back. What follows the head of
/// an answer, as a stream does, needs no place.
pub(super) async fn place(State(node): State<Arc<Node>>, mut request: Request, next: Next) -> Response {
    let Some(sender) = Sender::of(request.extensions()) else { return next.run(request).await };
    let place = RequestPlace { pool: node.admission.requests.clone(), sender, held: Arc::default() };
    if let Err(problem) = place.resume(None) {
        return problem.into_response();
    }
    request.extensions_mut().insert(place.clone());
    let response = next.run(request).await;
    place.held.lock().0 = None;
    response
}

fn busy() -> Problem {
    Problem::new(Code::Busy, "too many requests are under way, in total or of yours; try again").retry_after(500)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admission() -> Admission {
        let settings = HttpSettings { concurrent_requests: 16, max_stranger_requests: 8, ..HttpSettings::default() };
        Admission::new(&settings)
    }

    fn participant(number: u128) -> Sender {
        Sender::Participant(ParticipantId(uuid::Uuid::from_u128(number)))
    }

    #[test]
    fn strangers_take_nothing_from_participants_and_nobody_takes_all() {
        let pool = admission().requests;
        let stranger = |last| Sender::Stranger(IpAddr::from([192, 0, 2, last]));
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
        let pool = Pool::new(1, 1);
        let place = RequestPlace { pool: pool.clone(), sender: participant(1), held: Arc::default() };
        place.resume(None).expect("there is one");
        assert!(pool.take(participant(2)).is_err());
        place.pause();
        let other = pool.take(participant(2)).expect("is free meanwhile");
        place.resume(None).expect_err("somebody else has it");
        drop(other);
        place.resume(None).expect("is free");
    }

    #[test]
    fn bodies_have_so_much_memory_together() {
        let settings = HttpSettings { max_buffered_bytes: 4096, ..HttpSettings::default() };
        let admission = Admission::new(&settings);
        let held = admission.buffer(4000).expect("is there");
        admission.buffer(1).expect_err("there is no more");
        drop(held);
        drop(admission.buffer(1).expect("is there"));
    }
}
