//! Lists of people as CSV.

use super::{EntryError, EntryErrorCode, PersonEntry};
use crate::identity::ServerRole;

/// Columns of a list.
const COLUMNS: [&str; 4] = ["subject", "name", "role", "active"];

/// Parses a list with a header line. The columns `subject`, `name`, `role` and `active` can be in any order, and all
/// but `subject` can be missing. An empty field counts as absent.
///
/// # Errors
/// Fails with the first entry that cannot be read.
pub fn parse_csv(text: &str) -> Result<Vec<PersonEntry>, EntryError> {
    // Spreadsheet programs write a byte order mark.
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let error = |at: usize, message: String| EntryError::new(at, EntryErrorCode::Unreadable, message);
    let unreadable = |at: usize, cause: &csv::Error| error(at, format!("it is not CSV: {cause}"));
    let header = reader.headers().map_err(|cause| unreadable(0, &cause))?.clone();
    if let Some(unknown) = header.iter().find(|name| !COLUMNS.contains(name)) {
        let message = format!("unknown column {unknown:?} in the first line; use {}", COLUMNS.join(", "));
        return Err(error(0, message));
    }
    let column = |name: &str| header.iter().position(|one| one == name);
    let [subject, name, role, active] = COLUMNS.map(column);
    let Some(subject) = subject else {
        return Err(error(0, "the first line has no column subject; start with subject,name,role,active".into()));
    };
    let mut people = vec![];
    for (at, record) in reader.records().enumerate() {
        let record = record.map_err(|cause| unreadable(at, &cause))?;
        let field = |column: Option<usize>| record.get(column?).filter(|text| !text.is_empty());
        let role = field(role).map(|word| {
            ServerRole::parse(word).ok_or_else(|| error(at, "the role is unknown; use admin, member or guest".into()))
        });
        let active = field(active).map(|word| match word.to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" => Ok(true),
            "false" | "0" | "no" => Ok(false),
            _ => Err(error(at, "active is not a truth value; use true or false".into())),
        });
        people.push(PersonEntry {
            subject: field(Some(subject)).unwrap_or_default().to_owned(),
            name: field(name).map(str::to_owned),
            role: role.transpose()?,
            active: active.transpose()?,
        });
    }
    Ok(people)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_can_be_in_any_order_and_fields_can_be_empty() {
        let text = "\u{feff}name, subject, active\r\n\"Lee, Ann\", u1,\r\n, u2, FALSE\r\n";
        let people = parse_csv(text).expect("is a list");
        let entry = |subject: &str, name: Option<&str>, active| PersonEntry {
            subject: subject.into(),
            name: name.map(str::to_owned),
            role: None,
            active,
        };
        assert_eq!(people, [entry("u1", Some("Lee, Ann"), None), entry("u2", None, Some(false))]);
    }

    #[test]
    fn an_entry_that_cannot_be_read_is_named() {
        for (text, entry, expected) in [
            ("subject,email\nu1,x", 1, "unknown column"),
            ("name\nAnn", 1, "no column subject"),
            ("subject,role\nu1,member\nu2,boss", 2, "the role is unknown"),
            ("subject,active\nu1,maybe", 1, "truth value"),
            ("subject,name\nu1", 1, "not CSV"),
        ] {
            let error = parse_csv(text).expect_err(text);
            assert!(error.entry == entry && error.message.contains(expected), "{error}");
        }
    }
}
