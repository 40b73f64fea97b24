-- Quotas of sessions and teams. The participant of model_use is an account from now on: the id of a participant, of a
-- session, or of a team.

-- Bounds of requests to models that have no usage yet. A request that a crashed node lost keeps its bound: its provider
-- can have charged for it.
create table model_reservations (
    id          blob not null,
    account     blob not null,
    month       integer not null,
    session     blob not null,
    message     integer not null,
    tokens      integer not null,
    cost_micros integer not null,
    at          integer not null,
    primary key (id, account)
) strict, without rowid;
create index model_reservations_by_account on model_reservations (account, month);
create index model_reservations_by_message on model_reservations (session, message);

-- Account of the session's team; null: unknown, written before this was kept.
alter table sessions add column team blob;
create index sessions_by_team on sessions (team) where waiting;

-- Rows to lock, one per account, so that the second of two concurrent reservations counts the first.
create table quota_locks (
    account blob not null primary key
) strict, without rowid;
