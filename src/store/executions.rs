//! Executions of stored teams, for SQLite and PostgreSQL.

use async_trait::async_trait;

use super::Append;
use super::connection::{SqlRow, SqlValue, int, unreadable};
use super::database::Database;
use super::engine::Engine;
use super::script::Script;
use super::sql::executions as sql;
use crate::agent::teams::{
    ExecutionChange, ExecutionId, ExecutionListing, ExecutionPage, ExecutionQuery, ExecutionStatus, ExecutionStore,
    ExecutionUsage, TeamId,
};
use crate::kernel::Timestamp;
use crate::store_error::StoreError;

/// Writes the changes of the appends' executions.
pub(super) async fn write<E: Engine>(
    script: &mut Script<'_, E::Connection>,
    taken: &[&Append],
) -> Result<(), sqlx::Error> {
    for append in taken {
        let session = SqlValue::Id(append.session.0);
        let running = SqlValue::Text(ExecutionStatus::Running.as_str());
        for change in &append.execution {
            match change {
                ExecutionChange::Started { team, version, at } => {
                    let values = vec![session, SqlValue::Id(team.0), int(*version), running, int(at.millis())];
                    script.run(sql::START.into(), values).await?;
                }
                ExecutionChange::Ended { status, error, usage, at } => {
                    let error = error.as_ref().map(serde_json::to_string).transpose();
                    let error = error.map_err(|error| sqlx::Error::Encode(error.into()))?;
                    let status = SqlValue::Text(status.as_str());
                    let (error, tokens, cost) =
                        (SqlValue::MaybeText(error.as_deref()), int(usage.tokens), int(usage.cost_micros));
                    let values = vec![session, running, status, int(at.millis()), error, tokens, cost];
                    script.run(sql::END.into(), values).await?;
                }
                ExecutionChange::Erased => script.run(sql::ERASE.into(), vec![session]).await?,
            }
        }
    }
    Ok(())
}

#[async_trait]
impl<E: Engine> ExecutionStore for Database<E> {
    async fn execution(&self, id: ExecutionId) -> Result<Option<ExecutionListing>, StoreError> {
        let rows = self.reader().await?.rows(sql::execution(), vec![SqlValue::Id(id.0)]).await?;
        Ok(rows.first().map(listing).transpose()?)
    }

    async fn executions(&self, query: &ExecutionQuery) -> Result<ExecutionPage, StoreError> {
        let filter = vec![
            SqlValue::Id(query.team.0),
            SqlValue::Id(query.reader.0),
            SqlValue::Flag(query.all),
            SqlValue::Flag(query.status.is_some()),
            SqlValue::Text(query.status.map_or("", ExecutionStatus::as_str)),
        ];
        let page = [int(query.limit.into()), int(query.offset)];
        let mut connection = self.reader().await?;
        let rows = connection.rows(sql::count_executions(), filter.clone()).await?;
        let total = rows.first().map_or(Ok(0), |row| row.int(0))?;
        let rows = connection.rows(sql::executions(), filter.into_iter().chain(page).collect()).await?;
        Ok(ExecutionPage { executions: rows.iter().map(listing).collect::<Result<_, _>>()?, total })
    }
}

fn listing<R: SqlRow>(row: &R) -> Result<ExecutionListing, sqlx::Error> {
    let error = row.maybe_text(6)?.map(|error| serde_json::from_str(&error)).transpose();
    Ok(ExecutionListing {
        id: ExecutionId(row.id(0)?),
        team: TeamId(row.id(1)?),
        team_version: row.int(2)?,
        status: ExecutionStatus::parse(&row.text(3)?).ok_or_else(|| unreadable("the status of an execution"))?,
        started_at: Timestamp::from_millis(row.int(4)?),
        completed_at: row.maybe_int(5)?.map(Timestamp::from_millis),
        error: error.map_err(|_| unreadable("the error of an execution"))?,
        title: row.text(7)?.into(),
        usage: row
            .maybe_int(8)?
            .zip(row.maybe_int(9)?)
            .map(|(tokens, cost_micros)| ExecutionUsage { tokens, cost_micros }),
    })
}
