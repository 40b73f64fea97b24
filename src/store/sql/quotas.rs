//! Statements about quotas.

use std::borrow::Cow;

use super::rows;
use crate::quotas::QuotaSubject;

pub(in crate::store) const SESSIONS: &str = "select count(*) from sessions where created_by = $1 and head > 0";
pub(in crate::store) const RUNS: &str = "select count(*) from sessions where run_by = $1";
pub(in crate::store) const FILE_BYTES: &str =
    "select cast(coalesce(sum(bytes), 0) as bigint) from contents where brought_by = $1";
pub(in crate::store) const CHARGE_FILE: &str = "\
    update contents set brought_by = $3, bytes = length(content) \
    where session = $1 and digest = $2 and brought_by is null";
pub(in crate::store) const KNOWLEDGE_BYTES: &str = "\
    select cast(coalesce(sum(documents.bytes), 0) as bigint) from bases \
    join documents on documents.base = bases.id where bases.owner = $1";

/// The SQL of a quota.
pub(in crate::store) struct QuotaStatement {
    /// Name of the quota in the table of reservations.
    pub(in crate::store) quota: &'static str,
    /// Expression for the amount to reserve; `$3` is the requested amount.
    pub(in crate::store) amount: &'static str,
    /// Query for the amount that is already used.
    pub(in crate::store) used: &'static str,
}

pub(in crate::store) const SESSION: QuotaStatement = QuotaStatement {
    quota: "session",
    amount: "$3",
    used: "select count(*) from sessions where created_by = $2 and head > 0",
};
pub(in crate::store) const RUN: QuotaStatement =
    QuotaStatement { quota: "run", amount: "$3", used: "select count(*) from sessions where run_by = $2" };
pub(in crate::store) const TEAM_RUN: QuotaStatement = QuotaStatement {
    quota: "team_run",
    amount: "$3",
    used: "select count(*) from sessions where team = $2 and waiting",
};
/// Content that already counts toward one participant's quota counts toward no other, however often it is stored.
pub(in crate::store) const FILE: QuotaStatement = QuotaStatement {
    quota: "file",
    amount: "case when exists (select 1 from contents where session = $5 and digest = $6 and brought_by is not null) \
             then 0 else $3 end",
    used: "select coalesce(sum(bytes), 0) from contents where brought_by = $2",
};
/// The amount that is already used excludes the document that is replaced.
pub(in crate::store) const DOCUMENT: QuotaStatement = QuotaStatement {
    quota: "document",
    amount: "$3",
    used: "select coalesce(sum(documents.bytes), 0) from bases join documents on documents.base = bases.id \
           where bases.owner = $2 and not (documents.base = $5 and documents.name = $6)",
};

/// Serializes the reservations of one participant, so that the second of two concurrent ones counts the first.
pub(in crate::store) fn lock_participant(lock: &str) -> Cow<'static, str> {
    format!("select id from participants where id = $1{lock}").into()
}

pub(in crate::store) fn forget_reservations(now: &str) -> Cow<'static, str> {
    format!("delete from quota_reservations where participant = $1 and at <= {now} - $2").into()
}

pub(in crate::store) const REMOVE_RESERVATIONS: &str = "delete from quota_reservations where at < $1";

pub(in crate::store) fn reserve(
    QuotaStatement { quota, amount, used }: &QuotaStatement,
    now: &str,
) -> Cow<'static, str> {
    let amount = amount.replace("$3", "cast($3 as bigint)");
    format!(
        "insert into quota_reservations (id, participant, quota, amount, at) \
         select $1, $2, '{quota}', requested.amount, {now} from (select {amount} as amount) requested \
         where requested.amount = 0 or requested.amount + ({used}) + (select coalesce(sum(reserved.amount), 0) \
         from quota_reservations reserved where reserved.participant = $2 and reserved.quota = '{quota}') <= $4"
    )
    .into()
}

pub(in crate::store) const RELEASE: &str = "delete from quota_reservations where id = $1";
pub(in crate::store) const HAS_COUNTED_RUN: &str = "select 1 from sessions where id = $1 and run_by is not null";

pub(in crate::store) fn reserve_python(now: &str) -> Cow<'static, str> {
    format!("insert into python_use (id, session, participant, at, ms) values ($1, $2, $3, {now}, $4)").into()
}

pub(in crate::store) fn python_ms(column: &str, now: &str) -> Cow<'static, str> {
    format!(
        "select cast(coalesce(sum(ms), 0) as bigint), min(at) from python_use \
         where {column} = $1 and at > {now} - $2 and id <> $3 and ms > 0"
    )
    .into()
}

