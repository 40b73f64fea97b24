//! Whole numbers in documents. JSON Schema accepts `1.0` for an integer, and some clients write integers this way.

use std::fmt;
use std::num::NonZeroU32;

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

/// Bound below which a float represents every whole number exactly: 2 to the power of 53.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

struct WholeNumber(i64);

impl<'de> Deserialize<'de> for WholeNumber {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        json.deserialize_i64(WholeNumberVisitor)
    }
}

struct WholeNumberVisitor;

impl Visitor<'_> for WholeNumberVisitor {
    type Value = WholeNumber;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a whole number")
    }

    fn visit_i64<E>(self, number: i64) -> Result<WholeNumber, E> {
        Ok(WholeNumber(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<WholeNumber, E> {
        let whole = i64::try_from(number).map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))?;
        Ok(WholeNumber(whole))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<WholeNumber, E> {
        if number.fract() == 0.0 && number.abs() < MAX_EXACT {
            return Ok(WholeNumber(number as i64));
        }
        Err(E::invalid_value(Unexpected::Float(number), &self))
    }
}

impl WholeNumber {
    fn within<T: TryFrom<i64>, E: Error>(self) -> Result<T, E> {
        T::try_from(self.0).map_err(|_| E::invalid_value(Unexpected::Signed(self.0), &"a smaller number"))
    }
}

/// Reads a whole number.
pub(super) fn read_whole<'de, D: Deserializer<'de>, T: TryFrom<i64>>(json: D) -> Result<T, D::Error> {
    WholeNumber::deserialize(json)?.within()
}

/// Reads a whole number, or null.
pub(crate) fn read_optional_whole<'de, D: Deserializer<'de>, T: TryFrom<i64>>(json: D) -> Result<Option<T>, D::Error> {
    Option::<WholeNumber>::deserialize(json)?.map(WholeNumber::within).transpose()
}

/// Reads a whole number of at least 1, or null.
pub(super) fn read_positive<'de, D: Deserializer<'de>>(json: D) -> Result<Option<NonZeroU32>, D::Error> {
    let Some(number) = read_optional_whole::<_, u32>(json)? else { return Ok(None) };
    let positive =
        NonZeroU32::new(number).ok_or_else(|| D::Error::invalid_value(Unexpected::Unsigned(0), &"at least 1"));
    positive.map(Some)
}
