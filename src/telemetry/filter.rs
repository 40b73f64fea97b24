//! Parses and validates log filters. The library accepts any text as the target of a directive, so a misspelled target
//! would silently log nothing.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::EnvFilter;

use super::log_spans;
use crate::spelling;

/// Modules of the program and crates that it links, one per line.
const TARGETS: &str = include_str!(concat!(env!("OUT_DIR"), "/log_targets.txt"));

/// Parses a log filter.
///
/// # Errors
/// Fails if it is empty, or names a level, target, span or field that does not exist. Spans and fields of libraries are
/// not checked.
pub fn parse_filter(text: &str) -> Result<EnvFilter, String> {
    let directives: Vec<&str> = text.split(',').map(str::trim).filter(|directive| !directive.is_empty()).collect();
    if directives.is_empty() {
        return Err("the filter is empty; use a level such as info".into());
    }
    directives.iter().try_for_each(|directive| check_directive(directive))?;
    // The library does not accept a space after a comma.
    directives
        .join(",")
        .parse()
        .map_err(|error| format!("{error}; use a level such as info, or info,roundtable::store=debug"))
}

fn check_directive(directive: &str) -> Result<(), String> {
    if directive.parse::<LevelFilter>().is_ok() {
        return Ok(());
    }
    let target = directive.split(['[', '=']).next().unwrap_or_default();
    if !target.is_empty() {
        check_target(target, directive == target)?;
    }
    let is_own = target.is_empty() || target == "roundtable" || target.starts_with("roundtable::");
    let span = directive.split_once('[').and_then(|(_, rest)| rest.rsplit_once(']'));
    match span {
        Some((span, _)) if is_own => check_span(span),
        _ => Ok(()),
    }
}

/// Checks that a target is a part of the program, or a library that it uses.
fn check_target(target: &str, is_bare: bool) -> Result<(), String> {
    static KNOWN: LazyLock<BTreeSet<&str>> = LazyLock::new(|| TARGETS.lines().collect());
    let library = target.split("::").next().filter(|name| *name != "roundtable");
    if KNOWN.contains(library.unwrap_or(target)) {
        return Ok(());
    }
    let what = if is_bare { "neither a level nor a target" } else { "not a target" };
    let levels = ["error", "warn", "info", "debug", "trace", "off"].into_iter().filter(|_| is_bare);
    // An unknown target is more often a misspelled part of the program than a misspelled library.
    let parts = KNOWN.iter().copied().filter(|name| *name == "roundtable" || name.starts_with("roundtable::"));
    Err(match spelling::nearest(target, levels.chain(parts)) {
        Some(nearest) => format!("{target:?} is {what}; did you mean {nearest}?"),
        None => format!("{target:?} is {what}; use a level such as info, or info,roundtable::store=debug"),
    })
}

/// Checks the part of a directive between its brackets: `NAME`, `NAME{FIELD=VALUE}` or `{FIELD}`.
fn check_span(span: &str) -> Result<(), String> {
    let (name, fields) = span.split_once('{').unwrap_or((span, ""));
    let spans = log_spans::FIELDS.iter().filter(|(known, _)| name.is_empty() || *known == name);
    if spans.clone().next().is_none() {
        let known = log_spans::FIELDS.map(|(known, _)| known).join(", ");
        return Err(format!("there is no span {name:?}; use one of {known}"));
    }
    let known: BTreeSet<&str> = spans.flat_map(|(_, fields)| fields.iter().copied()).collect();
    let field = fields.trim_end_matches('}').split('=').next().unwrap_or_default().trim();
    match Some(field).filter(|field| !field.is_empty() && !known.contains(field)) {
        Some(unknown) => {
            let known = known.into_iter().collect::<Vec<_>>().join(", ");
            Err(format!("there is no span with the field {unknown:?}; use one of {known}"))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_targets_spans_and_fields_are_accepted() {
        for filter in [
            "info",
            "OFF",
            "warn,roundtable::orchestrator=debug",
            "info, roundtable::telemetry::slow_operation=off",
            "roundtable=debug",
            "info,hyper=trace,hyper_util::client=debug,sqlx",
            "info,[session{session=s_0198c0de000070008000000000000000}]=debug",
            "info,[{agent=TestCase_Reviewer}]=debug",
            "info,roundtable::orchestrator[turn{run=r_5}]=debug",
            "info,h2[connection{anything}]=debug",
        ] {
            assert!(parse_filter(filter).is_ok(), "{filter}: {:?}", parse_filter(filter).err());
        }
    }

    #[test]
    fn whatever_would_log_nothing_is_rejected() {
        for (filter, message) in [
            ("", "the filter is empty"),
            (" , ", "the filter is empty"),
            ("debgu", "\"debgu\" is neither a level nor a target; did you mean debug?"),
            ("info;warn", "\"info;warn\" is neither"),
            ("7", "\"7\" is neither"),
            (
                "info roundtable::http=debug",
                "\"info roundtable::http\" is not a target; did you mean roundtable::http?",
            ),
            ("roundtabel=debug", "\"roundtabel\" is not a target; did you mean roundtable?"),
            (
                "info,roundtable::orchestrater=debug",
                "\"roundtable::orchestrater\" is not a target; did you mean roundtable::orchestrator?",
            ),
            (
                "info,[sesion]=debug",
                "there is no span \"sesion\"; use one of connection, request, session, run, turn, call",
            ),
            ("info,[{agnt=x}]=debug", "there is no span with the field \"agnt\"; use one of agent, "),
            ("info,[session{agent=x}]=debug", "there is no span with the field \"agent\"; use one of session"),
            ("info,roundtable=loud", "error parsing level filter"),
            ("info,[session", "invalid filter directive"),
        ] {
            let error = parse_filter(filter).expect_err(filter);
            assert!(error.starts_with(message), "{filter}: {error}");
        }
    }
}
