//! Lists of people as JSON.

use serde_json::value::RawValue;

use super::{EntryError, EntryErrorCode, PersonEntry};

/// Parses an array of objects with the fields of [`PersonEntry`].
///
/// # Errors
/// The outer error states why the text is not a JSON array. The inner error contains the errors in all entries that
/// cannot be parsed.
pub fn parse_json(text: &str) -> Result<Result<Vec<PersonEntry>, Vec<EntryError>>, serde_json::Error> {
    let (mut people, mut errors) = (vec![], vec![]);
    // Parse entry by entry, so that one error does not hide the errors in other entries.
    for (at, entry) in serde_json::from_str::<Vec<&RawValue>>(text)?.into_iter().enumerate() {
        match serde_json::from_str(entry.get()) {
            Ok(person) => people.push(person),
            Err(cause) => errors.push(EntryError::new(at, EntryErrorCode::Unreadable, cause.to_string())),
        }
    }
    Ok(if errors.is_empty() { Ok(people) } else { Err(errors) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_entries_that_cannot_be_read_are_named() {
        let text = r#"[{"name": "Ann"}, {"subject": "u2"}, {"subject": "u3", "role": "boss"}]"#;
        let errors = parse_json(text).expect("is a list").expect_err("two entries are invalid");
        assert_eq!(errors.iter().map(|error| error.entry).collect::<Vec<_>>(), [1, 3]);
        assert!(errors[0].message.contains("subject") && errors[1].message.contains("boss"), "{errors:?}");
        assert!(parse_json("{}").is_err());
    }
}
