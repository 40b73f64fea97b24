//! Bounds on JSON values that callers and models send.

use serde::Serialize;
use serde_json::{Map, Value};

/// Maximum size and nesting of a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueBounds {
    /// Maximum number of bytes in the value as compact JSON.
    pub max_bytes: usize,
    /// Maximum number of levels of objects and arrays. A number or string alone has none.
    pub max_depth: usize,
}

/// Violation of the bounds of a value. The message says how to stay within them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// The value has too many bytes.
    #[error("the value has {bytes} bytes of JSON; at most {max} are accepted")]
    TooLarge {
        /// Bytes of the value.
        bytes: usize,
        /// Maximum number of bytes.
        max: usize,
    },
    /// The value has too many levels.
    #[error("the value is nested more than {0} levels deep; flatten it")]
    TooDeep(usize),
    /// A string or a name in the value contains NUL, which PostgreSQL cannot store.
    #[error("a string or a name in the value contains a NUL character; remove it")]
    Nul,
}

/// Value whose nesting levels can be visited.
pub trait JsonLevels: Serialize {
    /// Checks nesting levels and strings, with `left` levels remaining.
    fn check_levels(&self, left: usize) -> Result<(), LevelError>;
}

/// Violation found while visiting the levels of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LevelError {
    /// The value is nested too deeply.
    Deep,
    /// A string or a name contains NUL.
    Nul,
}

impl JsonLevels for Value {
    fn check_levels(&self, left: usize) -> Result<(), LevelError> {
        match self {
            Self::String(text) => check_text(text),
            Self::Array(items) => {
                let left = left.checked_sub(1).ok_or(LevelError::Deep)?;
                items.iter().try_for_each(|item| item.check_levels(left))
            }
            Self::Object(fields) => fields.check_levels(left),
            Self::Null | Self::Bool(_) | Self::Number(_) => Ok(()),
        }
    }
}

impl JsonLevels for Map<String, Value> {
    fn check_levels(&self, left: usize) -> Result<(), LevelError> {
        let left = left.checked_sub(1).ok_or(LevelError::Deep)?;
        self.iter().try_for_each(|(name, value)| check_text(name).and_then(|()| value.check_levels(left)))
    }
}

fn check_text(text: &str) -> Result<(), LevelError> {
    if text.contains('\0') { Err(LevelError::Nul) } else { Ok(()) }
}

impl ValueBounds {
    /// Checks that a value is within the bounds, and that it contains no NUL.
    pub fn check(self, value: &impl JsonLevels) -> Result<(), ValueError> {
        // Check the levels first, because a serializer recurses once per level.
        value.check_levels(self.max_depth).map_err(|error| match error {
            LevelError::Deep => ValueError::TooDeep(self.max_depth),
            LevelError::Nul => ValueError::Nul,
        })?;
        match json_bytes(value) {
            bytes if bytes > self.max_bytes => Err(ValueError::TooLarge { bytes, max: self.max_bytes }),
            _ => Ok(()),
        }
    }
}

/// Returns the size of a value as compact JSON.
pub fn json_bytes(value: &impl Serialize) -> usize {
    serde_json::to_string(value).expect("a JSON value serializes: its keys are strings").len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn nested(levels: usize) -> Value {
        (0..levels).fold(json!(1), |inner, level| if level % 2 == 0 { json!([inner]) } else { json!({ "a": inner }) })
    }

    #[test]
    fn bounds_are_met_exactly() {
        let bounds = ValueBounds { max_bytes: 20, max_depth: 3 };
        assert_eq!((bounds.check(&nested(3)), bounds.check(&nested(4))), (Ok(()), Err(ValueError::TooDeep(3))));
        let text = |length: usize| json!("x".repeat(length - 2));
        let large = Err(ValueError::TooLarge { bytes: 21, max: 20 });
        assert_eq!((bounds.check(&text(20)), bounds.check(&text(21))), (Ok(()), large));
    }

    #[test]
    fn a_nul_is_found_in_names_and_texts_and_not_where_it_is_only_spelt() {
        let bounds = ValueBounds { max_bytes: 100, max_depth: 3 };
        for value in [json!("a\0"), json!({ "a\0": 1 }), json!([["\0"]])] {
            assert_eq!(bounds.check(&value), Err(ValueError::Nul), "{value}");
        }
        assert_eq!(bounds.check(&json!("\\u0000")), Ok(()));
    }
}
