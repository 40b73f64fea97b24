//! Calls in progress on one connection, used to send each question of the server to the people of the right call.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use rmcp::model::{ProgressToken, RequestId};
use rmcp::service::InboundStreamOrigin;
use tokio::time::{Duration, Instant};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::super::CallContext;
use crate::kernel::SessionId;

/// Calls in progress, in the order in which they started.
pub(super) struct InFlightCalls {
    /// Maximum time that the server is assumed to continue with a cancelled call.
    linger: Duration,
    calls: Mutex<InFlightState>,
}

#[derive(Default)]
struct InFlightState {
    next: u64,
    in_flight: BTreeMap<u64, InFlightCall>,
    /// Sessions whose calls ended here without a result, each with the time until which the server can still work on
    /// such a call and ask questions.
    left: BTreeMap<SessionId, Instant>,
}

/// A call in progress.
#[derive(Clone)]
pub(super) struct InFlightCall {
    pub(super) place: CallContext,
    request: Option<RequestId>,
    progress: Option<ProgressToken>,
    /// Token that is cancelled when the call ends.
    pub(super) over: CancellationToken,
}

/// Entry of a call. Dropping it removes the call.
pub(super) struct InFlightGuard {
    calls: Arc<InFlightCalls>,
    number: u64,
    call: InFlightCall,
    answered: bool,
    _guard: DropGuard,
}

impl InFlightCalls {
    pub(super) fn new(linger: Duration) -> Self {
        Self { linger, calls: Mutex::default() }
    }

    pub(super) fn enter(self: &Arc<Self>, place: CallContext) -> InFlightGuard {
        let mut calls = self.calls.lock();
        let number = calls.next;
        calls.next += 1;
        let over = CancellationToken::new();
        let call = InFlightCall { place, request: None, progress: None, over: over.clone() };
        calls.in_flight.insert(number, call.clone());
        drop(calls);
        InFlightGuard { calls: Arc::clone(self), number, call, answered: false, _guard: over.drop_guard() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.lock().in_flight.is_empty()
    }

    /// Returns the call that was sent with this progress token.
    pub(super) fn call_of_progress(&self, token: &ProgressToken) -> Option<InFlightCall> {
        self.calls.lock().in_flight.values().find(|call| call.progress.as_ref() == Some(token)).cloned()
    }

    /// Returns the call that a question belongs to: the call on whose stream the question arrived. For pipes, and for
    /// streams that belong to no call, this is not known. In that case, returns the latest call if all calls that the
    /// server can be working on belong to one session; otherwise `None`, so that nobody is asked about another
    /// session's call.
    pub(super) fn call_of_question(&self, origin: Option<&InboundStreamOrigin>) -> Option<InFlightCall> {
        let calls = self.calls.lock();
        let of = |call: &&InFlightCall| match origin {
            Some(InboundStreamOrigin::OutboundRequest(request)) => call.request.as_ref() == Some(request),
            _ => false,
        };
        if let Some(call) = calls.in_flight.values().find(of) {
            return Some(call.clone());
        }
        // A question on the stream of an unknown request can belong only to a call whose request id is not recorded
        // yet. A question on no call's stream, over pipes or on the connection's own event stream, can belong to any
        // call.
        let of_a_call = matches!(origin, Some(InboundStreamOrigin::OutboundRequest(_)));
        let may = |call: &&InFlightCall| !of_a_call || call.request.is_none();
        let last = calls.in_flight.values().rfind(may)?;
        let (session, now) = (last.place.session, Instant::now());
        let at_work = calls.in_flight.values().filter(may).map(|call| call.place.session);
        let left = calls.left.iter().filter(|(_, until)| **until > now).map(|(session, _)| *session);
        at_work.chain(left).all(|one| one == session).then(|| last.clone())
    }
}

impl InFlightGuard {
    pub(super) fn call(&self) -> &InFlightCall {
        &self.call
    }

    /// Records that the server has responded and therefore asks no more questions.
    pub(super) fn answered(&mut self) {
        self.answered = true;
    }

    /// Records the id of the request and the token that the server reports progress with.
    pub(super) fn sent(&self, request: RequestId, progress: ProgressToken) {
        if let Some(call) = self.calls.calls.lock().in_flight.get_mut(&self.number) {
            call.request = Some(request);
            call.progress = Some(progress);
        }
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        let (now, mut calls) = (Instant::now(), self.calls.calls.lock());
        calls.in_flight.remove(&self.number);
        calls.left.retain(|_, until| *until > now);
        if !self.answered {
            calls.left.insert(self.call.place.session, now + self.calls.linger);
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use crate::kernel::CallGuard;
    use crate::kernel::CallId;
    use crate::tool::{NoPeople, Stopwatch};

    use super::*;

    fn place(session: u128) -> CallContext {
        CallContext {
            people: Arc::new(NoPeople),
            watch: Stopwatch::default(),
            guard: CallGuard::default(),
            session: SessionId(Uuid::from_u128(session)),
            team: "team".into(),
            agent: "helper".parse().expect("a valid name"),
            call: CallId(1),
            code: vec![],
            knowledge: vec![],
            files: vec![],
            caused_by: None,
            python: crate::tool::PythonMeter::default(),
        }
    }

    fn token(number: i64) -> ProgressToken {
        ProgressToken(RequestId::Number(number))
    }

    #[tokio::test(start_paused = true)]
    async fn a_question_is_of_the_call_whose_stream_it_came_on() {
        let calls = Arc::new(InFlightCalls::new(Duration::from_secs(60)));
        let (first, mut second) = (calls.enter(place(1)), calls.enter(place(2)));
        first.sent(RequestId::Number(7), token(7));
        second.sent(RequestId::Number(8), token(8));
        let of_token = |number| calls.call_of_progress(&token(number)).map(|call| call.place.session);
        assert_eq!((of_token(7), of_token(9)), (Some(place(1).session), None));
        let of = |number| InboundStreamOrigin::OutboundRequest(RequestId::Number(number));
        let session_of = |origin: Option<InboundStreamOrigin>| {
            calls.call_of_question(origin.as_ref()).map(|call| call.place.session)
        };
        assert_eq!(session_of(Some(of(7))), Some(place(1).session));
        assert_eq!(session_of(Some(of(8))), Some(place(2).session));
        let unassociated = || Some(InboundStreamOrigin::Unassociated);
        assert_eq!((session_of(None), session_of(unassociated()), session_of(Some(of(9)))), (None, None, None));
        second.answered();
        drop(second);
        assert_eq!((session_of(None), session_of(Some(of(9)))), (Some(place(1).session), None));
        assert_eq!(session_of(unassociated()), Some(place(1).session));
        // The server can still be working on a cancelled call and ask a question for it over the same pipe.
        drop(calls.enter(place(2)));
        assert_eq!((session_of(None), session_of(Some(of(7)))), (None, Some(place(1).session)));
        tokio::time::advance(Duration::from_secs(60)).await;
        assert_eq!(session_of(None), Some(place(1).session), "by then it has stopped");
        drop(first);
        assert!(session_of(None).is_none() && calls.is_empty());
    }
}
