//! Templates of rights that the operator offers for sessions.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::{RightRule, Settings};

/// Rights that people can choose for a session by the name of the template. The session receives a copy.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RightsTemplate {
    /// Title for people, for example `Review only`, at most 80 characters. If absent, the name of the template.
    pub title: Option<String>,
    /// Rights that differ from the defaults, as in the session setting `rights`. If empty, all rights have their
    /// defaults. Example: `[{ role = "viewer", right = "steer", access = "ask" }]`.
    pub rights: Vec<RightRule>,
}

/// Templates of rights, keyed by name.
pub type RightsTemplates = BTreeMap<String, RightsTemplate>;

/// Maximum number of templates on a server.
const MAX_TEMPLATES: usize = 32;
/// Maximum number of characters in a title.
const MAX_TITLE_CHARS: usize = 80;

/// Checks the templates, and checks that the default one exists.
///
/// # Errors
/// Adds a description of each problem to `errors`, with the key of its setting.
pub(super) fn check(templates: &RightsTemplates, default: Option<&str>, errors: &mut Vec<String>) {
    if templates.len() > MAX_TEMPLATES {
        errors.push(format!("rights_templates: {} templates; at most {MAX_TEMPLATES} are possible", templates.len()));
    }
    for (name, template) in templates {
        let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
        if name.is_empty() || name.len() > 64 || !name.chars().all(is_word) {
            errors.push(format!(
                "rights_templates: {name:?} is not a valid name; use 1 to 64 lower-case letters, digits, - and _"
            ));
        }
        if template.title.as_ref().is_some_and(|title| !crate::kernel::is_label(title, MAX_TITLE_CHARS)) {
            errors.push(format!(
                "rights_templates.{name}.title: not a valid title; use 1 to {MAX_TITLE_CHARS} characters in one line"
            ));
        }
        let settings = Settings { rights: template.rights.clone(), ..Settings::default() };
        errors.extend(settings.check().err().map(|error| format!("rights_templates.{name}.rights: {error}")));
    }
    if let Some(default) = default
        && !templates.contains_key(default)
    {
        let names: Vec<_> = templates.keys().map(String::as_str).collect();
        let advice = if names.is_empty() { "define it".to_owned() } else { format!("use one of {}", names.join(", ")) };
        errors.push(format!("sessions.rights_template: there is no rights_templates.{default}; {advice}"));
    }
}
