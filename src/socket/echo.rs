//! An echo endpoint on top of [`WebSocketConnection`], so that conformance suites test the code that clients use.

use std::task::{Context, Poll};

use tokio_tungstenite::tungstenite::protocol::Message;

use super::connection::{EmptySource, PumpOutcome, ReadEnd, WebSocketConnection};
use crate::feed::frame;

/// Connection that returns every message to its sender.
pub(super) struct Echo {
    connection: WebSocketConnection,
}

impl Echo {
    pub(super) fn new(connection: WebSocketConnection) -> Self {
        Self { connection }
    }

    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            if self.connection.is_ending() {
                return self.connection.poll_end(cx);
            }
            let received = match self.connection.poll_read(cx) {
                Poll::Pending => false,
                Poll::Ready(Ok(message)) => {
                    self.answer(message);
                    true
                }
                Poll::Ready(Err(ReadEnd::Lost)) => return Poll::Ready(()),
                Poll::Ready(Err(ReadEnd::Closed)) => {
                    self.connection.end();
                    continue;
                }
                Poll::Ready(Err(ReadEnd::Fault(code))) => {
                    self.connection.close(cx, code);
                    continue;
                }
            };
            match self.connection.pump(cx, &mut EmptySource) {
                Err(_) => return Poll::Ready(()),
                // Stop reading while the output is blocked.
                Ok(PumpOutcome::Blocked | PumpOutcome::Yielded) => return Poll::Pending,
                Ok(PumpOutcome::Drained) if received => {}
                Ok(PumpOutcome::Drained) => return Poll::Pending,
            }
        }
    }

    fn answer(&mut self, message: Message) {
        let (first, bytes) = match message {
            Message::Text(text) => (0x81, bytes::Bytes::from(text)),
            Message::Binary(bytes) => (0x82, bytes),
            _ => return,
        };
        let mut header = Vec::with_capacity(10);
        frame::push_header(&mut header, first, bytes.len());
        self.connection.out.push(&header);
        self.connection.out.push_shared(bytes);
    }
}
