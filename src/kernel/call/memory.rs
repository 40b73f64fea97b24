//! Memory of call results that agents of later steps read, bounded in bytes. The authors of people's answers are kept
//! for as long as the calls of the run.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Actor, CallId, MessageId, truncate_shared};

/// Text of a person or bot that decided a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallAnswer {
    /// Author of the text.
    pub by: Actor,
    /// Message that contains it.
    pub message: MessageId,
    /// The text: the result of the call, or the comment of a rejection. Truncated to [`CallMemory::OUTPUT_BYTES`].
    pub text: Arc<str>,
    /// The server's text about a call that people rejected. `None` if the answer is the result.
    pub refusal: Option<Arc<str>>,
}

/// Results of completed tasks of a run, for agents that continue with them, and the authors of people's answers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CallMemory {
    /// Results, oldest first.
    outputs: VecDeque<(CallId, Arc<str>)>,
    /// People's answers to calls of the run. Kept for as long as the calls, because a result must not lose its author.
    answers: Vec<(CallId, CallAnswer)>,
}

impl CallMemory {
    /// Maximum number of bytes in one result. Longer ones keep their start and end; the line with the number of omitted
    /// bytes is not counted.
    pub const OUTPUT_BYTES: usize = 8 * 1024;
    /// Maximum number of bytes of all results, each counted with [`Self::ENTRY_BYTES`]. Beyond it, the oldest are
    /// removed.
    pub const OUTPUTS_BYTES: usize = 128 * 1024;
    /// Bytes counted for each result in addition to its text, so that the number of empty ones is bounded.
    const ENTRY_BYTES: usize = 64;

    /// Returns the result of a call whose task is done; `None` if it has been removed or was never stored.
    pub fn output(&self, call: CallId) -> Option<&str> {
        self.outputs.iter().find(|(id, _)| *id == call).map(|(_, output)| &**output)
    }

    /// Returns the answer from people that decided a call.
    pub fn answer(&self, call: CallId) -> Option<&CallAnswer> {
        self.answers.iter().rev().find(|(id, _)| *id == call).map(|(_, answer)| answer)
    }

    /// Records the answer from people that decided a call.
    pub fn end(&mut self, call: CallId, answer: CallAnswer) {
        // Without its author, the answer would be taken for the tool's result.
        self.answers
            .push((call, CallAnswer { text: truncate_shared(&answer.text, CallMemory::OUTPUT_BYTES), ..answer }));
    }

    /// Stores the result of a call whose task is done.
    pub fn record_output(&mut self, call: CallId, output: &Arc<str>) {
        self.outputs.push_back((call, truncate_shared(output, CallMemory::OUTPUT_BYTES)));
        let counted = |(_, output): &(CallId, Arc<str>)| output.len() + Self::ENTRY_BYTES;
        let mut bytes: usize = self.outputs.iter().map(counted).sum();
        while bytes > Self::OUTPUTS_BYTES {
            bytes -= self.outputs.pop_front().as_ref().map_or(bytes, counted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_cut_and_the_oldest_of_many_are_forgotten() {
        let mut memory = CallMemory::default();
        memory.record_output(CallId(1), &"short".into());
        memory.record_output(CallId(2), &"长".repeat(10_000).into());
        assert_eq!(memory.output(CallId(1)), Some("short"));
        let cut = memory.output(CallId(2)).expect("the result is stored");
        assert!(cut.len() < CallMemory::OUTPUT_BYTES + 64 && cut.contains(" bytes left out …]\n长"), "{cut}");
        for call in 3..100 {
            memory.record_output(CallId(call), &"x".repeat(5_000).into());
        }
        let bytes: usize = memory.outputs.iter().map(|(_, output)| output.len()).sum();
        assert!(bytes <= CallMemory::OUTPUTS_BYTES && bytes > CallMemory::OUTPUTS_BYTES - 7_000, "{bytes}");
        assert_eq!((memory.output(CallId(1)), memory.output(CallId(99)).map(str::len)), (None, Some(5_000)));
    }
}
