//! Parser of query strings. Its errors state the parameter and the correct form.

use std::borrow::Cow;
use std::fmt::Display;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;

use crate::kernel::first_chars;

/// Maximum number of characters of a name or value that an error message shows.
const MAX_SHOWN_CHARS: usize = 40;

/// Error in a query string.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct QueryError(String);

/// Parses the parameters of a query string.
pub(super) fn parse<T: DeserializeOwned>(query: &str) -> Result<T, QueryError> {
    let pairs = form_urlencoded::parse(query.as_bytes());
    T::deserialize(MapAccessDeserializer::new(ParameterDeserializer { pairs, value: None }))
}

impl de::Error for QueryError {
    fn custom<T: Display>(text: T) -> Self {
        Self(text.to_string())
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> Self {
        let name = first_chars(name, MAX_SHOWN_CHARS);
        Self(format!("unknown parameter {name:?}; use {}", known.join(", ")))
    }

    fn missing_field(name: &'static str) -> Self {
        Self(format!("{name} is missing"))
    }

    fn duplicate_field(name: &'static str) -> Self {
        Self(format!("{name} is given more than once"))
    }
}

struct ParameterDeserializer<'a> {
    pairs: form_urlencoded::Parse<'a>,
    value: Option<(Cow<'a, str>, Cow<'a, str>)>,
}

impl<'de> MapAccess<'de> for ParameterDeserializer<'_> {
    type Error = QueryError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, QueryError> {
        self.value = self.pairs.next();
        let name = self.value.as_ref().map(|(name, _)| name.as_ref());
        name.map(|name| seed.deserialize(name.into_deserializer())).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, QueryError> {
        let (name, text) = self.value.take().unwrap_or_default();
        if text.contains('\0') {
            return Err(QueryError(format!("{name}: the value contains a NUL character; remove it")));
        }
        seed.deserialize(ParameterValue(&text)).map_err(|QueryError(message)| QueryError(format!("{name}: {message}")))
    }
}

/// Value of a parameter.
struct ParameterValue<'a>(&'a str);

impl ParameterValue<'_> {
    fn shown(&self) -> String {
        format!("{:?}", first_chars(self.0, MAX_SHOWN_CHARS))
    }
}

macro_rules! numbers {
    ($($method:ident, $visit:ident, $number:ty;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, QueryError> {
            let wrong = |_| QueryError(format!("{} is not a whole number from 0 to {}", self.shown(), <$number>::MAX));
            visitor.$visit(self.0.parse().map_err(wrong)?)
        }
    )*};
}

impl<'de> Deserializer<'de> for ParameterValue<'_> {
    type Error = QueryError;

    numbers! {
        deserialize_u32, visit_u32, u32;
        deserialize_u64, visit_u64, u64;
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, QueryError> {
        let invalid = |_| QueryError(format!("{} is neither true nor false", self.shown()));
        visitor.visit_bool(self.0.parse().map_err(invalid)?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, QueryError> {
        visitor.visit_some(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, QueryError> {
        visitor.visit_enum(self.0.into_deserializer())
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, QueryError> {
        visitor.visit_str(self.0)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u128 f32 f64 char str string bytes byte_buf unit unit_struct newtype_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::MessageId;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct TestQuery {
        q: String,
        before: Option<MessageId>,
        limit: Option<u32>,
        #[serde(default)]
        all: bool,
    }

    #[test]
    fn parameters_are_read() {
        let request = TestQuery { q: "a b&锁".into(), before: Some(MessageId(7)), limit: Some(5), all: true };
        assert_eq!(parse::<TestQuery>("limit=5&q=a+b%26%E9%94%81&before=m_7&all=true").ok(), Some(request));
    }

    #[test]
    fn an_error_names_the_wrong_parameter() {
        for (query, text) in [
            ("", "q is missing"),
            ("q=a&q=b", "q is given more than once"),
            ("q=a&size=1", "unknown parameter \"size\"; use q, before, limit, all"),
            ("q=a&limit=ten", "limit: \"ten\" is not a whole number from 0 to 4294967295"),
            ("q=a&limit=-1", "limit: \"-1\" is not a whole number from 0 to 4294967295"),
            ("q=a&limit=", "limit: \"\" is not a whole number from 0 to 4294967295"),
            ("q=a%00", "q: the value contains a NUL character; remove it"),
            ("q=a&all=yes", "all: \"yes\" is neither true nor false"),
        ] {
            assert_eq!(parse::<TestQuery>(query).expect_err("is wrong").to_string(), text, "{query}");
        }
        let text = parse::<TestQuery>("q=a&before=7").expect_err("is wrong").to_string();
        assert!(text.starts_with("before: "), "{text}");
    }
}
