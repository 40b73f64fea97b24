//! Sampling temperature of a model.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Sampling temperature of a model, 0 to 2, in steps of 0.01. Low for figures and code, high for ideas. Example: 0.2.
/// Stored as an integer, so that a team that is written to the log and read back is unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Temperature(u8);

impl Temperature {
    const MAX: f64 = 2.0;

    /// Returns the temperature with this value, rounded to 0.01; `None` if the value is outside 0 to 2.
    pub fn new(value: f64) -> Option<Self> {
        // The range check guarantees 0 to 200, so the cast is exact.
        (0.0..=Self::MAX).contains(&value).then(|| Self((value * 100.0).round() as u8))
    }

    /// Returns the temperature as a number.
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
        Self::new(value).ok_or_else(|| serde::de::Error::custom(format!("{value} is out of range; use 0 to 2")))
    }
}

impl JsonSchema for Temperature {
    fn schema_name() -> Cow<'static, str> {
        "Temperature".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Sampling temperature of a model, 0 to 2, in steps of 0.01. Low for figures and code, high for ideas.",
            "type": "number", "minimum": 0, "maximum": Self::MAX,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_temperature_is_read_back() {
        for hundredths in 0..=200 {
            let temperature = Temperature(hundredths);
            let json = serde_json::to_string(&temperature).expect("a temperature serializes");
            assert_eq!(serde_json::from_str::<Temperature>(&json).expect("in range"), temperature, "{json}");
        }
        assert_eq!(serde_json::from_str::<Temperature>("1").expect("1 is in range"), Temperature(100));
        for outside in ["-0.1", "2.01", "1e9", "\"1\""] {
            assert!(serde_json::from_str::<Temperature>(outside).is_err(), "{outside}");
        }
    }
}
