//! The calls under way on one connection: so that a question of the server gets to the people whose call it is about.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use rmcp::model::RequestId;
use rmcp::service::InboundStreamOrigin;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::super::Place;
use crate::kernel::SessionId;

/// By the order in which they began.
#[derive(Default)]
pub(super) struct UnderWay(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    next: u64,
    under_way: BTreeMap<u64, Call>,
    left: Left,
}

/// The sessions whose calls ended here without an answer: the server may still be at work for them, and ask.
#[derive(Default)]
enum Left {
    #[default]
    Nobody,
    One(SessionId),
    Several,
}

impl Left {
    fn and(&self, session: SessionId) -> Self {
        match self {
            Self::Nobody => Self::One(session),
            Self::One(known) if *known == session => Self::One(session),
            _ => Self::Several,
        }
    }
}

/// One of them.
#[derive(Clone)]
pub(super) struct Call {
    pub(super) place: Place,
    request: Option<RequestId>,
    /// Cancelled with its end.
    pub(super) over: CancellationToken,
}

/// Holds a call's entry until it ends.
pub(super) struct Entered {
    calls: Arc<UnderWay>,
    number: u64,
    call: Call,
    answered: bool,
    _over: DropGuard,
}

impl UnderWay {
    pub(super) fn enter(self: &Arc<Self>, place: Place) -> Entered {
        let mut inner = self.0.lock();
        let number = inner.next;
        inner.next += 1;
        let over = CancellationToken::new();
        let call = Call { place, request: None, over: over.clone() };
        inner.under_way.insert(number, call.clone());
        Entered { calls: Arc::clone(self), number, call, answered: false, _over: over.drop_guard() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.lock().under_way.is_empty()
    }

    /// The call that a question is about: the one whose stream it came on. Where that is not said, as over pipes, any call
    /// will do while all that the server can be at work for are of one session; else it is not known, and nobody may be
    /// asked in a stranger's name.
    pub(super) fn asked_by(&self, origin: Option<&InboundStreamOrigin>) -> Option<Call> {
        let inner = self.0.lock();
        let of = |call: &&Call| match origin {
            Some(InboundStreamOrigin::OutboundRequest(request)) => call.request.as_ref() == Some(request),
            _ => false,
        };
        if let Some(call) = inner.under_way.values().find(of) {
            return Some(call.clone());
        }
        // Of a stream's calls, one that is being sent is not known by its number yet.
        let may = |call: &&Call| origin.is_none() || call.request.is_none();
        let last = inner.under_way.values().rfind(may)?;
        let session = last.place.session;
        let one_session = inner.under_way.values().filter(may).all(|call| call.place.session == session);
        (one_session && matches!(inner.left.and(session), Left::One(_))).then(|| last.clone())
    }
}

impl Entered {
    pub(super) fn call(&self) -> &Call {
        &self.call
    }

    /// The server has answered, so it asks no more.
    pub(super) fn answered(&mut self) {
        self.answered = true;
    }

    /// Under this number it was sent.
    pub(super) fn sent(&self, request: RequestId) {
        if let Some(call) = self.calls.0.lock().under_way.get_mut(&self.number) {
            call.request = Some(request);
        }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        let mut inner = self.calls.0.lock();
        inner.under_way.remove(&self.number);
        if !self.answered {
            inner.left = inner.left.and(self.call.place.session);
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use crate::kernel::CallId;
    use crate::tool::{Nobody, Stopwatch};

    use super::*;

    fn place(session: u128) -> Place {
        Place {
            people: Arc::new(Nobody),
            watch: Stopwatch::default(),
            session: SessionId(Uuid::from_u128(session)),
            agent: "helper".parse().expect("a name"),
            call: CallId(1),
            code: vec![],
            knowledge: vec![],
            files: vec![],
        }
    }

    #[test]
    fn a_question_is_of_the_call_whose_stream_it_came_on() {
        let calls = Arc::new(UnderWay::default());
        let (first, mut second) = (calls.enter(place(1)), calls.enter(place(2)));
        first.sent(RequestId::Number(7));
        second.sent(RequestId::Number(8));
        let of = |number| InboundStreamOrigin::OutboundRequest(RequestId::Number(number));
        let asked =
            |origin: Option<InboundStreamOrigin>| calls.asked_by(origin.as_ref()).map(|call| call.place.session);
        assert_eq!(asked(Some(of(7))), Some(place(1).session));
        assert_eq!(asked(Some(of(8))), Some(place(2).session));
        assert_eq!((asked(None), asked(Some(of(9)))), (None, None));
        second.answered();
        drop(second);
        assert_eq!((asked(None), asked(Some(of(9)))), (Some(place(1).session), None));
        // The server may still be at work for a call that was given up, and ask for it over the same pipe.
        drop(calls.enter(place(2)));
        assert_eq!((asked(None), asked(Some(of(7)))), (None, Some(place(1).session)));
        drop(first);
        assert!(asked(None).is_none() && calls.is_empty());
    }
}
