//! Server-sent events of a door: a session's frames, projected to lines in the door's own vocabulary.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Bytes;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::future::FutureExt;
use futures_util::stream::{self, BoxStream, Stream, StreamExt};
use serde::Serialize;
use tokio::time::Interval;

use super::projection::Projection;
use super::stream_end::StreamEnd;
use crate::feed::JsonViewer;
use crate::http;
use crate::identity::{Participant, RevocationGuard};
use crate::kernel::{Fact, SessionId};
use crate::node::Node;
use crate::protocol::{Problem, ServerFrame};
use crate::socket::ConnectionCountGuard;

/// Maximum number of frames in one batch. Frames that have arrived are sent together.
const MAX_BATCH_FRAMES: usize = 256;

/// Returns a viewer through which the caller watches a session, starting after the event `after`.
pub(super) async fn watch(
    node: &Node,
    who: &Participant,
    session: SessionId,
    after: u64,
) -> Result<JsonViewer, Problem> {
    let (feed, _) = node.access.feed(who, session).await?;
    Ok(http::watch(&feed, who, after))
}

/// Streams the lines of a watch until the projection ends or the caller's credential does. Leaves out the lines of
/// events up to `after`, which the reader already has.
pub(super) fn respond<P: Projection>(
    node: &Node,
    projection: P,
    watch: JsonViewer,
    (held, counted): (RevocationGuard, ConnectionCountGuard),
    after: u64,
) -> Response {
    let opening = projection.opening().map(|line| Ok(projection.sent(&line, None)));
    let comments = projection.heartbeat_interval().is_none().then(|| http::keep_alive(node));
    let lines = Sse::new(stream::iter(opening).chain(events(projection, frames(watch, held, counted), after)));
    match comments {
        Some(comments) => lines.keep_alive(comments).into_response(),
        None => lines.into_response(),
    }
}

/// Returns the frames of a watch, followed by the reason why they end.
fn frames(watch: JsonViewer, held: RevocationGuard, counted: ConnectionCountGuard) -> FrameStream {
    let frames = stream::unfold(Some((watch, held, counted)), async |open| {
        let (mut watch, held, counted) = open?;
        let frame = tokio::select! {
            // Check the credential first; otherwise, a long replay would continue for a while after a revocation.
            biased;
            () = held.over().cancelled() => match held.is_revoked() {
                true => Err(StreamEnd::CredentialEnded),
                false => Err(StreamEnd::Stopping),
            },
            frame = watch.next() => frame.map_err(StreamEnd::from),
        };
        let open = frame.is_ok().then_some((watch, held, counted));
        Some((frame, open))
    });
    frames.boxed()
}

/// Frames of a session, followed by the reason why they end.
type FrameStream = BoxStream<'static, Result<Bytes, StreamEnd>>;

/// Returns the server-sent events of the projected lines, without the lines of events up to `after`, which the reader
/// already has. Dropping the stream does not affect the session (law 8).
pub(super) fn events<P: Projection>(
    projection: P,
    frames: FrameStream,
    after: u64,
) -> impl Stream<Item = Result<Event, Infallible>> + Send {
    let timers = StreamTimers::new(&projection);
    let rounds =
        stream::unfold((projection, frames, timers), move |(mut projection, mut frames, mut timers)| async move {
            let mut round = LineBatch { after, lines: vec![], seqs: vec![], is_closed: false };
            while round.lines.is_empty() && !projection.is_over() {
                tokio::select! {
                    frame = frames.next() => round.take(&mut projection, frame?),
                    () = tick(&mut timers.heartbeat) => round.lines.extend(projection.beat()),
                    () = tick(&mut timers.silence) => return None,
                }
                for _ in 1..MAX_BATCH_FRAMES {
                    if projection.is_over() || round.is_closed {
                        break;
                    }
                    let Some(Some(frame)) = frames.next().now_or_never() else { break };
                    round.take(&mut projection, frame);
                }
                if !round.seqs.is_empty() {
                    timers.silence.iter_mut().for_each(Interval::reset);
                }
            }
            // Nothing follows the line that closes a stream.
            let frames = if round.is_closed { stream::empty().boxed() } else { frames };
            (!round.lines.is_empty()).then(|| (round.sent(&projection), (projection, frames, timers)))
        });
    rounds.flat_map(|sent| stream::iter(sent.into_iter().map(Ok)))
}

/// Timers of a stream, as its projection defines them.
struct StreamTimers {
    heartbeat: Option<Interval>,
    /// Reset whenever a frame adds lines.
    silence: Option<Interval>,
}

impl StreamTimers {
    fn new(projection: &impl Projection) -> Self {
        let timer = |period: Option<Duration>| {
            period.map(|period| {
                let mut timer = tokio::time::interval(period);
                timer.reset();
                timer
            })
        };
        Self { heartbeat: timer(projection.heartbeat_interval()), silence: timer(projection.max_silence()) }
    }
}

/// Waits for the next tick of a timer, or forever if there is no timer.
async fn tick(timer: &mut Option<Interval>) {
    match timer {
        Some(timer) => _ = timer.tick().await,
        None => std::future::pending().await,
    }
}

