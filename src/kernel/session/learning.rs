//! Settings for the rules that a session learns from votes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Source of proposals for rules that are learned from votes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LearningMode {
    /// The server, as soon as there is enough evidence. People can propose rules as well.
    Automatic,
    /// People only, from the suggestions.
    Manual,
    /// No rules are proposed.
    Off,
}

/// Evidence that a rule needs before it is proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LearningSettings {
    /// Source of proposals: `automatic` (the server, or people), `manual` (people only) or `off`. Default `automatic`.
    pub mode: LearningMode,
    /// Minimum number of calls that people allowed as proposed, 2 to 200. Default 5.
    #[schemars(range(min = 2, max = 200))]
    pub min_decisions: u32,
    /// Minimum number of different people who allowed them, 1 to 20. Default 2.
    #[schemars(range(min = 1, max = 20))]
    pub min_people: u32,
    /// Maximum percentage of decisions that rejected or changed such calls, 0 to 50. Default 10.
    #[schemars(range(max = 50))]
    pub max_refused_percent: u32,
}

impl Default for LearningSettings {
    fn default() -> Self {
        Self { mode: LearningMode::Automatic, min_decisions: 5, min_people: 2, max_refused_percent: 10 }
    }
}

impl LearningSettings {
    /// Returns whether the settings are the default ones.
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Checks the settings. The error message is for their sender.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        if !(2..=200).contains(&self.min_decisions) {
            return Err("learning.min_decisions must be between 2 and 200");
        }
        if !(1..=20).contains(&self.min_people) {
            return Err("learning.min_people must be between 1 and 20");
        }
        if self.max_refused_percent > 50 {
            return Err("learning.max_refused_percent must be at most 50");
        }
        Ok(())
    }
}
