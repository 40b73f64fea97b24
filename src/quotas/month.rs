//! Calendar months in UTC, for quotas per month.

use time::{Date, Month as MonthName, OffsetDateTime, Time};

use crate::kernel::Timestamp;

/// A calendar month in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month {
    year: i32,
    month: MonthName,
}

impl Month {
    /// Returns the month of a time.
    pub fn of(at: Timestamp) -> Self {
        let nanos = i128::from(at.millis()) * 1_000_000;
        let date = OffsetDateTime::from_unix_timestamp_nanos(nanos).unwrap_or(OffsetDateTime::UNIX_EPOCH).date();
        Self { year: date.year(), month: date.month() }
    }

    /// Returns the number of the month in the database. Example: 202611 for November 2026.
    pub fn number(self) -> u64 {
        u64::try_from(self.year).unwrap_or(0) * 100 + u64::from(u8::from(self.month))
    }

    /// Returns the previous month.
    #[must_use]
    pub fn previous(self) -> Self {
        Self { year: self.year - i32::from(self.month == MonthName::January), month: self.month.previous() }
    }

    /// Returns the time at which the next month begins.
    pub fn end(self) -> Timestamp {
        let year = self.year + i32::from(self.month == MonthName::December);
        let date = Date::from_calendar_date(year, self.month.next(), 1).unwrap_or(Date::MAX);
        let begins = date.with_time(Time::MIDNIGHT).assume_utc().unix_timestamp();
        Timestamp::from_millis(u64::try_from(begins).unwrap_or(0).saturating_mul(1000))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_ends_where_the_next_one_begins() {
        let at = |ms| Month::of(Timestamp::from_millis(ms));
        assert_eq!((at(0).number(), at(0).end().to_string()), (197_001, "1970-02-01T00:00:00.000Z".into()));
        let december = at(1_798_761_599_999);
        assert_eq!((december.number(), december.end().to_string()), (202_612, "2027-01-01T00:00:00.000Z".into()));
        let january = Month::of(december.end());
        assert_eq!((january.number(), january.previous()), (202_701, december));
        assert_eq!(december.previous().number(), 202_611);
    }
}
