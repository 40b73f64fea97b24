//! Writing of several appends in one transaction.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use super::{
    Append, AppendError, SessionId,
    admission::AdmissionState,
    connection::{DatabaseConnection, SqlRow, SqlValue, int, unreadable},
    engine::Engine,
    script::Script,
    sql::{self, MAX_ROWS},
};
use crate::kernel::{CommandId, Fact, ParticipantId, Role};
use crate::quotas::Month;

/// Writes the admitted appends of a batch without committing, and returns the verdict for each.
pub(super) async fn write<E: Engine>(
    script: &mut Script<'_, E::Connection>,
    batch: &[Append],
) -> Result<Vec<Result<(), AppendError>>, sqlx::Error> {
    let mut known = lock::<E>(script, batch).await?;
    let verdicts: Vec<_> = batch.iter().map(|append| known.admit(append)).collect();
    let taken: Vec<&Append> =
        batch.iter().zip(&verdicts).filter(|(_, verdict)| verdict.is_ok()).map(|(a, _)| a).collect();
    if !taken.is_empty() {
        write_events(script, &taken).await?;
        write_receipts(script, &taken).await?;
        write_listings::<E>(script, &taken).await?;
        write_members(script, &taken).await?;
        super::executions::write::<E>(script, &taken).await?;
        write_model_use(script, &taken).await?;
        write_erasures::<E>(script, &taken).await?;
    }
    Ok(verdicts)
}

async fn lock<E: Engine>(
    script: &mut Script<'_, E::Connection>,
    batch: &[Append],
) -> Result<AdmissionState, sqlx::Error> {
    let mut known = AdmissionState::default();
    let sessions: BTreeSet<SessionId> = batch.iter().map(|append| append.session).collect();
    for chunk in chunks(sessions) {
        let values = chunk.iter().map(|session| SqlValue::Id(session.0)).collect();
        for row in script.rows(sql::heads(chunk.len(), E::LOCK, E::NOW), values).await? {
            known.sessions.insert(SessionId(row.id(0)?), (row.int(1)?, row.int(2)?));
        }
    }
    let receipts: BTreeSet<_> = batch
        .iter()
        .flat_map(|append| append.receipts.iter().map(|receipt| (append.session, &*receipt.actor, &receipt.command)))
        .collect();
    for chunk in chunks(receipts) {
        let values = chunk.iter().flat_map(|(session, actor, command)| {
            [SqlValue::Id(session.0), SqlValue::Text(actor), SqlValue::Text(command.as_str())]
        });
        for row in script.rows(sql::known_receipts(chunk.len()), values.collect()).await? {
            let command: CommandId = row.text(2)?.parse().map_err(|_| unreadable("a command id"))?;
            known.receipts.insert((SessionId(row.id(0)?), row.text(1)?.into(), command), row.int(3)?);
        }
    }
    Ok(known)
}

async fn write_events(script: &mut Script<'_, impl DatabaseConnection>, taken: &[&Append]) -> Result<(), sqlx::Error> {
    let mut events = Vec::new();
    for append in taken {
        for recorded in append.events.iter() {
            let frame = std::str::from_utf8(&recorded.frame).map_err(|error| sqlx::Error::Encode(error.into()))?;
            events.push([SqlValue::Id(append.session.0), int(recorded.event.seq), SqlValue::Text(frame)]);
        }
    }
    insert(script, sql::insert_events, events).await
}

async fn write_receipts(
    script: &mut Script<'_, impl DatabaseConnection>,
    taken: &[&Append],
) -> Result<(), sqlx::Error> {
    let receipts = taken.iter().flat_map(|append| append.receipts.iter().map(|receipt| (append.session, receipt)));
    let receipts = receipts.map(|(session, receipt)| {
        let (actor, command) = (SqlValue::Text(&receipt.actor), SqlValue::Text(receipt.command.as_str()));
        [SqlValue::Id(session.0), actor, command, int(receipt.seq)]
    });
    insert(script, sql::insert_receipts, receipts.collect()).await
}

async fn write_listings<E: Engine>(
    script: &mut Script<'_, E::Connection>,
    taken: &[&Append],
) -> Result<(), sqlx::Error> {
    // A session's later listing replaces its earlier one.
    let newest: BTreeMap<SessionId, &Append> = taken.iter().map(|append| (append.session, *append)).collect();
    let folded: Vec<String> = newest.values().map(|append| fold(&append.listing.title)).collect();
    let rows = newest.iter().zip(&folded).map(|((session, append), folded)| {
        let listing = &append.listing;
        [
            SqlValue::Id(session.0),
            int(last(append)),
            SqlValue::Text(&listing.title),
            SqlValue::Text(folded),
            int(listing.updated_at.millis()),
            SqlValue::Flag(listing.unfinished),
            SqlValue::Flag(listing.waiting),
            SqlValue::Text(&listing.summary),
            SqlValue::MaybeId(listing.run_by.map(|who| who.0)),
            SqlValue::MaybeId(creator(append).map(|who| who.0)),
            SqlValue::MaybeInt(listing.retention_days.map(i64::from)),
            SqlValue::MaybeId(listing.team),
        ]
    });
    insert(script, |sessions| sql::update_sessions(sessions, E::NOW), rows.collect()).await
}

