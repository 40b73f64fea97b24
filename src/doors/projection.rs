//! Projection of a session's frames to the lines of a door's stream.

use std::time::Duration;

use axum::response::sse::Event;

use super::stream_end::StreamEnd;
use crate::protocol::ServerFrame;

/// Projection of frames to lines. It has no other input, so that recorded frames always produce the same lines.
pub(super) trait Projection: Send + 'static {
    /// Line of the stream.
    type Line: Send + 'static;

    /// Returns the first line of every stream, or `None` if the door's streams have no such line.
    fn opening(&self) -> Option<Self::Line> {
        None
    }

    /// Adds the lines of one frame. Not called once the stream has ended.
    fn take(&mut self, frame: ServerFrame, lines: &mut Vec<Self::Line>);

    /// Returns whether the stream has ended.
    fn is_over(&self) -> bool;

    /// Adds the last lines of a stream that ends although [`Projection::is_over`] is false.
    fn close(&mut self, end: StreamEnd, lines: &mut Vec<Self::Line>);

    /// Returns the time between two heartbeats, or `None` if the door's specification has no heartbeat. Streams without
    /// heartbeats contain comments instead.
    fn heartbeat_interval(&self) -> Option<Duration> {
        None
    }

    /// Returns a heartbeat line, or `None` if the door has no heartbeat. Heartbeats are sent at fixed intervals, even
    /// between other lines.
    fn beat(&self) -> Option<Self::Line> {
        None
    }

    /// Returns how long a stream can go without lines, not counting heartbeats, before it is closed. Returns `None` if
    /// it stays open.
    fn max_silence(&self) -> Option<Duration> {
        None
    }

    /// Returns the server-sent event of a line. `seq` is set for the last line of an event: a reader with this line has
    /// everything up to that event.
    fn sent(&self, line: &Self::Line, seq: Option<u64>) -> Event;
}

/// Frames for the tests of projections.
#[cfg(test)]
pub(super) mod frames {
    use serde_json::{Value, json};

    use super::Projection;
    use crate::kernel::SessionId;

    /// Returns the session of these frames.
    pub(in crate::doors) fn session() -> SessionId {
        SessionId(uuid::Uuid::from_u128(1))
    }

    /// Returns the frame of an event whose actor is the server.
    pub(in crate::doors) fn event(seq: u64, name: &str, data: Value) -> Value {
        let by = json!({ "kind": "system", "id": "system", "name": "Roundtable" });
        let at = "2026-01-01T00:00:00.000Z";
        json!({ "type": "event", "session": session(), "seq": seq, "at": at, "by": by, "event": name, "data": data })
    }

    /// Returns the frame of a run's start.
    pub(in crate::doors) fn run_started(flow: &str) -> Value {
        event(1, "run.started", json!({ "run": "r_1", "flow": flow, "input": "m_1", "to": [] }))
    }

    /// Returns a fragment of message `m_3`.
    pub(in crate::doors) fn delta(attempt: u32, at: u64, text: &str) -> Value {
        json!({
            "type": "delta", "session": session(), "message": "m_3", "attempt": attempt, "at": at, "text": text,
        })
    }

    /// Returns the data of a question that an MCP server asks.
    pub(in crate::doors) fn question_of(server: &str, prompt: &str) -> Value {
        let gate = json!({
            "id": "g_5", "run": "r_1", "kind": "question", "rev": 1, "prompt": prompt, "allow": ["respond"],
            "agents": [], "quorum": { "kind": "any" }, "eligible": [], "opened_at": "2026-01-01T00:00:00.000Z",
            "origin": { "server": server },
        });
        json!({ "gate": gate })
    }

    /// Returns the data of a gate about a command of the participant with this number.
    pub(in crate::doors) fn command_gate(gate: &str, by: u32) -> Value {
        let by = json!({ "kind": "user", "id": format!("u_{by:032x}"), "name": "Bob" });
        let command = json!({ "do": "start", "data": { "input": "go" } });
        json!({ "gate": {
            "id": gate, "kind": "command", "rev": 1, "prompt": "May a run start?", "allow": ["approve", "reject"],
            "agents": [], "quorum": { "kind": "any" }, "eligible": ["owner"], "opened_at": "2026-01-01T00:00:00.000Z",
            "command": { "by": by, "rights": ["steer"], "command": command },
        } })
    }

    /// Returns the lines of these frames.
    pub(in crate::doors) fn lines<P: Projection>(projection: &mut P, frames: &[Value]) -> Vec<P::Line> {
        let mut lines = vec![];
        for frame in frames {
            projection.take(serde_json::from_value(frame.clone()).expect("a frame"), &mut lines);
        }
        lines
    }
}
