//! A history and the agent's current input, as messages for a model.

use std::sync::Arc;

use crate::agent::{Image, PromptBlock};

use super::prompt_texts::PromptTexts;
use crate::kernel::Language;

/// A history and the agent's current input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transcript {
    /// Language of the server's text around the history.
    pub language: Language,
    /// History, oldest entry first. A cut removes the oldest entries.
    pub past: Vec<TranscriptEntry>,
    /// Entries that no cut removes: the newest message, and the results of this round so far.
    pub present: Vec<PromptBlock>,
    /// Number of removed entries.
    pub omitted: usize,
    /// Images that are sent with the last message.
    pub images: Vec<Image>,
}

/// One message of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptEntry {
    /// Envelope with author and text.
    pub block: PromptBlock,
    /// Text alone, if the reading agent wrote it and it is sent as an assistant message.
    pub own: Option<Arc<str>>,
    /// Behavior of the entry when the history is cut.
    pub at_cut: CutBehavior,
}

/// Behavior of a history entry when the history is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutBehavior {
    /// The entry stays, because the rest makes no sense without it.
    Stays,
    /// A cut history can begin with this entry.
    Begins,
    /// The entry replies to the entry before it, so a cut history never begins with it.
    Follows,
}

/// Part of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TranscriptPart {
    is_own: bool,
    /// Text in the form in which it is sent.
    pub(crate) text: String,
    /// The agent's own text in quoted form, for positions in which an assistant message is not possible; `None` for
    /// text by others.
    quoted: Option<String>,
}

/// One message of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TranscriptTurn {
    /// True if the reading agent wrote the message.
    pub(crate) is_own: bool,
    /// True for the last message of the transcript.
    pub(crate) is_last: bool,
    pub(crate) text: String,
}

impl TranscriptEntry {
    /// Creates an entry with text of another author.
    pub(super) fn new(block: PromptBlock, at_cut: CutBehavior) -> Self {
        Self { block, own: None, at_cut }
    }
}

impl Transcript {
    /// Returns the whole transcript as one text.
    pub fn text(&self) -> String {
        self.turns().into_iter().map(|turn| turn.text).collect::<Vec<_>>().join(Self::BETWEEN)
    }

    /// Separator between the parts.
    pub(super) const BETWEEN: &str = "\n\n";

    /// Returns the messages of the transcript, with alternating roles. Many chat templates reject consecutive messages
    /// of one role, and an assistant message at the beginning. A model would continue an assistant message at the end.
    pub(crate) fn turns(&self) -> Vec<TranscriptTurn> {
        let mut parts = self.parts();
        let last = parts.iter().rposition(|part| !part.is_own);
        let first = parts.iter().position(|part| !part.is_own);
        for (place, part) in parts.iter_mut().enumerate() {
            part.is_own &= first < Some(place) && Some(place) < last;
        }
        let mut turns: Vec<TranscriptTurn> = vec![];
        for part in parts {
            let TranscriptPart { is_own, text, quoted } = part;
            let text = if is_own { text } else { quoted.unwrap_or(text) };
            match turns.last_mut() {
                Some(turn) if turn.is_own == is_own => {
                    turn.text.push_str(Self::BETWEEN);
                    turn.text.push_str(&text);
                }
                _ => turns.push(TranscriptTurn { is_own, is_last: false, text }),
            }
        }
        if let Some(turn) = turns.last_mut() {
            turn.is_last = true;
        }
        turns
    }

    /// Returns the parts of the transcript.
    pub(crate) fn parts(&self) -> Vec<TranscriptPart> {
        let wording = PromptTexts::of(self.language);
        let part =
            |message: &PromptBlock| TranscriptPart { is_own: false, text: message.text().to_owned(), quoted: None };
        let entry = |entry: &TranscriptEntry| match &entry.own {
            Some(own) => {
                TranscriptPart { is_own: true, text: own.to_string(), quoted: Some(entry.block.text().to_owned()) }
            }
            None => part(&entry.block),
        };
        let mut parts: Vec<TranscriptPart> = self.past.iter().map(entry).collect();
        if self.omitted > 0 {
            let first = self.past.iter().take_while(|entry| entry.at_cut == CutBehavior::Stays).count();
            parts.insert(first, part(&wording.omitted(self.omitted)));
        }
        if let Some(first) = parts.first_mut().filter(|first| !first.is_own) {
            first.text = format!("{}\n{}", wording.history, first.text);
        }
        parts.extend(self.present.iter().map(part));
        parts
    }

    /// Returns the entries of the history that a cut can remove.
    pub(crate) fn loose(&self) -> impl Iterator<Item = &TranscriptEntry> {
        self.past.iter().filter(|entry| entry.at_cut != CutBehavior::Stays)
    }

    /// Returns a copy of the transcript without the entries that a cut can remove.
    pub(crate) fn bare(&self) -> Self {
        // Do not clone the whole transcript, because its history can be long.
        let (present, images) = (self.present.clone(), self.images.clone());
        let past = self.past.iter().filter(|entry| entry.at_cut == CutBehavior::Stays).cloned().collect();
        Self { language: self.language, past, present, omitted: self.omitted + self.loose().count(), images }
    }
}
