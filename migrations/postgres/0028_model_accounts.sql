-- Quotas of sessions and teams. From this migration on, `model_use.participant` is an account: the id of a participant,
-- of a session, or of a team.

-- Upper bounds of model requests whose usage is not known yet. If a node crashes, the bounds of its requests remain,
-- because the provider can have charged for them.
create table model_reservations (
    id          uuid not null,
    account     uuid not null,
    month       bigint not null,
    session     uuid not null,
    message     bigint not null,
    tokens      bigint not null,
    cost_micros bigint not null,
    at          bigint not null,
    primary key (id, account)
);
create index model_reservations_by_account on model_reservations (account, month);
create index model_reservations_by_message on model_reservations (session, message);

-- Account of the session's team. Null: written before this column existed.
alter table sessions add column team uuid;
create index sessions_by_team on sessions (team) where waiting;

-- One row per account, which a reservation locks, so that the second of two concurrent reservations counts the first.
create table quota_locks (
    account uuid not null primary key
);