pub(in crate::store) const END_PYTHON: &str = "update python_use set ms = $2 where id = $1 and ms > $2";
pub(in crate::store) const REMOVE_PYTHON: &str = "delete from python_use where at < $1";

/// Selects the usage of an account in a month: tokens and cost that are used or lost, then those of requests in
/// progress, which might have started in the previous month. The reservation `$4` does not count: it is the one to
/// make, and might already exist if the reply to it was lost.
pub(in crate::store) fn model_use(now: &str) -> Cow<'static, str> {
    let used =
        |column: &str| format!("coalesce((select {column} from model_use where participant = $1 and month = $2), 0)");
    let reserved = |column: &str, condition: &str| {
        format!(
            "(select coalesce(sum(case when {condition} then {column} end), 0) from model_reservations \
             where account = $1 and id <> $4)"
        )
    };
    let lost = format!("at <= {now} - $3 and month = $2");
    let running = format!("at > {now} - $3");
    let [lost_tokens, lost_cost] = ["tokens", "cost_micros"].map(|column| reserved(column, &lost));
    let [running_tokens, running_cost] = ["tokens", "cost_micros"].map(|column| reserved(column, &running));
    format!(
        "select cast({} + {lost_tokens} as bigint), cast({} + {lost_cost} as bigint), \
         cast({running_tokens} as bigint), cast({running_cost} as bigint)",
        used("tokens"),
        used("cost_micros"),
    )
    .into()
}

/// Selects the usage of all accounts of a kind in the month `$1`, most tokens first, after the account `$4` with `$3`
/// tokens. Requests that are older than `$2` milliseconds are lost.
pub(in crate::store) fn accounts(subject: QuotaSubject, now: &str) -> Cow<'static, str> {
    let named = match subject {
        QuotaSubject::Participant => "select id, name from participants",
        QuotaSubject::Session => "select id, cast(null as text) as name from sessions",
        QuotaSubject::Team => {
            "select id, name from teams union all select distinct team as id, cast(null as text) as name from sessions \
             where team is not null and not exists (select 1 from teams where teams.id = sessions.team)"
        }
    };
    let tokens = "cast(sum(used.tokens) as bigint)";
    format!(
        "select used.account, named.name, {tokens}, cast(sum(used.cost_micros) as bigint) \
         from (select participant as account, tokens, cost_micros from model_use where month = $1 \
         union all \
         select account, tokens, cost_micros from model_reservations where month = $1 and at <= {now} - $2) used \
         join ({named}) named on named.id = used.account group by used.account, named.name \
         having {tokens} < $3 or {tokens} = $3 and used.account > $4 order by {tokens} desc, used.account limit $5"
    )
    .into()
}

pub(in crate::store) const LOCK_ACCOUNT: &str = "insert into quota_locks (account) values ($1) \
    on conflict (account) do update set account = excluded.account";

pub(in crate::store) fn reserve_model(now: &str) -> Cow<'static, str> {
    format!(
        "insert into model_reservations (id, account, month, session, message, attempt, tokens, cost_micros, at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, {now}) on conflict (id, account) do nothing"
    )
    .into()
}

/// Selects the session if its latest claim has this fence, and locks it, so that the next claim comes after this
/// transaction.
pub(in crate::store) fn lock_claimed(lock: &str) -> Cow<'static, str> {
    format!("select 1 from sessions where id = $1 and fence = $2{lock}").into()
}

/// Makes the reservations of a session so old that they count as lost, if `$2` is the fence of the session's owner.
pub(in crate::store) const LOSE_REQUESTS: &str = "\
    update model_reservations set at = 0 where session = $1 \
    and exists (select 1 from sessions where sessions.id = $1 and sessions.fence = $2) \
    returning message, attempt, tokens, cost_micros";
pub(in crate::store) const RELEASE_MODEL: &str = "delete from model_reservations where id = $1";
/// Deletes the reservation of the latest attempt. Lost attempts before it, which the log does not charge, still count.
pub(in crate::store) const RELEASE_LOST_REQUEST: &str = "\
    delete from model_reservations where session = $1 and message = $2 and attempt = \
    (select max(attempt) from model_reservations where session = $1 and message = $2)";
pub(in crate::store) const REMOVE_MODEL_RESERVATIONS: &str = "delete from model_reservations where month < $1";
pub(in crate::store) const REMOVE_MODEL_USE: &str = "delete from model_use where month < $1";

pub(in crate::store) fn add_model_use(entries: usize) -> Cow<'static, str> {
    let values = rows(entries, 4);
    format!(
        "insert into model_use (participant, month, tokens, cost_micros) values {values} \
         on conflict (participant, month) do update set tokens = model_use.tokens + excluded.tokens, \
         cost_micros = model_use.cost_micros + excluded.cost_micros"
    )
    .into()
}
