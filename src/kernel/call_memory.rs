//! Memory of calls: what agents of later steps read of calls, bounded in bytes; only the authors of answers stay as long as the calls of a run.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Actor, CallId, MessageId, cut};

/// Words of a person or bot that ended a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallAnswer {
    /// Author of the words.
    pub by: Actor,
    /// Message that holds them.
    pub message: MessageId,
    /// The words: the result, or the comment of a refusal.
    pub text: Arc<str>,
    /// The server's words about a call that people did not allow; absent where the answer is the result.
    pub refusal: Option<Arc<str>>,
}

/// Results of the tasks of a run that are done, for agents that go on with them, and the authors of answers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CallMemory {
    /// Oldest first.
    outputs: VecDeque<(CallId, Arc<str>)>,
    /// Of every call of the run that people's words ended: a result must not lose its author.
    answers: Vec<(CallId, CallAnswer)>,
}

impl CallMemory {
    /// Bytes that are kept of one result, both ends of it; the line that says how much is missing comes on top.
    pub const OUTPUT_BYTES: usize = 8 * 1024;
    /// Bytes of all results, and [`Self::ENTRY_BYTES`] for each; beyond it the oldest are forgotten.
    pub const OUTPUTS_BYTES: usize = 128 * 1024;
    /// Bytes that a result counts beside its text, so that empty ones are bounded in number.
    const ENTRY_BYTES: usize = 64;

    /// The result of a call whose task is done.
    pub fn output(&self, call: CallId) -> Option<&str> {
        self.outputs.iter().find(|(id, _)| *id == call).map(|(_, output)| &**output)
    }

    /// People's words that ended a call.
    pub fn answer(&self, call: CallId) -> Option<&CallAnswer> {
        self.answers.iter().rev().find(|(id, _)| *id == call).map(|(_, answer)| answer)
    }

    /// People's words end a call.
    pub(crate) fn end(&mut self, call: CallId, answer: CallAnswer) {
        // The author stays for as long as the call: a result without one would pass for the tool's.
        self.answers.push((call, CallAnswer { text: short(&answer.text), ..answer }));
    }

    /// Keep the result of a call whose task is done.
    pub(crate) fn keep(&mut self, call: CallId, output: &Arc<str>) {
        self.outputs.push_back((call, short(output)));
        let counted = |(_, output): &(CallId, Arc<str>)| output.len() + Self::ENTRY_BYTES;
        let mut bytes: usize = self.outputs.iter().map(counted).sum();
        while bytes > Self::OUTPUTS_BYTES {
            bytes -= self.outputs.pop_front().as_ref().map_or(bytes, counted);
        }
    }
}

fn short(text: &Arc<str>) -> Arc<str> {
    match text.len() {
        0..=CallMemory::OUTPUT_BYTES => text.clone(),
        _ => cut(text, CallMemory::OUTPUT_BYTES).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_cut_and_the_oldest_of_many_are_forgotten() {
        let mut memory = CallMemory::default();
        memory.keep(CallId(1), &"short".into());
        memory.keep(CallId(2), &"长".repeat(10_000).into());
        assert_eq!(memory.output(CallId(1)), Some("short"));
        let cut = memory.output(CallId(2)).expect("is kept");
        assert!(cut.len() < CallMemory::OUTPUT_BYTES + 64 && cut.contains(" bytes left out …]\n长"), "{cut}");
        for call in 3..100 {
            memory.keep(CallId(call), &"x".repeat(5_000).into());
        }
        let bytes: usize = memory.outputs.iter().map(|(_, output)| output.len()).sum();
        assert!(bytes <= CallMemory::OUTPUTS_BYTES && bytes > CallMemory::OUTPUTS_BYTES - 7_000, "{bytes}");
        assert_eq!((memory.output(CallId(1)), memory.output(CallId(99)).map(str::len)), (None, Some(5_000)));
    }
}
