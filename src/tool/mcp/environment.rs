//! Secrets from the environment of the server, so that no file contains them.

use std::collections::BTreeMap;

/// Returns each name with the value of the environment variable that it is mapped to.
///
/// # Errors
/// Fails if a variable is not set.
pub(super) fn resolve(
    named: &BTreeMap<String, String>,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<Vec<(String, String)>, String> {
    named.iter().map(|(name, variable)| Ok((name.clone(), value(variable, &environment)?))).collect()
}

/// Returns the value of a variable.
pub(super) fn value(variable: &str, environment: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    environment(variable).ok_or_else(|| format!("its environment variable {variable} is not set; set it"))
}
