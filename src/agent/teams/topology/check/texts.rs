//! Checks of texts: names in one line, and prompts.

use super::locus::Locus;
use crate::agent::teams::topology::limits::MAX_PROMPT_BYTES;
use crate::agent::teams::topology::report::{TopologyErrorCode, TopologyReport};
use crate::kernel::{is_blank, is_hidden, is_within_chars};

/// Checks a name: one line of 1 to `max` characters that shows something.
pub(super) fn check_label(
    report: &mut TopologyReport,
    at: &Locus<'_>,
    (field, what): (&str, &str),
    text: Option<&str>,
    max: usize,
) {
    let Some(text) = text else { return };
    if is_blank(text) {
        report.fault(at, field, TopologyErrorCode::Empty, format_args!("the {what} is empty; set it"));
        return;
    }
    check_line(report, at, (field, what), text, max);
}

/// Checks a line of at most `max` characters, which can be empty.
pub(super) fn check_line(
    report: &mut TopologyReport,
    at: &Locus<'_>,
    (field, what): (&str, &str),
    text: &str,
    max: usize,
) {
    if !is_within_chars(text, max) {
        let words = format!("the {what} is too long; use at most {max} characters");
        report.fault(at, field, TopologyErrorCode::TooLong, words);
    } else if text.chars().any(is_hidden) {
        let words = format!("the {what} has line breaks or invisible characters; remove them");
        report.fault(at, field, TopologyErrorCode::InvalidCharacters, words);
    }
}

/// Checks a text of several lines. It can be empty only if it is optional and absent.
pub(super) fn check_prompt(
    report: &mut TopologyReport,
    at: &Locus<'_>,
    (field, what): (&str, &str),
    text: Option<&str>,
) {
    let Some(text) = text else { return };
    if text.len() > MAX_PROMPT_BYTES {
        let words = format!("the {what} is too long; use at most {MAX_PROMPT_BYTES} bytes");
        report.fault(at, field, TopologyErrorCode::TooLong, words);
    } else if is_blank(text) {
        report.fault(at, field, TopologyErrorCode::Empty, format_args!("the {what} is empty; write it"));
    } else {
        check_nul(report, at, (field, what), text);
    }
}

/// Checks that a text has no NUL, which PostgreSQL cannot store.
pub(super) fn check_nul(report: &mut TopologyReport, at: &Locus<'_>, (field, what): (&str, &str), text: &str) {
    if text.contains('\0') {
        let words = format!("the {what} contains a NUL character; remove it");
        report.fault(at, field, TopologyErrorCode::InvalidCharacters, words);
    }
}

/// Checks that a number is in a range.
pub(super) fn check_range(
    report: &mut TopologyReport,
    at: &Locus<'_>,
    (field, what): (&str, &str),
    number: Option<f64>,
    (min, max): (f64, f64),
) {
    if number.is_some_and(|number| !(min..=max).contains(&number)) {
        let words = format!("the {what} is out of range; use {min} to {max}");
        report.fault(at, field, TopologyErrorCode::OutOfRange, words);
    }
}
