//! Lists of people as CSV.

use super::{EntryError, EntryErrorCode, PersonEntry};
use crate::identity::ServerRole;

/// Columns of a list.
const COLUMNS: [&str; 4] = ["subject", "name", "role", "active"];

/// Parses a list with a header line. The columns `subject`, `name`, `role` and `active` can be in any order, and all
/// but `subject` can be missing. An empty field counts as absent.
///
/// # Errors
/// Fails with the errors in all entries that cannot be parsed, or only with the error in the first line if that line
/// does not name the columns.
pub fn parse_csv(text: &str) -> Result<Vec<PersonEntry>, Vec<EntryError>> {
    // Spreadsheet programs write a byte order mark.
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let error = |at: usize, message: String| EntryError::new(at, EntryErrorCode::Unreadable, message);
    let unreadable = |at: usize, cause: &csv::Error| error(at, format!("it is not CSV: {cause}"));
    let header = reader.headers().map_err(|cause| vec![unreadable(0, &cause)])?.clone();
    if let Some(unknown) = header.iter().find(|name| !COLUMNS.contains(name)) {
        let message = format!("unknown column {unknown:?} in the first line; use {}", COLUMNS.join(", "));
        return Err(vec![error(0, message)]);
    }
    let column = |name: &str| header.iter().position(|one| one == name);
    let [subject, name, role, active] = COLUMNS.map(column);
    let Some(subject) = subject else {
        let message = "the first line has no column subject; start with subject,name,role,active";
        return Err(vec![error(0, message.into())]);
    };
    let (mut people, mut errors) = (vec![], vec![]);
    for (at, record) in reader.records().enumerate() {
        let record = match record {
            Ok(record) => record,
            Err(cause) => {
                errors.push(unreadable(at, &cause));
                continue;
            }
        };
        let field = |column: Option<usize>| record.get(column?).filter(|text| !text.is_empty());
        // The reader accepts a quote that is never closed, and puts the rest of the list into that field.
        if record.iter().any(|field| field.contains('\n')) {
            errors.push(error(at, "a field contains a line break; close its quotes".into()));
            continue;
        }
        let role_name = field(role);
        let role = role_name.and_then(ServerRole::parse);
        if role_name.is_some() && role.is_none() {
            errors.push(error(at, "the role is unknown; use admin, member or guest".into()));
        }
        let active = match field(active).map(str::to_ascii_lowercase).as_deref() {
            None => None,
            Some("true" | "1" | "yes") => Some(true),
            Some("false" | "0" | "no") => Some(false),
            Some(_) => {
                errors.push(error(at, "active is not a truth value; use true or false".into()));
                None
            }
        };
        let subject = field(Some(subject)).unwrap_or_default().to_owned();
        people.push(PersonEntry { subject, name: field(name).map(str::to_owned), role, active });
    }
    if errors.is_empty() { Ok(people) } else { Err(errors) }
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
            let errors = parse_csv(text).expect_err(text);
            let [error] = &errors[..] else { panic!("{errors:?}") };
            assert!(error.entry == entry && error.message.contains(expected), "{error}");
        }
    }

    #[test]
    fn all_entries_that_cannot_be_read_are_named() {
        let text = "subject,role,active\nu1,boss,maybe\nu2\nu3,member,yes\nu4,\"member\nu5,,\n";
        let errors = parse_csv(text).expect_err("entries are invalid");
        let named: Vec<_> = errors.iter().map(|error| (error.entry, &*error.message)).collect();
        let messages = ["the role is unknown", "active is not", "it is not CSV", "it is not CSV"];
        assert!(
            named.len() == messages.len() && named.iter().zip(messages).all(|((_, one), part)| one.contains(part)),
            "{named:?}"
        );
        assert_eq!(named.iter().map(|(entry, _)| *entry).collect::<Vec<_>>(), [1, 1, 2, 4]);
    }

    #[test]
    fn quotes_that_are_never_closed_are_an_error() {
        let text = "subject,name\nu1,\"Ann\nu2,Bob\n";
        let errors = parse_csv(text).expect_err("the quotes are open");
        assert!(errors.len() == 1 && errors[0].message.contains("close its quotes"), "{errors:?}");
    }
}
