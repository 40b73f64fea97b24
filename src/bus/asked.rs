//! A question from one node to another.

use bytes::Bytes;

use crate::store::NodeId;

/// What another node asks this one. Dropping it answers nothing.
pub struct Asked {
    /// Who asks.
    pub from: NodeId,
    /// What.
    pub content: Bytes,
    answer: Box<dyn FnOnce(Bytes) + Send + Sync>,
}

impl Asked {
    pub(super) fn new(from: NodeId, content: Bytes, answer: impl FnOnce(Bytes) + Send + Sync + 'static) -> Self {
        Self { from, content, answer: Box::new(answer) }
    }

    /// Answer it. Never waits; what cannot go out is dropped and counted.
    pub fn answer(self, answer: Bytes) {
        (self.answer)(answer);
    }
}

impl std::fmt::Debug for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asked").field("from", &self.from).field("bytes", &self.content.len()).finish_non_exhaustive()
    }
}

/// Why a question has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// Nobody of that id listens now.
    #[error("the node is not there")]
    Absent,
    /// It has as many questions before it as it takes; this one was not put to it.
    #[error("the node has too many questions before it")]
    Busy,
    /// The question or its answer is larger than [`super::BusSettings::news_bytes`].
    #[error("the question or its answer is too large for the bus")]
    TooLarge,
    /// No answer in time. The question may have been heard.
    #[error("the node did not answer in time")]
    Late,
    /// The bus does not work, or broke while waiting. The question may have been heard.
    #[error("the bus between the nodes does not work")]
    Down,
}
