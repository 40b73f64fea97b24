//! A single interface to both databases, so that each statement is written once.
//!
//! `sqlx::Any` supports neither UUIDs nor byte arrays on both databases, and sqlx's generics would require a page of
//! bounds on every function.

use std::borrow::Cow;

use sqlx::{AssertSqlSafe, Executor, Row, postgres::PgRow, sqlite::SqliteRow};
use uuid::Uuid;

/// Value of a placeholder `$n` in a statement.
#[derive(Debug, Clone, Copy)]
pub(super) enum SqlValue<'a> {
    Id(Uuid),
    MaybeId(Option<Uuid>),
    Int(i64),
    MaybeInt(Option<i64>),
    Flag(bool),
    Text(&'a str),
    MaybeText(Option<&'a str>),
    Bytes(&'a [u8]),
    MaybeBytes(Option<&'a [u8]>),
}

/// Converts a number to the databases' signed type. Our own numbers never exceed its maximum; a larger number from a
/// caller means "the end", so it is replaced with the maximum.
pub(super) fn int(number: u64) -> SqlValue<'static> {
    SqlValue::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

/// The values of a row, by column.
pub(super) trait SqlRow: Send {
    fn id(&self, column: usize) -> Result<Uuid, sqlx::Error>;
    fn maybe_id(&self, column: usize) -> Result<Option<Uuid>, sqlx::Error>;
    fn int(&self, column: usize) -> Result<u64, sqlx::Error>;
    fn maybe_int(&self, column: usize) -> Result<Option<u64>, sqlx::Error>;
    fn flag(&self, column: usize) -> Result<bool, sqlx::Error>;
    fn text(&self, column: usize) -> Result<String, sqlx::Error>;
    fn maybe_text(&self, column: usize) -> Result<Option<String>, sqlx::Error>;
    fn bytes(&self, column: usize) -> Result<Vec<u8>, sqlx::Error>;
    fn maybe_bytes(&self, column: usize) -> Result<Option<Vec<u8>>, sqlx::Error>;
}

/// A connection to a database.
pub(super) trait DatabaseConnection: Send {
    type Row: SqlRow;
    type Arguments: SqlArguments;

    /// True if several statements with values can run in one call.
    const RUNS_SCRIPTS: bool;

    /// Runs one or more statements and returns the rows that they select.
    fn rows_of(
        &mut self,
        sql: Cow<'static, str>,
        values: Self::Arguments,
    ) -> impl Future<Output = Result<Vec<Self::Row>, sqlx::Error>> + Send;

    /// Runs a statement and returns the rows that it selects.
    fn rows(
        &mut self,
        sql: Cow<'static, str>,
        values: Vec<SqlValue<'_>>,
    ) -> impl Future<Output = Result<Vec<Self::Row>, sqlx::Error>> + Send;

    /// Runs a statement and returns the number of rows that it changed.
    fn run(
        &mut self,
        sql: Cow<'static, str>,
        values: Vec<SqlValue<'_>>,
    ) -> impl Future<Output = Result<u64, sqlx::Error>> + Send;
}

/// Returns the error for a stored value that cannot be parsed. `what` describes the expected value.
pub(super) fn unreadable(what: &str) -> sqlx::Error {
    sqlx::Error::Decode(format!("the store contains {what} that this version cannot read").into())
}

fn unsigned(number: i64) -> Result<u64, sqlx::Error> {
    u64::try_from(number).map_err(|_| unreadable("a negative number"))
}

macro_rules! connection {
    ($connection:ty, $arguments:ty, $row:ty, $runs_scripts:literal) => {
        impl SqlRow for $row {
            fn id(&self, column: usize) -> Result<Uuid, sqlx::Error> {
                self.try_get(column)
            }

            fn maybe_id(&self, column: usize) -> Result<Option<Uuid>, sqlx::Error> {
                self.try_get(column)
            }

            fn int(&self, column: usize) -> Result<u64, sqlx::Error> {
                self.try_get(column).and_then(unsigned)
            }

            fn maybe_int(&self, column: usize) -> Result<Option<u64>, sqlx::Error> {
                self.try_get::<Option<i64>, _>(column)?.map(unsigned).transpose()
            }

            fn flag(&self, column: usize) -> Result<bool, sqlx::Error> {
                self.try_get(column)
            }

            fn text(&self, column: usize) -> Result<String, sqlx::Error> {
                self.try_get(column)
            }

            fn maybe_text(&self, column: usize) -> Result<Option<String>, sqlx::Error> {
                self.try_get(column)
            }

            fn bytes(&self, column: usize) -> Result<Vec<u8>, sqlx::Error> {
                self.try_get(column)
            }

            fn maybe_bytes(&self, column: usize) -> Result<Option<Vec<u8>>, sqlx::Error> {
                self.try_get(column)
            }
        }

        impl DatabaseConnection for $connection {
            type Row = $row;
            type Arguments = $arguments;

            const RUNS_SCRIPTS: bool = $runs_scripts;

            async fn rows_of(
                &mut self,
                sql: Cow<'static, str>,
                values: Self::Arguments,
            ) -> Result<Vec<Self::Row>, sqlx::Error> {
                self.fetch_all(sqlx::query_with(AssertSqlSafe(sql), values)).await
            }

            async fn rows(
                &mut self,
                sql: Cow<'static, str>,
                values: Vec<SqlValue<'_>>,
            ) -> Result<Vec<Self::Row>, sqlx::Error> {
                self.rows_of(sql, bind::<$arguments>(values)?).await
            }

            async fn run(&mut self, sql: Cow<'static, str>, values: Vec<SqlValue<'_>>) -> Result<u64, sqlx::Error> {
                let arguments = bind::<$arguments>(values)?;
                Ok(self.execute(sqlx::query_with(AssertSqlSafe(sql), arguments)).await?.rows_affected())
            }
        }

        impl SqlArguments for $arguments {
            fn count(&self) -> usize {
                sqlx::Arguments::len(self)
            }

            fn bind(&mut self, value: SqlValue<'_>) -> Result<(), sqlx::error::BoxDynError> {
                use sqlx::Arguments;
                match value {
                    SqlValue::Id(id) => self.add(id),
                    SqlValue::MaybeId(id) => self.add(id),
                    SqlValue::Int(number) => self.add(number),
                    SqlValue::MaybeInt(number) => self.add(number),
                    SqlValue::Flag(flag) => self.add(flag),
                    SqlValue::Text(text) => self.add(text),
                    SqlValue::MaybeText(text) => self.add(text),
                    SqlValue::Bytes(bytes) => self.add(bytes),
                    SqlValue::MaybeBytes(bytes) => self.add(bytes),
                }
            }
        }
    };
}

/// Values of the placeholders of one or more statements.
pub(super) trait SqlArguments: Default + Send {
    fn count(&self) -> usize;

    fn bind(&mut self, value: SqlValue<'_>) -> Result<(), sqlx::error::BoxDynError>;

    fn bind_all(&mut self, values: Vec<SqlValue<'_>>) -> Result<(), sqlx::Error> {
        values.into_iter().try_for_each(|value| self.bind(value)).map_err(sqlx::Error::Encode)
    }
}

fn bind<A: SqlArguments>(values: Vec<SqlValue<'_>>) -> Result<A, sqlx::Error> {
    let mut arguments = A::default();
    arguments.bind_all(values)?;
    Ok(arguments)
}

connection!(sqlx::SqliteConnection, sqlx::sqlite::SqliteArguments, SqliteRow, true);
connection!(sqlx::PgConnection, sqlx::postgres::PgArguments, PgRow, false);
