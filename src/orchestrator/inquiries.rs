//! Questions of running calls to participants, and the calls' progress. Each question is a command, and each reply
//! is delivered to the call that waits for it. Progress is shown but not recorded.

use std::collections::HashMap;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::time::Instant;

use crate::feed::Feed;
use crate::kernel::{CallId, Command, Inquiry, InquiryReply, first_bytes, last_bytes};
use crate::protocol::CallProgress;
use crate::tool::{People, Progress};

/// Maximum number of questions queued for the orchestrator. A call that asks a further one waits.
const MAX_QUEUED: usize = 16;

/// Minimum interval between two progress signals of a call. Progress in between is not shown.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

/// Maximum size of a progress message, in bytes.
const MAX_MESSAGE_BYTES: usize = 256;

/// Maximum size, in bytes, of a program's output shown while it runs. Only the end is shown.
const MAX_OUTPUT_BYTES: usize = 4 * 1024;

/// The questions that a session's calls ask participants.
pub(super) struct Inquiries {
    ask: mpsc::Sender<InquiryRequest>,
    requests: mpsc::Receiver<InquiryRequest>,
    waiting: HashMap<CallId, PendingInquiry>,
    feed: Arc<Feed>,
}

struct InquiryRequest {
    call: CallId,
    inquiry: Inquiry,
    waiting: PendingInquiry,
}

struct PendingInquiry {
    attempt: u32,
    reply: oneshot::Sender<InquiryReply>,
}

impl Inquiries {
    pub(super) fn new(feed: Arc<Feed>) -> Self {
        let (ask, requests) = mpsc::channel(MAX_QUEUED);
        Self { ask, requests, waiting: HashMap::new(), feed }
    }

    /// Returns the interface through which one attempt at a call asks participants.
    pub(super) fn of(&self, call: CallId, attempt: u32) -> impl People + use<> {
        let (ask, feed) = (self.ask.clone(), self.feed.clone());
        InquiryClient { call, attempt, ask, turn: Mutex::new(()), feed, shown: parking_lot::Mutex::new(None) }
    }

    /// Returns the command that opens the next question, or withdraws a question whose call no longer waits for a
    /// reply.
    pub(super) async fn next(&mut self) -> Command {
        poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Command> {
        let gone = |(call, waiting): (&CallId, &mut PendingInquiry)| {
            waiting.reply.poll_closed(context).is_ready().then_some((*call, waiting.attempt))
        };
        if let Some((call, attempt)) = self.waiting.iter_mut().find_map(gone) {
            self.waiting.remove(&call);
            return Poll::Ready(Command::WithdrawInquiry { call, attempt });
        }
        // The channel never ends, because this struct holds a sender.
        let Poll::Ready(Some(InquiryRequest { call, inquiry, waiting })) = self.requests.poll_recv(context) else {
            return Poll::Pending;
        };
        let attempt = waiting.attempt;
        self.waiting.insert(call, waiting);
        Poll::Ready(Command::OpenInquiry { call, attempt, inquiry })
    }

    pub(super) fn reply(&mut self, call: CallId, reply: InquiryReply) {
        if let Some(waiting) = self.waiting.remove(&call) {
            let _ = waiting.reply.send(reply);
        }
    }
}

struct InquiryClient {
    call: CallId,
    attempt: u32,
    ask: mpsc::Sender<InquiryRequest>,
    /// Lock that serializes the questions of a call that asks several at once.
    turn: Mutex<()>,
    feed: Arc<Feed>,
    /// Time of the last progress signal.
    shown: parking_lot::Mutex<Option<Instant>>,
}

#[async_trait]
impl People for InquiryClient {
    async fn ask(&self, inquiry: Inquiry) -> InquiryReply {
        let _turn = self.turn.lock().await;
        let (reply, answer) = oneshot::channel();
        let request =
            InquiryRequest { call: self.call, inquiry, waiting: PendingInquiry { attempt: self.attempt, reply } };
        if self.ask.send(request).await.is_err() {
            return InquiryReply::Cancelled;
        }
        answer.await.unwrap_or(InquiryReply::Cancelled)
    }

    fn progress(&self, Progress { done, total, message, output }: Progress) {
        let (mut shown, now) = (self.shown.lock(), Instant::now());
        if shown.is_some_and(|shown| now.duration_since(shown) < PROGRESS_INTERVAL) {
            return;
        }
        *shown = Some(now);
        let message = message.map(|message| first_bytes(&message, MAX_MESSAGE_BYTES).into());
        let output = output.map(|output| last_bytes(&output, MAX_OUTPUT_BYTES).into());
        let progress = CallProgress { call: self.call, done, total, message, output };
        self.feed
            .signal("progress", serde_json::to_value(progress).expect("progress serializes: its keys are strings"));
    }
}
