//! Quota counters, for SQLite and PostgreSQL.

use async_trait::async_trait;
use uuid::Uuid;

use super::connection::{SqlRow, SqlValue, int, unreadable};
use super::database::Database;
use super::engine::Engine;
use super::sql::quotas as sql;
use crate::clock;
use crate::fence::Fence;
use crate::kernel::{MessageId, ParticipantId, RequestKey, ReservedRequest, SessionId, Timestamp, TurnBound};
use crate::quotas::{
    AccountUsage, ModelAccount, ModelRequest, ModelReservation, Month, PythonAccount, PythonReservation, QuotaAmount,
    QuotaStore, QuotaSubject, UsagePosition,
};
use crate::store_error::StoreError;

/// Lifetime in milliseconds of a reservation that is never released, for example after a crash.
const RESERVATION_TTL_MS: u64 = clock::HOUR / 12;
/// Age in milliseconds from which a reservation for a model request is assumed to belong to a crashed node. No request
/// takes that long.
const LOST_REQUEST_MS: u64 = clock::HOUR;

#[async_trait]
impl<E: Engine> QuotaStore for Database<E> {
    async fn sessions(&self, who: ParticipantId) -> Result<u64, StoreError> {
        self.count(sql::SESSIONS, who).await
    }

    async fn runs(&self, who: ParticipantId) -> Result<u64, StoreError> {
        self.count(sql::RUNS, who).await
    }

    async fn file_bytes(&self, who: ParticipantId) -> Result<u64, StoreError> {
        self.count(sql::FILE_BYTES, who).await
    }

    async fn charge_file(&self, who: ParticipantId, session: SessionId, digest: &str) -> Result<(), StoreError> {
        let values = vec![SqlValue::Id(session.0), SqlValue::Text(digest), SqlValue::Id(who.0)];
        self.writer().await?.run(sql::CHARGE_FILE, values).await?;
        Ok(())
    }

    async fn reserve(
        &self,
        who: ParticipantId,
        amount: QuotaAmount<'_>,
        limit: u64,
    ) -> Result<Option<Uuid>, StoreError> {
        let id = Uuid::now_v7();
        let account = match amount {
            QuotaAmount::TeamRun(team) => SqlValue::Id(team),
            QuotaAmount::Session | QuotaAmount::Run | QuotaAmount::File { .. } | QuotaAmount::Document { .. } => {
                SqlValue::Id(who.0)
            }
        };
        let mut values = vec![SqlValue::Id(id), account, int(amount.number()), int(limit)];
        let counted = match amount {
            QuotaAmount::Session => sql::SESSION,
            QuotaAmount::Run => sql::RUN,
            QuotaAmount::TeamRun(_) => sql::TEAM_RUN,
            QuotaAmount::File { session, digest, .. } => {
                values.extend([SqlValue::Id(session.0), SqlValue::Text(digest)]);
                sql::FILE
            }
            QuotaAmount::Document { base, name, .. } => {
                values.extend([int(base.number().into()), SqlValue::Text(name)]);
                sql::DOCUMENT
            }
        };
        let mut connection = self.writer().await?;
        connection.begin().await?;
        match amount {
            QuotaAmount::TeamRun(_) => {
                connection.run(sql::LOCK_ACCOUNT, vec![account]).await?;
            }
            QuotaAmount::Session | QuotaAmount::Run | QuotaAmount::File { .. } | QuotaAmount::Document { .. } => {
                drop(connection.rows(sql::lock_participant(E::LOCK), vec![account]).await?);
            }
        }
        connection.run(sql::forget_reservations(E::NOW), vec![account, int(RESERVATION_TTL_MS)]).await?;
        let reserved = connection.run(sql::reserve(&counted, E::NOW), values).await?;
        connection.commit().await?;
        Ok((reserved > 0).then_some(id))
    }

    async fn release(&self, reservation: Uuid) -> Result<(), StoreError> {
        self.writer().await?.run(sql::RELEASE, vec![SqlValue::Id(reservation)]).await?;
        Ok(())
    }

