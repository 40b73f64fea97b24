//! Teams that participants created, for SQLite and PostgreSQL.

use async_trait::async_trait;

use super::connection::{SqlRow, SqlValue, int, unreadable};
use super::database::{Database, LentConnection};
use super::engine::Engine;
use super::sql::{quotas, teams as sql};
use crate::agent::teams::{
    NewTeam, StoredTeam, TeamAccess, TeamContent, TeamEntry, TeamId, TeamLimits, TeamListing, TeamPage, TeamQuery,
    TeamReplacement, TeamRight, TeamStore,
};
use crate::kernel::{ParticipantId, Timestamp};
use crate::store_error::StoreError;

/// Column of the document, after those of a listing.
const DOCUMENT: usize = 12;

#[async_trait]
impl<E: Engine> TeamStore for Database<E> {
    async fn add_team(&self, team: &NewTeam<'_>, limits: TeamLimits) -> Result<Option<Timestamp>, StoreError> {
        let NewTeam { id, owner, content } = team;
        let entry = entry_json(content.entry);
        let values = vec![
            SqlValue::Id(id.0),
            SqlValue::Id(owner.0),
            SqlValue::Text(content.name),
            SqlValue::Text(content.description),
            SqlValue::Text(content.document),
            SqlValue::Text(&entry),
            SqlValue::Flag(true),
            int(content.document.len() as u64),
            int(limits.teams.into()),
            int(limits.bytes),
        ];
        let mut connection = self.writer().await?;
        connection.begin().await?;
        lock_owner(&mut connection, *owner).await?;
        let rows = connection.rows(sql::add_team(E::NOW), values).await?;
        connection.commit().await?;
        Ok(rows.first().map(|row| row.int(0)).transpose()?.map(Timestamp::from_millis))
    }

    async fn count_teams_of(&self, owner: ParticipantId) -> Result<u64, StoreError> {
        let rows = self.reader().await?.rows(sql::COUNT_OF_OWNER, vec![SqlValue::Id(owner.0)]).await?;
        Ok(rows.first().map_or(Ok(0), |row| row.int(0))?)
    }

    async fn team(&self, id: TeamId, reader: ParticipantId) -> Result<Option<StoredTeam>, StoreError> {
        let values = vec![SqlValue::Id(reader.0), SqlValue::Id(id.0)];
        let rows = self.reader().await?.rows(sql::team(), values).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        Ok(Some(StoredTeam { listing: listing(row)?, document: row.text(DOCUMENT)?.into() }))
    }

    async fn team_listing(&self, id: TeamId, reader: ParticipantId) -> Result<Option<TeamListing>, StoreError> {
        let values = vec![SqlValue::Id(reader.0), SqlValue::Id(id.0)];
        let rows = self.reader().await?.rows(sql::team_listing(), values).await?;
        Ok(rows.first().map(listing).transpose()?)
    }

    async fn teams(&self, query: &TeamQuery) -> Result<TeamPage, StoreError> {
        let filter = vec![
            SqlValue::Id(query.reader.0),
            SqlValue::Flag(query.all),
            SqlValue::Flag(query.active.is_some()),
            SqlValue::Flag(query.active.unwrap_or_default()),
        ];
        let page = [int(query.limit.into()), int(query.offset)];
        let mut connection = self.reader().await?;
        let rows = connection.rows(sql::count_teams(), filter.clone()).await?;
        let total = rows.first().map_or(Ok(0), |row| row.int(0))?;
        let rows = connection.rows(sql::teams(), filter.into_iter().chain(page).collect()).await?;
        Ok(TeamPage { teams: rows.iter().map(listing).collect::<Result<_, _>>()?, total })
    }

