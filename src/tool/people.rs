//! Questions and progress reports from a running call to people.

use std::sync::Arc;

use async_trait::async_trait;

use crate::kernel::{Inquiry, InquiryReply};

/// People that a call can ask.
#[async_trait]
pub trait People: Send + Sync + 'static {
    /// Asks the people of the call's session and waits for an answer. Dropping the future withdraws the question.
    async fn ask(&self, question: Inquiry) -> InquiryReply;

    /// Shows people the progress of the call. Reports are not stored, and some are not shown.
    fn progress(&self, _progress: Progress) {}
}

/// Progress of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Work done so far, in a unit that the tool chooses.
    pub done: f64,
    /// Total amount of work in the same unit, if the tool knows it.
    pub total: Option<f64>,
    /// Description of the current work, written by the tool.
    pub message: Option<Arc<str>>,
    /// Last part of the output so far.
    pub output: Option<Arc<str>>,
}

/// Stand-in for calls without people: every question is cancelled.
pub struct NoPeople;

#[async_trait]
impl People for NoPeople {
    async fn ask(&self, _: Inquiry) -> InquiryReply {
        InquiryReply::Cancelled
    }
}