    async fn has_counted_run(&self, session: SessionId) -> Result<bool, StoreError> {
        Ok(!self.reader().await?.rows(sql::HAS_COUNTED_RUN, vec![SqlValue::Id(session.0)]).await?.is_empty())
    }

    async fn knowledge_bytes(&self, owner: ParticipantId) -> Result<u64, StoreError> {
        self.count(sql::KNOWLEDGE_BYTES, owner).await
    }

    async fn reserve_python(
        &self,
        session: SessionId,
        caused_by: Option<ParticipantId>,
        ms: u64,
    ) -> Result<PythonReservation, StoreError> {
        let id = Uuid::now_v7();
        let caused_by = SqlValue::MaybeId(caused_by.map(|who| who.0));
        let values = vec![SqlValue::Id(id), SqlValue::Id(session.0), caused_by, int(ms)];
        self.writer().await?.run(sql::reserve_python(E::NOW), values).await?;
        Ok(PythonReservation { id })
    }

    async fn python_ms(
        &self,
        of: PythonAccount,
        window_ms: u64,
        without: Uuid,
    ) -> Result<(u64, Option<Timestamp>), StoreError> {
        let (column, id) = match of {
            PythonAccount::Participant(who) => ("participant", who.0),
            PythonAccount::Session(session) => ("session", session.0),
        };
        let values = vec![SqlValue::Id(id), int(window_ms), SqlValue::Id(without)];
        // Read through the writer: a SQLite reader can miss a reservation that another program has just made.
        let rows = self.writer().await?.rows(sql::python_ms(column, E::NOW), values).await?;
        let Some(row) = rows.first() else { return Ok((0, None)) };
        Ok((row.int(0)?, row.maybe_int(1)?.map(Timestamp::from_millis)))
    }

    async fn model_use(&self, account: Uuid, month: Month) -> Result<(u64, u64), StoreError> {
        // No reservation has this id, so all of them count.
        let values = vec![SqlValue::Id(account), int(month.number()), int(LOST_REQUEST_MS), SqlValue::Id(Uuid::nil())];
        let rows = self.reader().await?.rows(sql::model_use(E::NOW), values).await?;
        Ok(rows.first().map_or(Ok((0, 0)), |row| Ok::<_, sqlx::Error>((row.int(0)?, row.int(1)?)))?)
    }

    async fn accounts(
        &self,
        subject: QuotaSubject,
        month: Month,
        after: Option<UsagePosition>,
        limit: u32,
    ) -> Result<Vec<AccountUsage>, StoreError> {
        // No account has used this much, so the list begins with the first one.
        let (tokens, account) = after.map_or((u64::MAX, Uuid::nil()), |last| (last.tokens, last.account));
        let [month, lost] = [month.number(), LOST_REQUEST_MS].map(int);
        let values = vec![month, lost, int(tokens), SqlValue::Id(account), int(limit.into())];
        let rows = self.reader().await?.rows(sql::accounts(subject, E::NOW), values).await?;
        Ok(rows.iter().map(account_usage).collect::<Result<_, _>>()?)
    }

    async fn reserve_model(
        &self,
        request: &ModelRequest,
        accounts: &[ModelAccount],
    ) -> Result<ModelReservation, StoreError> {
        let ModelRequest { id, session, fence, request, month, bound } = *request;
        let month = int(month.number());
        let mut connection = self.writer().await?;
        connection.begin().await?;
        // Lock the accounts in the same order on all nodes. Otherwise, two nodes could deadlock.
        let mut locked: Vec<Uuid> =
            accounts.iter().filter(|account| account.is_limited()).map(|account| account.id).collect();
        locked.sort_unstable();
        for account in locked {
            connection.run(sql::LOCK_ACCOUNT, vec![SqlValue::Id(account)]).await?;
        }
        let mut waits = false;
        for (index, account) in accounts.iter().enumerate().filter(|(_, account)| account.is_limited()) {
            let values = vec![SqlValue::Id(account.id), month, int(LOST_REQUEST_MS), SqlValue::Id(id)];
            let rows = connection.rows(sql::model_use(E::NOW), values).await?;
            let Some(row) = rows.first() else { continue };
            let (tokens, cost_micros) = (row.int(0)?, row.int(1)?);
            if !account.has_room(tokens, cost_micros) {
                connection.commit().await?;
                return Ok(ModelReservation::Exhausted { account: index, tokens, cost_micros });
            }
            waits |= !account.has_room(tokens.saturating_add(row.int(2)?), cost_micros.saturating_add(row.int(3)?));
        }
        if waits {
            connection.commit().await?;
            return Ok(ModelReservation::Waiting);
        }
        let claimed = vec![SqlValue::Id(session.0), int(fence.0)];
        if connection.rows(sql::lock_claimed(E::LOCK), claimed).await?.is_empty() {
            connection.commit().await?;
            return Ok(ModelReservation::Lost);
        }
        let RequestKey { message, attempt } = request;
        for account in accounts {
            let [id, account, session] = [id, account.id, session.0].map(SqlValue::Id);
            let amounts = [bound.tokens, bound.cost_micros.unwrap_or(0)].map(int);
            let mut values = vec![id, account, month, session, int(message.0), int(attempt.into())];
            values.extend(amounts);
            connection.run(sql::reserve_model(E::NOW), values).await?;
        }
        connection.commit().await?;
        Ok(ModelReservation::Reserved)
    }

