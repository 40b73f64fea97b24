//! Report of all errors in a topology.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::limits;
use super::placement::PlacementError;
use crate::kernel::first_chars;

/// Kind of an error in a topology.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TopologyErrorCode {
    /// The value does not have the type of the field.
    InvalidType,
    /// A required field is missing.
    MissingField,
    /// The field does not exist.
    UnknownField,
    /// The value is not one of those that the field accepts, such as an unknown strategy.
    UnknownValue,
    /// The number is too low or too high.
    OutOfRange,
    /// The string or list is empty.
    Empty,
    /// The string or list is too long.
    TooLong,
    /// The string contains line breaks, invisible characters or NUL where they are not allowed.
    InvalidCharacters,
    /// The value cannot be stored, such as null in an attribute.
    UnsupportedValue,
    /// The id contains characters other than `A-Z a-z 0-9 _ . -`, or is too long.
    InvalidId,
    /// The id or name is reserved.
    ReservedId,
    /// Another node, or another agent of the node, has the same id.
    DuplicateId,
    /// The same edge occurs twice.
    DuplicateEdge,
    /// An edge or a template refers to a node that does not exist.
    UnknownNode,
    /// An edge leads from a node to itself.
    SelfEdge,
    /// The node has no edge.
    IsolatedNode,
    /// Nodes wait for each other.
    Cycle,
    /// The longest path has too many nodes.
    TooDeep,
    /// The server has no such model provider.
    UnknownProvider,
    /// The provider has no such model.
    UnknownModel,
    /// The server has no such tool.
    UnknownTool,
    /// The braces of a template do not match.
    InvalidTemplate,
    /// A variable of a template does not exist.
    UnknownVariable,
    /// A call rule has no effect.
    InvalidPermission,
    /// An agent in a team file does not belong to a node, its id does not match its node, or the file has no topology.
    MisplacedAgent,
    /// The team file is invalid.
    InvalidTeamFile,
}

/// Error in a topology.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TopologyError {
    /// JSON Pointer to the value in the document. For the `invalid_team_file` and `misplaced_agent` codes, it points
    /// into the team file instead. Empty for the whole document or file. Example:
    /// `/topology/nodes/0/agents/1/model_id`.
    pub pointer: String,
    /// Kind of the error.
    pub code: TopologyErrorCode,
    /// Explanation for people: the problem, then the fix.
    pub message: String,
}

/// All errors in a topology.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct TopologyReport {
    /// Ids of the nodes with errors, at most 100.
    invalid_nodes: Vec<Arc<str>>,
    /// Providers, models, tools and nodes that do not exist, at most 100.
    missing_references: Vec<Arc<str>>,
    /// Errors, at most 100.
    errors: Vec<TopologyError>,
    /// True if there are more errors than `errors` contains.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

impl TopologyReport {
    /// Creates a report of errors without a JSON Pointer.
    pub fn of_lines(code: TopologyErrorCode, lines: impl IntoIterator<Item = String>) -> Self {
        Self::of_errors(code, lines.into_iter().map(|line| (String::new(), line)))
    }

    /// Creates a report of errors with their pointers.
    pub(super) fn of_errors(code: TopologyErrorCode, errors: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut report = Self::default();
        for (pointer, message) in errors {
            report.add(pointer, code, message);
        }
        report
    }

    /// Returns the errors.
    pub fn errors(&self) -> &[TopologyError] {
        &self.errors
    }

    /// Returns whether there are no errors.
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// Returns the ids of the nodes with errors.
    #[cfg(test)]
    pub(super) fn invalid_nodes(&self) -> &[Arc<str>] {
        &self.invalid_nodes
    }

    /// Returns the first error, and the number of further errors.
    pub fn summary(&self) -> String {
        let first = self.errors.first().map_or_else(String::new, |error| error.message.clone());
        match self.errors.len() {
            0 | 1 => first,
            more => {
                let at_least = if self.truncated { "at least " } else { "" };
                let errors = if more == 2 { "error" } else { "errors" };
                format!("{first} (and {at_least}{} more {errors} in details.errors)", more - 1)
            }
        }
    }

    pub(super) fn add(&mut self, pointer: String, code: TopologyErrorCode, message: String) {
        if self.errors.len() < limits::MAX_ERRORS {
            self.errors.push(TopologyError { pointer, code, message });
        } else {
            self.truncated = true;
        }
    }

    /// Adds the errors about agents without a place and places without an agent, with pointers into the team file.
    pub(super) fn add_misplaced(&mut self, errors: &[PlacementError]) {
        for error in errors {
            self.add(error.pointer(), TopologyErrorCode::MisplacedAgent, error.message.clone());
        }
    }

    pub(super) fn add_node(&mut self, id: Option<&str>) {
        insert(&mut self.invalid_nodes, id);
    }

    pub(super) fn add_missing(&mut self, name: &str) {
        insert(&mut self.missing_references, Some(name));
    }
}

/// Adds a name, if there is one, to a bounded list without duplicates.
fn insert(names: &mut Vec<Arc<str>>, name: Option<&str>) {
    let Some(name) = name.map(|name| first_chars(name, limits::MAX_SHOWN_CHARS)) else { return };
    if names.len() < limits::MAX_ERRORS && !names.iter().any(|known| **known == *name) {
        names.push(name.into());
    }
}
