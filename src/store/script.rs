//! Statements that run in one call. Each call on SQLite switches to the thread of the connection and back, which takes
//! longer than most statements.

use std::borrow::Cow;

use super::connection::{DatabaseConnection, SqlArguments, SqlValue};

/// Statements of one transaction.
pub(super) struct Script<'c, C: DatabaseConnection> {
    connection: &'c mut C,
    /// Statements that have not run yet. `None` if each runs immediately.
    waiting: Option<WaitingStatements<C::Arguments>>,
}

/// Statements with their values.
struct WaitingStatements<A> {
    sql: String,
    values: A,
}

impl<A: SqlArguments> WaitingStatements<A> {
    /// Adds a statement. Its placeholders follow those of the statements before it.
    fn push(&mut self, sql: &str, values: Vec<SqlValue<'_>>) -> Result<(), sqlx::Error> {
        if !self.sql.is_empty() {
            self.sql.push(';');
        }
        shift_placeholders(sql, self.values.count(), &mut self.sql);
        self.values.bind_all(values)
    }
}

impl<'c, C: DatabaseConnection> Script<'c, C> {
    /// Creates a script that runs each statement immediately.
    pub(super) fn immediate(connection: &'c mut C) -> Self {
        Self { connection, waiting: None }
    }

    /// Creates a script that defers its statements until rows are needed or the script ends. The database must accept
    /// several statements with values in one call, as SQLite does.
    pub(super) fn deferred(connection: &'c mut C) -> Self {
        Self { connection, waiting: Some(WaitingStatements { sql: String::new(), values: C::Arguments::default() }) }
    }

    /// Runs a statement immediately, or defers it if the script is deferred.
    pub(super) async fn run(&mut self, sql: Cow<'static, str>, values: Vec<SqlValue<'_>>) -> Result<(), sqlx::Error> {
        match &mut self.waiting {
            Some(waiting) => waiting.push(&sql, values),
            None => self.connection.run(sql, values).await.map(drop),
        }
    }

    /// Runs all deferred statements and then this one, and returns the rows that it selects.
    pub(super) async fn rows(
        &mut self,
        sql: Cow<'static, str>,
        values: Vec<SqlValue<'_>>,
    ) -> Result<Vec<C::Row>, sqlx::Error> {
        match &mut self.waiting {
            Some(waiting) => {
                waiting.push(&sql, values)?;
                let (sql, values) = (std::mem::take(&mut waiting.sql), std::mem::take(&mut waiting.values));
                self.connection.rows_of(sql.into(), values).await
            }
            None => self.connection.rows(sql, values).await,
        }
    }

    /// Runs all deferred statements.
    pub(super) async fn finish(self) -> Result<(), sqlx::Error> {
        match self.waiting {
            Some(waiting) if !waiting.sql.is_empty() => {
                self.connection.rows_of(waiting.sql.into(), waiting.values).await.map(drop)
            }
            _ => Ok(()),
        }
    }
}

/// Appends a statement to `text`, with the numbers of its placeholders `$n` increased by `offset`.
fn shift_placeholders(sql: &str, offset: usize, text: &mut String) {
    if offset == 0 {
        return text.push_str(sql);
    }
    let mut parts = sql.split('$');
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        text.push('$');
        let digits = part.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(part.len());
        let (number, rest) = part.split_at(digits);
        match number.parse::<usize>() {
            Ok(number) => text.push_str(&(number + offset).to_string()),
            Err(_) => text.push_str(number),
        }
        text.push_str(rest);
    }
}

#[cfg(test)]
mod tests {
    use sqlx::{Connection, Row, SqliteConnection};

    use super::*;

    #[test]
    fn the_placeholders_of_a_later_statement_follow_those_of_the_earlier_ones() {
        for (sql, shifted) in [
            ("select 1", "select 1"),
            ("values ($1,$2),($3,$10)", "values ($4,$5),($6,$13)"),
            ("$1", "$4"),
            ("'$' || $2 || '$.a'", "'$' || $5 || '$.a'"),
        ] {
            let mut text = String::new();
            shift_placeholders(sql, 3, &mut text);
            assert_eq!(text, shifted);
        }
    }

    #[tokio::test]
    async fn a_deferred_script_runs_its_statements_in_order_with_their_own_values() {
        let mut connection = SqliteConnection::connect("sqlite::memory:").await.expect("opens");
        connection.run("create table t (a integer primary key, b text)".into(), vec![]).await.expect("creates");
        let mut script = Script::deferred(&mut connection);
        script.run("begin immediate".into(), vec![]).await.expect("waits");
        let insert = || Cow::Borrowed("insert into t (a, b) values ($1, $2)");
        for (number, name) in [(1, "one"), (2, "two")] {
            script.run(insert(), vec![SqlValue::Int(number), SqlValue::Text(name)]).await.expect("waits");
        }
        let rows = script.rows("select b from t where a = $1".into(), vec![SqlValue::Int(2)]).await.expect("runs");
        let names: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
        assert_eq!(names, ["two"], "rows of the last statement, after those before it");
        script.run(insert(), vec![SqlValue::Int(3), SqlValue::Text("three")]).await.expect("waits");
        script.run("commit".into(), vec![]).await.expect("waits");
        script.finish().await.expect("commits");
        let count = "select count(*) from t";
        let rows = connection.rows(count.into(), vec![]).await.expect("reads");
        assert_eq!(rows[0].get::<i64, _>(0), 3);

        let mut script = Script::deferred(&mut connection);
        for (sql, values) in [
            (Cow::Borrowed("begin immediate"), vec![]),
            (insert(), vec![SqlValue::Int(4), SqlValue::Text("four")]),
            (insert(), vec![SqlValue::Int(4), SqlValue::Text("again")]),
            (Cow::Borrowed("commit"), vec![]),
        ] {
            script.run(sql, values).await.expect("waits");
        }
        script.finish().await.expect_err("a statement fails");
        connection.run("rollback".into(), vec![]).await.expect("the commit after the failure did not run");
        let rows = connection.rows(count.into(), vec![]).await.expect("reads");
        assert_eq!(rows[0].get::<i64, _>(0), 3);
    }
}
