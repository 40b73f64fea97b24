//! Lists of people as JSON.

use serde_json::value::RawValue;

use super::{EntryError, EntryErrorCode, PersonEntry};

/// Parses a list of objects with the fields of [`PersonEntry`].
///
/// # Errors
/// The outer error says why the text is not a JSON list; the inner error contains all entries that cannot be read.
pub fn parse_json(text: &str) -> Result<Result<Vec<PersonEntry>, Vec<EntryError>>, serde_json::Error> {
    let (mut people, mut errors) = (vec![], vec![]);
    // Entry by entry, so that one that cannot be read does not hide the others.
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