async fn write_members(script: &mut Script<'_, impl DatabaseConnection>, taken: &[&Append]) -> Result<(), sqlx::Error> {
    // A statement must not change a row twice.
    let mut newest: BTreeMap<(SessionId, ParticipantId), Option<Role>> = BTreeMap::new();
    for append in taken {
        newest.extend(append.members.iter().map(|(participant, role)| ((append.session, *participant), *role)));
    }
    let mut members = Vec::new();
    for ((session, participant), role) in newest {
        let key = [SqlValue::Id(session.0), SqlValue::Id(participant.0)];
        match role {
            Some(role) => members.push([key[0], key[1], SqlValue::Text(role.as_str())]),
            None => script.run(sql::REMOVE_MEMBER.into(), key.into()).await?,
        }
    }
    insert(script, sql::put_members, members).await?;
    let appearances: BTreeSet<_> =
        taken.iter().flat_map(|append| append.appear.iter().map(|who| (append.session.0, who.0))).collect();
    let rows = appearances.into_iter().map(|(session, who)| [SqlValue::Id(session), SqlValue::Id(who)]);
    insert(script, sql::put_appearances, rows.collect()).await
}

/// Adds model usage to the monthly totals of the participants who caused it, their sessions and the teams. Rows are
/// sorted, so that two nodes lock them in the same order. An event for a lost request counts the request at its upper
/// bound, so its reservation is released.
async fn write_model_use(
    script: &mut Script<'_, impl DatabaseConnection>,
    taken: &[&Append],
) -> Result<(), sqlx::Error> {
    let mut used: BTreeMap<(Uuid, u64), (u64, u64)> = BTreeMap::new();
    for append in taken {
        for recorded in append.events.iter() {
            let Fact::UsageRecorded {
                message,
                participant,
                model,
                estimated,
                input_tokens,
                output_tokens,
                cost_micros,
                ..
            } = &recorded.event.fact
            else {
                continue;
            };
            if model.is_empty() && *estimated {
                let lost = vec![SqlValue::Id(append.session.0), int(message.0)];
                script.run(sql::quotas::RELEASE_LOST_REQUEST.into(), lost).await?;
            }
            let accounts = [participant.map(|who| who.0), Some(append.session.0), append.listing.team];
            for account in accounts.into_iter().flatten() {
                let (tokens, cost) = used.entry((account, Month::of(recorded.event.at).number())).or_default();
                *tokens = tokens.saturating_add(input_tokens.saturating_add(*output_tokens));
                *cost = cost.saturating_add(*cost_micros);
            }
        }
    }
    let rows = used
        .into_iter()
        .map(|((account, month), (tokens, cost))| [SqlValue::Id(account), int(month), int(tokens), int(cost)]);
    insert(script, sql::quotas::add_model_use, rows.collect()).await
}

async fn write_erasures<E: Engine>(
    script: &mut Script<'_, E::Connection>,
    taken: &[&Append],
) -> Result<(), sqlx::Error> {
    for append in taken {
        let (session, Some(erasure)) = (SqlValue::Id(append.session.0), &append.erasure) else { continue };
        script.run(sql::erasures::COMMIT.into(), vec![session, int(append.fence.0)]).await?;
        for digest in &erasure.contents {
            let content = [session, SqlValue::Text(digest)];
            script.run(sql::REMOVE_UPLOADS_OF_CONTENT.into(), content.into()).await?;
            script.run(sql::ERASE_CONTENT.into(), content.into()).await?;
        }
        let snapshot = vec![session, int(last(append)), SqlValue::Bytes(&erasure.snapshot)];
        script.run(sql::SAVE_SNAPSHOT.into(), snapshot).await?;
        if E::SCRUBS {
            let note = vec![SqlValue::Flag(!erasure.contents.is_empty())];
            script.run(sql::scrub::NOTE.into(), note).await?;
        }
    }
    Ok(())
}

pub(super) async fn insert<const COLUMNS: usize>(
    script: &mut Script<'_, impl DatabaseConnection>,
    statement: fn(usize) -> std::borrow::Cow<'static, str>,
    rows: Vec<[SqlValue<'_>; COLUMNS]>,
) -> Result<(), sqlx::Error> {
    for chunk in rows.chunks(MAX_ROWS) {
        script.run(statement(chunk.len()), chunk.iter().flatten().copied().collect()).await?;
    }
    Ok(())
}

/// Returns the session's creator if the append contains its first event.
fn creator(append: &Append) -> Option<ParticipantId> {
    append.events.first().filter(|recorded| recorded.event.seq == 1)?.event.by.participant_id()
}

fn last(append: &Append) -> u64 {
    append.expected + append.events.len() as u64
}

/// Folds a title so that searches ignore case in every script that has it. Accents and full-width letters still matter.
pub(super) fn fold(title: &str) -> String {
    title.to_lowercase()
}

fn chunks<T: Clone>(items: BTreeSet<T>) -> Vec<Vec<T>> {
    let items: Vec<T> = items.into_iter().collect();
    items.chunks(MAX_ROWS).map(<[T]>::to_vec).collect()
}
