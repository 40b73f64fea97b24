//! How freely a model chooses its words.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Temperature of a model's sampling, 0 to 2, to the hundredth: low for figures and code, high for ideas. Kept as a whole
/// number, so that a team that was written to the log and read again is equal to itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Temperature(u8);

impl Temperature {
    const MAX: f64 = 2.0;

    /// This one, rounded; `None` outside of 0 to 2.
    pub fn new(value: f64) -> Option<Self> {
        // In range, and not below zero: it fits.
        (0.0..=Self::MAX).contains(&value).then(|| Self((value * 100.0).round() as u8))
    }

    /// Its value.
    pub fn value(self) -> f64 {
        f64::from(self.0) / 100.0
    }
}

impl Serialize for Temperature {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.value())
    }
}

impl<'de> Deserialize<'de> for Temperature {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = f64::deserialize(deserializer)?;
        Self::new(value).ok_or_else(|| serde::de::Error::custom(format!("{value} is not accepted; accepted is 0 to 2")))
    }
}

impl JsonSchema for Temperature {
    fn schema_name() -> Cow<'static, str> {
        "Temperature".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Temperature of a model's sampling, 0 to 2, to the hundredth: low for figures and code, high for ideas.",
            "type": "number", "minimum": 0, "maximum": Self::MAX,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_as_the_same() {
        for hundredths in 0..=200 {
            let temperature = Temperature(hundredths);
            let json = serde_json::to_string(&temperature).expect("a number");
            assert_eq!(serde_json::from_str::<Temperature>(&json).expect("in range"), temperature, "{json}");
        }
        assert_eq!(serde_json::from_str::<Temperature>("1").expect("a whole number"), Temperature(100));
        for outside in ["-0.1", "2.01", "1e9", "\"1\""] {
            assert!(serde_json::from_str::<Temperature>(outside).is_err(), "{outside}");
        }
    }
}
