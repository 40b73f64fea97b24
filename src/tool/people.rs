//! What a tool may ask of people in the midst of a call.

use async_trait::async_trait;

use crate::kernel::{Inquiry, Reply};

/// Whom a call can ask.
#[async_trait]
pub trait People: Send + Sync + 'static {
    /// Put a question to the people of the session that the call is made for, and wait for an answer. Dropping the future
    /// takes the question back.
    async fn ask(&self, question: Inquiry) -> Reply;
}

/// Where there is nobody to ask.
pub struct Nobody;

#[async_trait]
impl People for Nobody {
    async fn ask(&self, _: Inquiry) -> Reply {
        Reply::Cancelled
    }
}
