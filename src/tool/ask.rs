//! What a tool may ask of people in the midst of a call.

use async_trait::async_trait;
use serde_json::Value;

use super::Place;

/// A question to people, with a form for its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Inquiry {
    /// Who asks: the server's name in the configuration.
    pub from: String,
    /// The question in words; by whoever asks, so not to be believed.
    pub message: String,
    /// JSON Schema of the answer: an object of plain fields.
    pub schema: Value,
}

/// What people said to it.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// This, which the question's schema accepts.
    Accepted(Value),
    /// That they do not want to say.
    Declined,
    /// Nothing: the question was put away.
    Cancelled,
}

/// Whom a tool can ask.
#[async_trait]
pub trait People: Send + Sync + 'static {
    /// Put a question to the people of the session that the call was made for, and wait for an answer. Dropping the
    /// future takes the question back.
    async fn ask(&self, at: &Place, question: Inquiry) -> Reply;
}