    async fn lose_requests(&self, session: SessionId, fence: Fence) -> Result<Vec<ReservedRequest>, StoreError> {
        let rows = self.writer().await?.rows(sql::LOSE_REQUESTS, vec![SqlValue::Id(session.0), int(fence.0)]).await?;
        let mut lost: Vec<ReservedRequest> = rows.iter().map(reserved_request).collect::<Result<_, _>>()?;
        // A request has a reservation in each of its accounts.
        lost.sort_unstable_by_key(|lost| (lost.request.message, lost.request.attempt));
        lost.dedup();
        Ok(lost)
    }

    async fn release_model(&self, reservation: Uuid) -> Result<(), StoreError> {
        self.writer().await?.run(sql::RELEASE_MODEL, vec![SqlValue::Id(reservation)]).await?;
        Ok(())
    }

    async fn end_python(&self, reservation: Uuid, ms: u64) -> Result<(), StoreError> {
        self.writer().await?.run(sql::END_PYTHON, vec![SqlValue::Id(reservation), int(ms)]).await?;
        Ok(())
    }

    async fn sweep(&self, before: Timestamp) -> Result<u64, StoreError> {
        let mut removed = 0;
        for statement in [sql::REMOVE_PYTHON, sql::REMOVE_RESERVATIONS] {
            removed += self.writer().await?.run(statement, vec![int(before.millis())]).await?;
        }
        let month = Month::of(before);
        removed += self.writer().await?.run(sql::REMOVE_MODEL_USE, vec![int(month.number())]).await?;
        // Kept for another month, because a session that is claimed again must know which requests were sent.
        let last = int(month.previous().number());
        removed += self.writer().await?.run(sql::REMOVE_MODEL_RESERVATIONS, vec![last]).await?;
        Ok(removed)
    }
}

fn account_usage(row: &impl SqlRow) -> Result<AccountUsage, sqlx::Error> {
    let name = row.maybe_text(1)?.map(Into::into);
    Ok(AccountUsage { account: row.id(0)?, name, tokens: row.int(2)?, cost_micros: row.int(3)? })
}

fn reserved_request(row: &impl SqlRow) -> Result<ReservedRequest, sqlx::Error> {
    let attempt = u32::try_from(row.int(1)?).map_err(|_| unreadable("the attempt of a reserved request"))?;
    let request = RequestKey { message: MessageId(row.int(0)?), attempt };
    // Without a limit on cost, no cost is reserved.
    let cost_micros = Some(row.int(3)?).filter(|cost| *cost > 0);
    Ok(ReservedRequest { request, bound: TurnBound { tokens: row.int(2)?, cost_micros } })
}

impl<E: Engine> Database<E> {
    async fn count(&self, statement: &'static str, who: ParticipantId) -> Result<u64, StoreError> {
        let rows = self.reader().await?.rows(statement, vec![SqlValue::Id(who.0)]).await?;
        Ok(rows.first().map_or(Ok(0), |row| row.int(0))?)
    }
}