/// Lines that are sent together, so that a projection can join related lines.
struct LineBatch<Line> {
    after: u64,
    lines: Vec<Line>,
    /// Seq of each line that is the last line of an event, `None` for other lines. Shorter than `lines` if the last
    /// lines have no seq.
    seqs: Vec<Option<u64>>,
    /// True if the stream ends after these lines, although its projection is not over.
    is_closed: bool,
}

impl<Line> LineBatch<Line> {
    fn take<P: Projection<Line = Line>>(&mut self, projection: &mut P, frame: Result<Bytes, StreamEnd>) {
        let frame = match frame {
            Ok(frame) => frame,
            Err(end) => return self.close(projection, end),
        };
        let frame: ServerFrame = match serde_json::from_slice(&frame) {
            Ok(frame) => frame,
            Err(error) => return tracing::error!(%error, "cannot parse a frame of this server"),
        };
        let closes =
            matches!(&frame, ServerFrame::Event { event, .. } if matches!(event.fact, Fact::SessionClosed { .. }));
        let seq = if let ServerFrame::Event { event, .. } = &frame { Some(event.seq) } else { None };
        let before = self.lines.len();
        projection.take(frame, &mut self.lines);
        if seq.is_some_and(|seq| seq <= self.after) {
            self.lines.truncate(before);
        }
        if self.lines.len() > before {
            self.seqs.resize(self.lines.len() - 1, None);
            self.seqs.push(seq);
        }
        // No run starts in a closed session.
        if closes && !projection.is_over() {
            self.close(projection, StreamEnd::SessionClosed);
        }
    }

    /// Adds the last lines. They have no seq, so a reader who resumes the stream continues after the last event before
    /// them.
    fn close<P: Projection<Line = Line>>(&mut self, projection: &mut P, end: StreamEnd) {
        projection.close(end, &mut self.lines);
        self.is_closed = true;
    }

    fn sent<P: Projection<Line = Line>>(self, projection: &P) -> Vec<Event> {
        let seqs = self.seqs.into_iter().chain(std::iter::repeat(None));
        self.lines.iter().zip(seqs).map(|(line, seq)| projection.sent(line, seq)).collect()
    }
}

/// Adds a line's data to an event, and an id if the reader can resume after the line. The event already has its name,
/// because clients that read line by line expect the name in front of the data.
pub(super) fn event(named: Event, line: &impl Serialize, id: Option<impl ToString>) -> Event {
    let event = named.data(json(line));
    match id {
        Some(id) => event.id(id.to_string()),
        None => event,
    }
}

/// Returns a line as JSON. This cannot fail, because all map keys in lines are strings.
fn json(line: &impl Serialize) -> String {
    serde_json::to_string(line).expect("a line serializes: its keys are strings")
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;

    const INTERVAL: Duration = Duration::from_secs(7);

    /// Projection that sends only heartbeats.
    struct SilentProjection;

    impl Projection for SilentProjection {
        type Line = &'static str;

        fn take(&mut self, _: ServerFrame, _: &mut Vec<&'static str>) {}

        fn is_over(&self) -> bool {
            false
        }

        fn close(&mut self, _: StreamEnd, lines: &mut Vec<&'static str>) {
            lines.push("closed");
        }

        fn heartbeat_interval(&self) -> Option<Duration> {
            Some(INTERVAL)
        }

        fn beat(&self) -> Option<&'static str> {
            Some("here")
        }

        fn max_silence(&self) -> Option<Duration> {
            Some(5 * INTERVAL / 2)
        }

        fn sent(&self, line: &&'static str, _: Option<u64>) -> Event {
            Event::default().data(line)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_heartbeat_comes_at_each_interval() {
        let began = tokio::time::Instant::now();
        let lines: Vec<_> = events(SilentProjection, stream::pending().boxed(), 0).take(2).collect().await;
        assert_eq!((lines.len(), began.elapsed()), (2, 2 * INTERVAL));
    }

    #[tokio::test(start_paused = true)]
    async fn a_line_closes_a_stream_whose_frames_end_or_whose_session_is_closed() {
        let closing = crate::doors::projection::frames::event(3, "session.closed", serde_json::json!({ "reason": "" }));
        for last in [Err(StreamEnd::Stopping), Ok(closing.to_string().into())] {
            // The reason comes last, and no frame follows the end of a session.
            let frames = stream::iter([last]).chain(stream::pending()).boxed();
            let lines: Vec<_> = events(SilentProjection, frames, 0).collect().await;
            assert_eq!(lines.len(), 1, "{lines:?}");
            assert!(format!("{:?}", lines[0]).contains("closed"), "{lines:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn heartbeats_do_not_keep_a_silent_stream_open() {
        let began = tokio::time::Instant::now();
        let lines: Vec<_> = events(SilentProjection, stream::pending().boxed(), 0).collect().await;
        assert_eq!((lines.len(), began.elapsed()), (2, 5 * INTERVAL / 2));
    }
}
