//! What a tool may ask of people in the midst of a call.

use std::sync::Arc;

use async_trait::async_trait;

use crate::kernel::{Inquiry, Reply};

/// Whom a call can ask.
#[async_trait]
pub trait People: Send + Sync + 'static {
    /// Put a question to the people of the session that the call is made for, and wait for an answer. Dropping the future
    /// takes the question back.
    async fn ask(&self, question: Inquiry) -> Reply;

    /// Show people how far the call is. It is not kept, and not every one is shown.
    fn progress(&self, _progress: Progress) {}
}

/// How far a call is.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Work done so far, in a unit of the tool's own.
    pub done: f64,
    /// All of the work, where the tool knows it.
    pub total: Option<f64>,
    /// What it does, in the tool's words.
    pub message: Option<Arc<str>>,
    /// The end of what it has written so far.
    pub output: Option<Arc<str>>,
}

/// Where there is nobody to ask.
pub struct Nobody;

#[async_trait]
impl People for Nobody {
    async fn ask(&self, _: Inquiry) -> Reply {
        Reply::Cancelled
    }
}
