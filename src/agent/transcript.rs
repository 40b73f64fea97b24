//! A history and the words that it is handed over with, as the messages that a model is sent.

use std::sync::Arc;

use super::{Envelope, Image, wording::Wording};
use crate::kernel::Language;

/// A history and the words that it is handed over with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transcript {
    /// The language of the words around it.
    pub language: Language,
    /// What was said before, oldest first; a cut leaves out the oldest.
    pub past: Vec<Entry>,
    /// What must be there: the newest words and what this round has brought so far.
    pub present: Vec<Envelope>,
    /// Entries that were left out.
    pub omitted: usize,
    /// What the newest words show.
    pub images: Vec<Image>,
}

/// One message of a history, as the model reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Who said it, and what.
    pub words: Envelope,
    /// The words alone, where the agent that reads them said them itself, and they are sent as its own message.
    pub own: Option<Arc<str>>,
    /// What a cut does with it.
    pub at_cut: AtCut,
}

/// What a cut does with an entry of a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtCut {
    /// It stays: without it nobody knows what the rest is about.
    Stays,
    /// A history may begin here.
    Begins,
    /// It answers what is before it, so no history begins with it.
    Follows,
}

/// A piece of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    is_own: bool,
    /// As it is sent.
    pub(super) text: String,
    /// The agent's own words, quoted: for places where no message of the assistant may be.
    quoted: Option<String>,
}

/// One of the messages that a transcript is sent as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Turn {
    /// The agent that reads it said it.
    pub(super) is_own: bool,
    /// Nothing of the transcript follows.
    pub(super) is_last: bool,
    pub(super) text: String,
}

impl Entry {
    /// Words of others.
    pub(super) fn new(words: Envelope, at_cut: AtCut) -> Self {
        Self { words, own: None, at_cut }
    }
}

impl Transcript {
    /// All of it as one text.
    pub fn text(&self) -> String {
        self.turns().into_iter().map(|turn| turn.text).collect::<Vec<_>>().join(Self::BETWEEN)
    }

    /// What is between its parts.
    pub(super) const BETWEEN: &str = "\n\n";

    /// The messages that it is sent as, in turns: many chat templates refuse two of one role in a row, one of the assistant
    /// at the beginning, and one at the end, which they would continue.
    pub(super) fn turns(&self) -> Vec<Turn> {
        let mut parts = self.parts();
        let last = parts.iter().rposition(|part| !part.is_own);
        let first = parts.iter().position(|part| !part.is_own);
        for (place, part) in parts.iter_mut().enumerate() {
            part.is_own &= first < Some(place) && Some(place) < last;
        }
        let mut turns: Vec<Turn> = vec![];
        for part in parts {
            let Part { is_own, text, quoted } = part;
            let text = if is_own { text } else { quoted.unwrap_or(text) };
            match turns.last_mut() {
                Some(turn) if turn.is_own == is_own => {
                    turn.text.push_str(Self::BETWEEN);
                    turn.text.push_str(&text);
                }
                _ => turns.push(Turn { is_own, is_last: false, text }),
            }
        }
        if let Some(turn) = turns.last_mut() {
            turn.is_last = true;
        }
        turns
    }

    /// What it consists of.
    pub(super) fn parts(&self) -> Vec<Part> {
        let wording = Wording::of(self.language);
        let part = |words: &Envelope| Part { is_own: false, text: words.text().to_owned(), quoted: None };
        let entry = |entry: &Entry| match &entry.own {
            Some(own) => Part { is_own: true, text: own.to_string(), quoted: Some(entry.words.text().to_owned()) },
            None => part(&entry.words),
        };
        let mut parts: Vec<Part> = self.past.iter().map(entry).collect();
        if self.omitted > 0 {
            let first = self.past.iter().take_while(|entry| entry.at_cut == AtCut::Stays).count();
            parts.insert(first, part(&wording.omitted(self.omitted)));
        }
        if let Some(first) = parts.first_mut().filter(|first| !first.is_own) {
            first.text = format!("{}\n{}", wording.history, first.text);
        }
        parts.extend(self.present.iter().map(part));
        parts
    }

    /// Of its past, what a cut may leave out.
    pub(super) fn loose(&self) -> impl Iterator<Item = &Entry> {
        self.past.iter().filter(|entry| entry.at_cut != AtCut::Stays)
    }

    /// The same without that.
    pub(super) fn bare(&self) -> Self {
        // Not a clone of the whole: the past may be long.
        let (present, images) = (self.present.clone(), self.images.clone());
        let past = self.past.iter().filter(|entry| entry.at_cut == AtCut::Stays).cloned().collect();
        Self { language: self.language, past, present, omitted: self.omitted + self.loose().count(), images }
    }
}
