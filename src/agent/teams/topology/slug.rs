//! Names of teams in team files, derived from their display names.

use super::limits::MAX_SLUG_CHARS;
use crate::agent::teams::builtin_teams;

/// Returns the name of a team in team files: `Order service` becomes `order-service`, and `Incident EN` becomes
/// `incident-en-topology`. The suffix is needed because an operator's file with the name of a built-in team, such as
/// `incident-en`, must have the flow of that team, so a topology with that name could not be loaded.
pub(super) fn slug(name: &str) -> String {
    let slug = without_punctuation(name);
    if builtin_teams::similar_to(&slug).is_some() { format!("{slug}-topology") } else { slug }
}

/// Returns a name in lower case, with hyphens for spaces and punctuation.
fn without_punctuation(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars().flat_map(char::to_lowercase) {
        let c = if c.is_alphanumeric() || matches!(c, '_' | '.') { c } else { '-' };
        if c != '-' || !(slug.is_empty() || slug.ends_with('-')) {
            slug.push(c);
        }
    }
    let slug: String = slug.chars().take(MAX_SLUG_CHARS).collect();
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "team".into() } else { slug.into() }
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn a_slug_is_plain_and_short() {
        for (name, expected) in
            [("Order service", "order-service"), ("  订单 服务!!", "订单-服务"), ("§§", "team"), ("A.b_C", "a.b_c")]
        {
            assert_eq!(slug(name), expected, "{name}");
        }
        assert_eq!(slug("Incident EN"), "incident-en-topology", "it does not replace a built-in team");
        assert_eq!(slug("Incident_en"), "incident_en-topology", "nor looks like one");
        assert_eq!(slug(&"x ".repeat(100)).chars().count(), 63, "it ends with a letter");
    }
}
