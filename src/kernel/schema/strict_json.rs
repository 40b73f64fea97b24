//! JSON without loss or ambiguity. People decide on the text of a value, and a program receives the parsed value, so
//! both must be the same.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Parses JSON text. The error says why the text is not valid JSON, or why the parsed value would differ from it: an
/// object has a duplicate name, of which only one value would remain, or a number has more digits than are stored.
pub fn parse(json: &str) -> Result<Value, String> {
    let UniqueNames(value) = serde_json::from_str(json).map_err(|error| error.to_string())?;
    match inexact_number(json) {
        Some(number) => {
            let shown: String = number.chars().take(40).collect();
            Err(format!("the number {shown} has too many digits; use fewer digits, or a string"))
        }
        None => Ok(value),
    }
}

/// Returns whether every number in JSON text stays the same when it is parsed and written.
pub(super) fn has_exact_numbers(json: &str) -> bool {
    inexact_number(json).is_none()
}

/// Returns the first number that changes when it is parsed and written; `None` if all numbers stay the same.
fn inexact_number(json: &str) -> Option<&str> {
    has_long_number(json.as_bytes()).then(|| numbers(json).find(|number| !is_exact(number))).flatten()
}

/// Returns false only if every number is short and has no exponent, and is therefore exact. Much faster than checking
/// each number, and few inputs contain longer ones.
fn has_long_number(json: &[u8]) -> bool {
    let is_part = |sign: &u8| matches!(sign, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
    // No early exit, so that the compiler can compare many bytes at once.
    let is_exponent = |pair: &[u8]| pair[0].is_ascii_digit() & (pair[1] | 0x20 == b'e');
    let exponents = json.windows(2).fold(false, |found, pair| found | is_exponent(pair));
    // Every run of more than 15 such characters covers one of these positions.
    const STEP: usize = f64::DIGITS as usize + 1;
    exponents
        || (STEP - 1..json.len()).step_by(STEP).filter(|at| is_part(&json[*at])).any(|at| {
            let before = json[..at].iter().rev().take(STEP).take_while(|sign| is_part(sign)).count();
            let after = json[at..].iter().take(STEP).take_while(|sign| is_part(sign)).count();
            before + after >= STEP
        })
}

/// Returns the numbers in JSON text.
fn numbers(json: &str) -> impl Iterator<Item = &str> {
    let mut rest = json;
    std::iter::from_fn(move || {
        loop {
            let at = rest.find(|sign: char| sign == '"' || sign == '-' || sign.is_ascii_digit())?;
            rest = &rest[at..];
            if let Some(text) = rest.strip_prefix('"') {
                rest = &text[end_of_text(text)..];
                continue;
            }
            let end = rest.find(|sign: char| !matches!(sign, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'));
            let (number, after) = rest.split_at(end.unwrap_or(rest.len()));
            rest = after;
            return Some(number);
        }
    })
}

/// Returns the byte offset after the closing quote. `text` starts after the opening quote.
fn end_of_text(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().position(|sign| {
        let ends = sign == b'"' && !escaped;
        escaped = sign == b'\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |at| at + 1)
}

/// Returns whether a number stays the same when it is parsed and written.
fn is_exact(number: &str) -> bool {
    // A double holds every decimal number of 15 digits.
    if number.len() <= f64::DIGITS as usize && !number.contains(['e', 'E']) {
        return true;
    }
    let read = serde_json::from_str::<Number>(number).map(|read| read.to_string());
    read.is_ok_and(|read| decimal(&read) == decimal(number))
}

/// Returns the sign, the significant digits, and the exponent of the last digit.
fn decimal(number: &str) -> (bool, String, i64) {
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{}{part}", whole.trim_start_matches('-'));
    let counting = digits.trim_start_matches('0').trim_end_matches('0');
    if counting.is_empty() {
        return (false, String::new(), 0);
    }
    let zeros = digits.len() - digits.trim_end_matches('0').len();
    let place = exponent.trim_start_matches('+').parse::<i64>().unwrap_or(i64::MAX);
    let moved = i64::try_from(zeros).unwrap_or(0) - i64::try_from(part.len()).unwrap_or(0);
    (whole.starts_with('-'), counting.to_owned(), place.saturating_add(moved))
}

/// Deserializes an object, for fields with data from a caller. A duplicate name, at any depth, is an error.
pub fn object<'de, D: Deserializer<'de>>(json: D) -> Result<Map<String, Value>, D::Error> {
    match UniqueNames::deserialize(json)? {
        UniqueNames(Value::Object(fields)) => Ok(fields),
        UniqueNames(_) => Err(serde::de::Error::custom("invalid type: expected an object")),
    }
}

/// A value in which no object has duplicate names.
struct UniqueNames(Value);

impl<'de> Deserialize<'de> for UniqueNames {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        json.deserialize_any(UniqueNamesVisitor).map(Self)
    }
}

struct UniqueNamesVisitor;

impl<'de> Visitor<'de> for UniqueNamesVisitor {
    type Value = Value;

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("JSON")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Value, M::Error> {
        let mut fields = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            if fields.contains_key(&name) {
                let shown: String = name.chars().take(40).collect();
                return Err(serde::de::Error::custom(format!(
                    "\"{shown}\" occurs twice in one object; keep one of them"
                )));
            }
            let UniqueNames(value) = map.next_value()?;
            fields.insert(name, value);
        }
        Ok(Value::Object(fields))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<Value, S::Error> {
        let mut list = Vec::new();
        while let Some(UniqueNames(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unambiguous_json_is_accepted() {
        for json in [
            "{}",
            r#"{"a":[1,-2,0.1,1.10,1e3,1.0E-7,-0.0,0,9007199254740993,18446744073709551615,-9223372036854775808]}"#,
            r#"{"text":"123456789012345678901234567890 \" 1.23456789012345678901","more":{"text":"\\"}}"#,
            r#"{"a":{"x":1},"b":{"x":1}}"#,
            "0.30000000000000004",
        ] {
            assert_eq!(parse(json), Ok(serde_json::from_str(json).expect("valid JSON")), "{json}");
        }
    }

    #[test]
    fn no_long_number_is_overlooked() {
        for padding in 0..40 {
            let space = " ".repeat(padding);
            for (number, is_long) in [
                ("1234567890123456", true),
                ("-12345678901234.5", true),
                ("1e3", true),
                ("1.5E-7", true),
                ("123456789012345", false),
                ("-1234567890.123", false),
                ("\"e 1 e\"", false),
            ] {
                let json = format!("[{space}{number},0]");
                assert_eq!(has_long_number(json.as_bytes()), is_long, "{json}");
            }
        }
        assert!(!has_long_number(b"") && !has_long_number(b"1"));
    }

    #[test]
    fn json_that_would_be_read_differently_is_rejected() {
        for number in [
            "123456789012345678901234567890",
            "18446744073709551616",
            "98765432109876543210987",
            "0.1234567890123456789",
            "1e400",
            "-1e-400",
        ] {
            let json = format!("{{\"n\":[{number}]}}");
            assert!(parse(&json).is_err_and(|text| text.contains("digits") || text.contains("range")), "{json}");
        }
        let twice = parse(r#"{"a":{"n":666,"n":1}}"#).expect_err("a duplicate name is an error");
        assert!(twice.contains("\"n\" occurs twice"), "{twice}");
        assert!(parse(r#"{"n":1,"\u006e":2}"#).is_err() && parse("{").is_err());
    }
}
