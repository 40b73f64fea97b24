//! TOML values that JSON cannot express.

use toml::Value;

use crate::json_pointer;
use crate::kernel::first_chars;

/// Maximum number of characters in the JSON Pointer of an error, because keys can be long.
const MAX_PLACE_CHARS: usize = 256;

/// Returns an error, with its JSON Pointer, for each date, time and number that JSON cannot express. Converted to JSON,
/// a date would become an object in the TOML library's format, and `inf` would become null. Stops after `max` errors.
pub(super) fn find_inexpressible(file: &toml::Table, max: usize) -> Vec<(String, String)> {
    let mut search = InexpressibleSearch { place: vec![], errors: vec![], max };
    search.fields(file);
    search.errors
}

/// Replaces each value that JSON cannot express with a string, so that the rest of the file can be checked.
pub(super) fn replace_inexpressible(file: &mut toml::Table) {
    file.iter_mut().for_each(|(_, value)| replace(value));
}

fn replace(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(replace),
        Value::Table(fields) => replace_inexpressible(fields),
        Value::Float(number) if number.is_finite() => {}
        Value::Datetime(_) | Value::Float(_) => *value = Value::String("-".into()),
        Value::String(_) | Value::Integer(_) | Value::Boolean(_) => {}
    }
}

struct InexpressibleSearch<'a> {
    /// Keys and indexes that lead to the current value. The pointer is built only for an error, because it can be as
    /// long as the file.
    place: Vec<Segment<'a>>,
    errors: Vec<(String, String)>,
    max: usize,
}

#[derive(Clone, Copy)]
enum Segment<'a> {
    Key(&'a str),
    Index(usize),
}

impl<'a> InexpressibleSearch<'a> {
    fn fields(&mut self, fields: &'a toml::Table) {
        for (key, field) in fields {
            self.value(Segment::Key(key), field);
        }
    }

    fn value(&mut self, at: Segment<'a>, value: &'a Value) {
        if self.errors.len() >= self.max {
            return;
        }
        self.place.push(at);
        match value {
            Value::Datetime(date) => self.refuse(&format!("{date} is a date or a time; put it in quotes")),
            Value::Float(number) if !number.is_finite() => {
                self.refuse(&format!("{number} is not a number in JSON; write a finite number"));
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.value(Segment::Index(index), item);
                }
            }
            Value::Table(fields) => self.fields(fields),
            Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Boolean(_) => {}
        }
        self.place.pop();
    }

    fn refuse(&mut self, text: &str) {
        let mut pointer = String::new();
        for segment in &self.place {
            pointer = match segment {
                Segment::Key(key) => json_pointer::child(&pointer, first_chars(key, MAX_PLACE_CHARS)),
                Segment::Index(index) => json_pointer::child(&pointer, &index.to_string()),
            };
        }
        let pointer = first_chars(&pointer, MAX_PLACE_CHARS).to_owned();
        self.errors.push((pointer.clone(), format!("{pointer}: {text}")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_json_does_not_have_are_found_wherever_they_are() {
        let file = "a = 1979-05-27\n[x]\n\"y/z\" = [1.5, inf]\n[[list]]\nat = 07:32:00\n".parse().expect("is TOML");
        let expected = [
            ("/a", "/a: 1979-05-27 is a date or a time; put it in quotes"),
            ("/list/0/at", "/list/0/at: 07:32:00 is a date or a time; put it in quotes"),
            ("/x/y~1z/1", "/x/y~1z/1: inf is not a number in JSON; write a finite number"),
        ];
        let mut errors = find_inexpressible(&file, 100);
        errors.sort();
        assert_eq!(errors, expected.map(|(at, text)| (at.to_owned(), text.to_owned())));
    }

    #[test]
    fn errors_with_long_keys_are_few_and_short() {
        let dates = "07:32:00,".repeat(50_000);
        let file = format!("\"{}\" = [{dates}]", "k".repeat(1 << 20)).parse().expect("is TOML");
        let errors = find_inexpressible(&file, 100);
        assert_eq!(errors.len(), 100);
        assert!(errors.iter().all(|(at, text)| at.len() <= 256 && text.len() < 400));
    }
}
