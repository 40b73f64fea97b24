//! Server-sent events of a session: the frames of the socket, for clients that only watch.

use std::convert::Infallible;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::Stream;
use futures_util::stream::unfold;
use schemars::JsonSchema;
use serde::Deserialize;

use super::extract::QueryParameters;
use super::session_access::SessionAccess;
use crate::feed::{Feed, JsonViewer};
use crate::identity::{CredentialProof, Participant};
use crate::kernel::SessionId;
use crate::node::Node;
use crate::protocol::{Code, Problem, ServerFrame};
use crate::socket::ConnectionCountGuard;

/// Query of an event stream.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EventParameters {
    /// Seq of the last event that the client has, for example 1041. `Last-Event-ID` takes precedence. Default 0.
    after: Option<u64>,
}

/// Streams the events after `Last-Event-ID` (or `after`, or from the beginning), then live frames. The `id` of an event
/// is its seq. Deltas and signals have no `id`, so a reconnecting client resumes after the last durable event and gets
/// the rest from the feed. Except when the server stops, the last frame is `closing`, with the reason.
pub(super) async fn events(
    State(node): State<Arc<Node>>,
    SessionAccess { who, session, .. }: SessionAccess,
    QueryParameters(parameters): QueryParameters<EventParameters>,
    Extension(proof): Extension<CredentialProof>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let (feed, _) = node.access.feed(&who, session).await?;
    let counted = admit(&node, &who).await?;
    let after = last_event_id(&headers)?.or(parameters.after).unwrap_or(0);
    if !feed.covers(after).await? {
        let message = format!("the log ends at {}; send a lower seq, or none for all events", feed.head());
        return Err(Problem::new(Code::InvalidArgument, message));
    }
    let watch = watch(&feed, &who, after);
    let held = node.revocations.hold(proof.hash);
    let frames = unfold(Some((watch, held, counted)), move |open| async move {
        let (mut watch, held, counted) = open?;
        let before = watch.seq();
        let frame = tokio::select! {
            frame = watch.next() => frame.map_err(|end| end.closing(session)),
            () = held.over().cancelled() => match held.is_revoked() {
                true => Err(revoked(session)),
                // The server is stopping. The client reconnects, to another node or to the next process.
                false => return None,
            },
        };
        match frame {
            Ok(frame) => {
                let event = event(&frame);
                let event = if watch.seq() == before { event } else { event.id(watch.seq().to_string()) };
                Some((Ok(event), Some((watch, held, counted))))
            }
            Err(closing) => Some((Ok(event(&closing.encode())), None)),
        }
    });
    Ok(Sse::new(frames).keep_alive(keep_alive(&node)))
}

fn event(frame: &[u8]) -> Event {
    Event::default().data(String::from_utf8_lossy(frame))
}

/// Returns the last frame of a stream whose credential has ended.
fn revoked(session: SessionId) -> ServerFrame {
    let message = "the token or sign-in has ended; sign in again, or get a new token";
    ServerFrame::Closing { session, code: Code::Unauthenticated.as_str().into(), message: message.into() }
}

/// Returns the client's position in an earlier stream, from `Last-Event-ID`, or `None` if the request does not resume a
/// stream.
pub(crate) fn last_event_id<T: FromStr>(headers: &HeaderMap) -> Result<Option<T>, Problem> {
    let Some(last) = headers.get("last-event-id").filter(|last| !last.is_empty()) else { return Ok(None) };
    let last = last.to_str().ok().and_then(|last| last.parse().ok());
    last.map(Some).ok_or_else(|| {
        let message = "Last-Event-ID is invalid; send the id of the last event that you received, or leave it out";
        Problem::new(Code::InvalidArgument, message)
    })
}

/// Counts a stream as a connection that joins a session.
pub(crate) async fn admit(node: &Node, who: &Participant) -> Result<ConnectionCountGuard, Problem> {
    let counted = node.sockets.admit()?;
    node.dispatcher.limits.join(who)?;
    node.dispatcher.limits.join_everywhere(who).await?;
    Ok(counted)
}

/// Creates a viewer of a feed for a participant. It ends when the participant leaves the session, unless they can watch
/// every session.
pub(crate) fn watch(feed: &Arc<Feed>, who: &Participant, after: u64) -> JsonViewer {
    let watch = feed.watch_as(who.id, &who.actor(), after);
    if who.granted_role().is_some() { watch.without_revocation() } else { watch }
}

/// Returns the setting for regular comments, which prevent proxies from closing a silent stream.
pub(crate) fn keep_alive(node: &Node) -> KeepAlive {
    KeepAlive::new().interval(Duration::from_secs(node.config.http.keep_alive_seconds))
}
