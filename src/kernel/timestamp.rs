//! Timestamps, in the format of the log.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use time::{OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};

/// A time in milliseconds since 1970-01-01 UTC. On the wire, RFC 3339 with milliseconds, for example
/// `2026-11-21T10:00:00.000Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(u64);

impl Timestamp {
    /// Latest time that RFC 3339 can express: 9999-12-31T23:59:59.999Z.
    pub const MAX: Self = Self(253_402_300_799_999);

    /// Returns the time `ms` milliseconds after 1970-01-01 UTC, at most [`Self::MAX`].
    pub fn from_millis(ms: u64) -> Self {
        Self(ms.min(Self::MAX.0))
    }

    /// Returns the milliseconds since 1970-01-01 UTC.
    pub fn millis(self) -> u64 {
        self.0
    }

    /// Returns the time `ms` milliseconds later.
    #[must_use]
    pub fn plus(self, ms: u64) -> Self {
        Self::from_millis(self.0.saturating_add(ms))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = i128::from(self.0) * 1_000_000;
        let at = OffsetDateTime::from_unix_timestamp_nanos(nanos).unwrap_or(OffsetDateTime::UNIX_EPOCH);
        let (date, time) = (at.date(), at.time());
        let (year, month, day) = (date.year(), u8::from(date.month()), date.day());
        let (hour, minute, second) = (time.hour(), time.minute(), time.second());
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", time.millisecond())
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let invalid = |_| de::Error::custom("invalid time; use RFC 3339, for example 2026-11-21T10:00:00.000Z");
        let at = OffsetDateTime::parse(&text, &Rfc3339).map_err(invalid)?.to_offset(UtcOffset::UTC);
        let ms = u64::try_from(at.unix_timestamp_nanos() / 1_000_000).map_err(de::Error::custom)?;
        Ok(Self::from_millis(ms))
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_reads_back_to_the_millisecond() {
        let at = Timestamp::from_millis(1_795_300_000_123);
        let text = serde_json::to_string(&at).expect("a time serializes");
        assert_eq!(text, "\"2026-11-21T22:26:40.123Z\"");
        assert_eq!(serde_json::from_str::<Timestamp>(&text).expect("a time deserializes"), at);
    }

    #[test]
    fn the_end_of_time_can_be_written() {
        assert_eq!(Timestamp::from_millis(u64::MAX), Timestamp::MAX);
        assert_eq!(serde_json::to_string(&Timestamp::MAX).expect("a time serializes"), "\"9999-12-31T23:59:59.999Z\"");
    }
}
