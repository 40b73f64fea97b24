//! A checked team in the form in which it is stored.

use std::sync::Arc;

use crate::agent::teams::topology::{TeamDocument, TopologySummary};
use crate::agent::teams::{TeamContent, TeamEntry};
use crate::protocol::Problem;

/// A team that can be stored.
#[derive(Debug)]
pub(super) struct PreparedTeam {
    name: Arc<str>,
    description: Arc<str>,
    /// The document, as JSON.
    document: String,
    entry: TeamEntry,
}

impl PreparedTeam {
    /// Prepares a document. This takes milliseconds for the largest documents.
    pub(super) fn new(document: &TeamDocument) -> Result<Self, Problem> {
        Ok(Self {
            name: document.team_name.clone(),
            description: document.description.clone(),
            document: serde_json::to_string(document).map_err(Problem::internal)?,
            entry: TeamEntry { summary: document.summary(), references: document.references() },
        })
    }

    pub(super) fn content(&self) -> TeamContent<'_> {
        let Self { name, description, document, entry } = self;
        TeamContent { name, description, document, entry }
    }

    pub(super) fn summary(&self) -> TopologySummary {
        self.entry.summary
    }
}
