-- Quotas of sessions and teams. The participant of model_use is an account from now on: the id of a participant, of a
-- session, or of a team.

-- Bounds of requests to models that have no usage yet. A request that a crashed node lost keeps its bound: its provider
-- can have charged for it.
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

-- Account of the session's team; null: unknown, written before this was kept.
alter table sessions add column team uuid;
create index sessions_by_team on sessions (team) where waiting;

-- Rows to lock, one per account, so that the second of two concurrent reservations counts the first.
create table quota_locks (
    account uuid not null primary key
);
