//! Moments that are written into texts. A request to a model holds the stamps of all that was said before, and the newest
//! of them tells what brought the request about, and when.

use crate::machine;

/// What brings a request about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A participant said something.
    Said,
    /// A model called a tool.
    Called,
    /// A tool gave its result.
    Brought,
    /// An agent was done.
    Written,
}

impl Cause {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Said, Self::Called, Self::Brought, Self::Written];

    /// A stamp of this moment.
    pub fn stamp(self) -> String {
        format!("@{}@{}", machine::nanos(), self.word())
    }

    /// From what to what the time is that follows from it.
    pub fn way(self) -> &'static str {
        match self {
            Self::Said => "command to model",
            Self::Called => "call to tool",
            Self::Brought => "tool's result to model",
            Self::Written => "answer to next agent's model",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Said => "said",
            Self::Called => "called",
            Self::Brought => "brought",
            Self::Written => "written",
        }
    }
}

/// The newest stamp of a text.
pub fn newest(text: &str) -> Option<(Cause, u64)> {
    let parts: Vec<&str> = text.split('@').collect();
    let stamps = parts.windows(2).filter_map(|pair| {
        let cause = Cause::ALL.into_iter().find(|cause| pair[1].starts_with(cause.word()))?;
        Some((cause, pair[0].parse().ok()?))
    });
    stamps.max_by_key(|(_, at)| *at)
}
