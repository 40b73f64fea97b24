//! What stands in the environment of the server so that it stands in no file.

use std::collections::BTreeMap;

/// Names with the values of the variables that stand behind them.
pub(super) fn resolve(
    named: &BTreeMap<String, String>,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<Vec<(String, String)>, String> {
    named.iter().map(|(name, variable)| Ok((name.clone(), value(variable, &environment)?))).collect()
}

/// The value of a variable.
pub(super) fn value(variable: &str, environment: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    environment(variable).ok_or_else(|| format!("the environment variable {variable}, which it names, is not set"))
}
