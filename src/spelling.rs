//! Suggestions for misspelled names.

/// Minimum similarity of a name that an error message suggests.
const MIN_SIMILARITY: f64 = 0.65;

/// Returns the name that is most similar to an unknown one, if one is similar enough.
pub(crate) fn nearest<'a>(unknown: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let scored = names.into_iter().map(|name| (strsim::normalized_damerau_levenshtein(name, unknown), name));
    let near = scored.filter(|(score, _)| *score > MIN_SIMILARITY);
    near.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_most_similar_name_is_suggested_if_it_is_similar() {
        let names = ["code_read", "code_search", "report"];
        assert_eq!(nearest("code_raed", names), Some("code_read"));
        assert_eq!(nearest("code_serch", names), Some("code_search"));
        assert_eq!(nearest("weather", names), None);
    }
}