    async fn replace_team(
        &self,
        id: TeamId,
        expected: Option<u64>,
        content: &TeamContent<'_>,
        max_bytes: u64,
    ) -> Result<TeamReplacement, StoreError> {
        let entry = entry_json(content.entry);
        let values = vec![
            SqlValue::Id(id.0),
            SqlValue::Text(content.name),
            SqlValue::Text(content.description),
            SqlValue::Text(content.document),
            SqlValue::Text(&entry),
            int(content.document.len() as u64),
            int(max_bytes),
        ];
        let mut connection = self.writer().await?;
        let owner = connection.rows(sql::OWNER, vec![SqlValue::Id(id.0)]).await?;
        let Some(owner) = owner.first().map(|row| row.id(0)).transpose()? else {
            return Ok(TeamReplacement::Unknown);
        };
        connection.begin().await?;
        // The owner first, as everywhere: two requests that lock in different orders would deadlock.
        lock_owner(&mut connection, ParticipantId(owner)).await?;
        let rows = connection.rows(sql::lock_team(E::LOCK), vec![SqlValue::Id(id.0)]).await?;
        let outcome = match rows.first().map(|row| row.int(0)).transpose()? {
            None => TeamReplacement::Unknown,
            Some(current) if expected.is_some_and(|expected| expected != current) => TeamReplacement::Conflict(current),
            Some(_) => {
                let rows = connection.rows(sql::replace_team(E::NOW), values).await?;
                let version = rows.first().map(|row| row.int(0)).transpose()?;
                version.map_or(TeamReplacement::Full, TeamReplacement::Replaced)
            }
        };
        connection.commit().await?;
        Ok(outcome)
    }

    async fn set_team_active(&self, id: TeamId, active: bool) -> Result<bool, StoreError> {
        let values = vec![SqlValue::Id(id.0), SqlValue::Flag(active)];
        Ok(self.writer().await?.run(sql::SET_ACTIVE, values).await? > 0)
    }

    async fn remove_team(&self, id: TeamId) -> Result<bool, StoreError> {
        Ok(self.writer().await?.run(sql::REMOVE, vec![SqlValue::Id(id.0)]).await? > 0)
    }

    async fn share_team(
        &self,
        id: TeamId,
        participant: ParticipantId,
        right: TeamRight,
        max: u32,
    ) -> Result<bool, StoreError> {
        let values =
            vec![SqlValue::Id(id.0), SqlValue::Id(participant.0), SqlValue::Text(right.as_str()), int(max.into())];
        let mut connection = self.writer().await?;
        connection.begin().await?;
        let team = connection.rows(sql::lock_team(E::LOCK), vec![SqlValue::Id(id.0)]).await?;
        // A team that was removed in the meantime cannot be shared.
        let shared = if team.is_empty() { 0 } else { connection.run(sql::SHARE, values).await? };
        connection.commit().await?;
        Ok(shared > 0)
    }

    async fn unshare_team(&self, id: TeamId, participant: ParticipantId) -> Result<bool, StoreError> {
        let values = vec![SqlValue::Id(id.0), SqlValue::Id(participant.0)];
        Ok(self.writer().await?.run(sql::UNSHARE, values).await? > 0)
    }

    async fn team_access(&self, id: TeamId) -> Result<Vec<TeamAccess>, StoreError> {
        let rows = self.reader().await?.rows(sql::ACCESS, vec![SqlValue::Id(id.0)]).await?;
        Ok(rows.iter().map(access).collect::<Result<_, _>>()?)
    }
}

/// Locks the row of an owner, so that the second of two concurrent requests counts the first.
async fn lock_owner<E: Engine>(connection: &mut LentConnection<E>, owner: ParticipantId) -> Result<(), StoreError> {
    connection.rows(quotas::lock_participant(E::LOCK), vec![SqlValue::Id(owner.0)]).await.map(drop)
}

fn entry_json(entry: &TeamEntry) -> String {
    serde_json::to_string(entry).expect("an entry serializes: its keys are strings")
}

fn listing<R: SqlRow>(row: &R) -> Result<TeamListing, sqlx::Error> {
    Ok(TeamListing {
        id: TeamId(row.id(0)?),
        owner: ParticipantId(row.id(1)?),
        owner_name: row.text(2)?.into(),
        name: row.text(3)?.into(),
        description: row.text(4)?.into(),
        entry: serde_json::from_str(&row.text(5)?).map_err(|_| unreadable("a team"))?,
        version: row.int(6)?,
        active: row.flag(7)?,
        created_at: Timestamp::from_millis(row.int(8)?),
        updated_at: Timestamp::from_millis(row.int(9)?),
        bytes: row.int(10)?,
        right: row.maybe_text(11)?.map(|name| right(&name)).transpose()?,
    })
}

fn access<R: SqlRow>(row: &R) -> Result<TeamAccess, sqlx::Error> {
    Ok(TeamAccess { participant: ParticipantId(row.id(0)?), name: row.text(1)?.into(), right: right(&row.text(2)?)? })
}

fn right(name: &str) -> Result<TeamRight, sqlx::Error> {
    TeamRight::parse(name).ok_or_else(|| unreadable("a right to a team"))
}
