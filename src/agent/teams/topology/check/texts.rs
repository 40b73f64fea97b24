//! Checks the texts and numbers of a document: names, one-line texts, prompts and ranges.

use std::sync::LazyLock;

use super::error_place::ErrorPlace;
use crate::agent::teams::topology::limits::{MAX_NAME_CHARS, MAX_PROMPT_BYTES};
use crate::agent::teams::topology::report::{TopologyErrorCode, TopologyReport};
use crate::kernel::{Skeleton, is_blank, is_hidden, is_within_chars};

/// Names that already have a meaning in mentions or in the log. Computed once, not for each of thousands of agents.
static RESERVED: LazyLock<[Skeleton; 3]> = LazyLock::new(|| ["all", "people", "Roundtable"].map(Skeleton::of));

/// Checks that a name is one line of 1 to `max` characters, at least one of them visible.
pub(super) fn check_label(
    report: &mut TopologyReport,
    at: &ErrorPlace<'_>,
    (field, what): (&str, &str),
    text: Option<&str>,
    max: usize,
) {
    if let Some((code, message)) = text.and_then(|text| label_error(what, text, max)) {
        report.fault(at, field, code, message);
    }
}

/// Checks the name of an agent. People use it in mentions.
pub(super) fn check_agent_name(report: &mut TopologyReport, at: &ErrorPlace<'_>, field: &str, name: Option<&str>) {
    if let Some((code, message)) = name.and_then(agent_name_error) {
        report.fault(at, field, code, message);
    }
}

/// Returns an error if a name is not one line of 1 to `max` characters, at least one of them visible.
pub(in crate::agent::teams) fn label_error(what: &str, text: &str, max: usize) -> Option<(TopologyErrorCode, String)> {
    if is_blank(text) {
        return Some((TopologyErrorCode::Empty, format!("the {what} is empty; set it")));
    }
    line_error(what, text, max)
}

/// Returns an error if an agent's name is invalid or reserved. Reserved names denote a group or the server in mentions
/// and in the log.
pub(in crate::agent::teams) fn agent_name_error(name: &str) -> Option<(TopologyErrorCode, String)> {
    // The comparison below takes a second per megabyte, so check the length first.
    label_error("name", name, MAX_NAME_CHARS).or_else(|| {
        let is_reserved = RESERVED.iter().any(|reserved| reserved.matches(name));
        let message =
            "the name is reserved, or looks like a reserved name such as all, people or Roundtable; choose another name";
        is_reserved.then(|| (TopologyErrorCode::ReservedId, message.into()))
    })
}

fn line_error(what: &str, text: &str, max: usize) -> Option<(TopologyErrorCode, String)> {
    if !is_within_chars(text, max) {
        return Some((TopologyErrorCode::TooLong, format!("the {what} is too long; use at most {max} characters")));
    }
    let message = || format!("the {what} has line breaks or invisible characters; remove them");
    text.chars().any(is_hidden).then(|| (TopologyErrorCode::InvalidCharacters, message()))
}

/// Checks that a string is one line of at most `max` characters. It can be empty.
pub(super) fn check_line(
    report: &mut TopologyReport,
    at: &ErrorPlace<'_>,
    (field, what): (&str, &str),
    text: &str,
    max: usize,
) {
    if let Some((code, message)) = line_error(what, text, max) {
        report.fault(at, field, code, message);
    }
}

/// Checks a prompt, which can have several lines. `None` is valid, but a blank prompt is not.
pub(super) fn check_prompt(
    report: &mut TopologyReport,
    at: &ErrorPlace<'_>,
    (field, what): (&str, &str),
    text: Option<&str>,
) {
    let Some(text) = text else { return };
    if text.len() > MAX_PROMPT_BYTES {
        let message = format!("the {what} is too long; use at most {MAX_PROMPT_BYTES} bytes");
        report.fault(at, field, TopologyErrorCode::TooLong, message);
    } else if is_blank(text) {
        report.fault(at, field, TopologyErrorCode::Empty, format_args!("the {what} is empty; write it"));
    } else {
        check_nul(report, at, (field, what), text);
    }
}

/// Checks that a string contains no NUL character, which PostgreSQL cannot store.
pub(super) fn check_nul(report: &mut TopologyReport, at: &ErrorPlace<'_>, (field, what): (&str, &str), text: &str) {
    if text.contains('\0') {
        let message = format!("the {what} contains a NUL character; remove it");
        report.fault(at, field, TopologyErrorCode::InvalidCharacters, message);
    }
}

/// Checks that a number, if there is one, is in a range.
pub(super) fn check_range(
    report: &mut TopologyReport,
    at: &ErrorPlace<'_>,
    (field, what): (&str, &str),
    number: Option<f64>,
    (min, max): (f64, f64),
) {
    if number.is_some_and(|number| !(min..=max).contains(&number)) {
        let message = format!("the {what} is out of range; use {min} to {max}");
        report.fault(at, field, TopologyErrorCode::OutOfRange, message);
    }
}
