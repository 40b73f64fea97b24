//! One session that a connection has joined.

use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;

use super::Context as Server;
use super::outgoing::Outgoing;
use crate::feed::{Cursor, Replay, Step};
use crate::identity::Participant;
use crate::kernel::{LeaveReason, Role, SessionId, Timestamp};
use crate::protocol::{Problem, ServerFrame};

/// One session that a connection has joined.
pub(super) struct Session {
    pub(super) id: SessionId,
    pub(super) cursor: Cursor,
    /// On its way to the feed; absent once it follows the feed.
    pub(super) replay: Option<Box<Replay>>,
    /// `caught_up` was said.
    caught_up: bool,
    /// The viewer is no longer a participant, and has to be told.
    pub(super) ending: Option<LeaveReason>,
    /// It is over, and the client has been told.
    pub(super) over: bool,
}

/// A session just joined, with what its `joined` frame says.
pub(super) struct Joined {
    pub(super) session: Session,
    role: Role,
    head: u64,
    snapshot: Option<(u64, Bytes)>,
}

/// Join a session. Without `after`, or where the log does not go through it, from a snapshot.
pub(super) async fn join(
    server: Arc<Server>,
    who: Arc<Participant>,
    id: SessionId,
    after: Option<u64>,
    at: Option<Timestamp>,
) -> Result<Joined, Problem> {
    server.reception.limits.join_everywhere(who.id).await?;
    let (feed, role) = server.access.feed(&who, id).await?;
    let mut cursor = Cursor::new(feed.clone(), Some((who.id, &who.actor())));
    if who.standing.role().is_some() {
        cursor = cursor.irrevocable();
    }
    let reached = match after {
        Some(after) => feed.goes_through(after, at).await?,
        None => false,
    };
    let (head, snapshot, replay) = match after {
        Some(after) if reached => {
            let replay = Replay::after(&mut cursor, after);
            (replay.head(), None, replay)
        }
        _ => {
            let start = feed.start_with_snapshot().await.map_err(Problem::from)?;
            let snapshot = start.snapshot.clone().map(|json| (start.seq, json));
            (start.seq, snapshot, Replay::from(&mut cursor, start))
        }
    };
    let session = Session { id, cursor, replay: Some(Box::new(replay)), caught_up: false, ending: None, over: false };
    Ok(Joined { session, role, head, snapshot })
}

impl Joined {
    /// The `joined` frame.
    pub(super) fn say(&self, out: &mut Outgoing) {
        let you_can = self.role.rights().to_vec();
        let frame = ServerFrame::Joined { session: self.session.id, head: self.head, you_can, snapshot: None };
        let json = encode(&frame);
        let Some((seq, state)) = &self.snapshot else { return out.push_text(&json) };
        // The encoded snapshot is shared by all who join; only what is around it is one's own.
        let mut before = json;
        before.pop();
        before.extend_from_slice(format!(",\"snapshot\":{{\"seq\":{seq},\"state\":").as_bytes());
        out.push_around(&before, state.clone(), b"}}");
    }
}

impl Session {
    /// Bring the viewer nearer to the feed. Whether something was said.
    pub(super) fn poll(&mut self, out: &mut Outgoing, cx: &mut Context<'_>) -> bool {
        if let Some(reason) = self.ending.take() {
            self.removed(reason, out);
            return true;
        }
        let Some(replay) = &mut self.replay else { return false };
        match replay.poll(&mut self.cursor, cx) {
            Poll::Pending => return false,
            Poll::Ready(Ok(Step::Page(page))) => out.push_shared(page.framed),
            Poll::Ready(Ok(Step::Arrived(start))) => {
                self.replay = None;
                if !std::mem::replace(&mut self.caught_up, true) {
                    out.push_text(&encode(&ServerFrame::CaughtUp { session: self.id, through: start.seq }));
                }
                start.extras.iter().for_each(|framed| out.push_shared(framed.clone()));
            }
            Poll::Ready(Ok(Step::Removed(reason))) => self.removed(reason, out),
            Poll::Ready(Err(error)) => {
                let code = Problem::from(error).code();
                self.close(code.as_str(), "the database does not answer; join again later", out);
            }
        }
        true
    }

    /// The viewer is no longer a participant.
    fn removed(&mut self, reason: LeaveReason, out: &mut Outgoing) {
        match reason {
            LeaveReason::Left => self.close("left", "you left the session", out),
            LeaveReason::Removed => self.close("removed", "you were removed from the session", out),
        }
    }

    fn close(&mut self, code: &str, message: &str, out: &mut Outgoing) {
        self.over = true;
        let frame = ServerFrame::Closing { session: self.id, code: code.into(), message: message.into() };
        out.push_text(&encode(&frame));
    }
}

/// A frame as JSON.
pub(super) fn encode(frame: &ServerFrame) -> Vec<u8> {
    // No frame has a map with keys that are not text, the one thing that serde_json refuses.
    serde_json::to_vec(frame).unwrap_or_default()
}
