//! Values of TOML that JSON does not have.

use toml::Value;

use crate::json_pointer::child;

/// Returns an error for each date and each number without a value in JSON, with its JSON Pointer. Converted to JSON, a
/// date would be an object of the library, and `inf` would be null.
pub(super) fn find_inexpressible(file: &toml::Table) -> Vec<(String, String)> {
    let mut errors = vec![];
    for (key, value) in file {
        find(value, &child("", key), &mut errors);
    }
    errors
}

fn find(value: &Value, at: &str, errors: &mut Vec<(String, String)>) {
    let mut refuse = |words: String| errors.push((at.to_owned(), format!("{at}: {words}")));
    match value {
        Value::Datetime(date) => refuse(format!("{date} is a date; put it in quotes")),
        Value::Float(number) if !number.is_finite() => {
            refuse(format!("{number} is no number in JSON; write a finite one"))
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                find(item, &child(at, &index.to_string()), errors);
            }
        }
        Value::Table(fields) => {
            for (key, field) in fields {
                find(field, &child(at, key), errors);
            }
        }
        Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Boolean(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_json_does_not_have_are_found_wherever_they_are() {
        let file = "a = 1979-05-27\n[x]\n\"y/z\" = [1.5, inf]\n[[list]]\nat = 07:32:00\n".parse().expect("is TOML");
        let expected = [
            ("/a", "/a: 1979-05-27 is a date; put it in quotes"),
            ("/list/0/at", "/list/0/at: 07:32:00 is a date; put it in quotes"),
            ("/x/y~1z/1", "/x/y~1z/1: inf is no number in JSON; write a finite one"),
        ];
        let mut errors = find_inexpressible(&file);
        errors.sort();
        assert_eq!(errors, expected.map(|(at, words)| (at.to_owned(), words.to_owned())));
    }
}
