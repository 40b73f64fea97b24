//! The calls under way on one connection: so that a question of the server gets to the people whose call it is about.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use rmcp::model::RequestId;
use rmcp::service::InboundStreamOrigin;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::super::Place;

/// By the order in which they began.
#[derive(Default)]
pub(super) struct UnderWay(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    next: u64,
    under_way: BTreeMap<u64, Call>,
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
        Entered { calls: Arc::clone(self), number, call, _over: over.drop_guard() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.lock().under_way.is_empty()
    }

    /// The call that a question is about: the one whose stream it came on. Where no stream says so, as over pipes, any
    /// call will do while all of them are of one session; else it is not known, and nobody may be asked in a stranger's
    /// name.
    pub(super) fn asked_by(&self, origin: Option<&InboundStreamOrigin>) -> Option<Call> {
        let inner = self.0.lock();
        if let Some(InboundStreamOrigin::OutboundRequest(request)) = origin {
            let exact = inner.under_way.values().find(|call| call.request.as_ref() == Some(request));
            if let Some(call) = exact {
                return Some(call.clone());
            }
        }
        let (_, last) = inner.under_way.last_key_value()?;
        let one_session = inner.under_way.values().all(|call| call.place.session == last.place.session);
        one_session.then(|| last.clone())
    }
}

impl Entered {
    pub(super) fn call(&self) -> &Call {
        &self.call
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
        self.calls.0.lock().under_way.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use crate::kernel::{CallId, SessionId};

    use super::*;

    fn place(session: u128) -> Place {
        Place {
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
        let (first, second) = (calls.enter(place(1)), calls.enter(place(2)));
        first.sent(RequestId::Number(7));
        second.sent(RequestId::Number(8));
        let of = |number| InboundStreamOrigin::OutboundRequest(RequestId::Number(number));
        let asked =
            |origin: Option<InboundStreamOrigin>| calls.asked_by(origin.as_ref()).map(|call| call.place.session);
        assert_eq!(asked(Some(of(7))), Some(place(1).session));
        assert_eq!(asked(Some(of(8))), Some(place(2).session));
        assert_eq!((asked(None), asked(Some(of(9)))), (None, None));
        drop(second);
        assert_eq!(asked(None), Some(place(1).session));
        drop(first);
        assert!(asked(None).is_none() && calls.is_empty());
    }
}
