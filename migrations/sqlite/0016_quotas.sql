-- What quotas count.

-- Who created the session; null: unknown, created before this was kept.
alter table sessions add column created_by blob;
create index sessions_by_creator on sessions (created_by) where created_by is not null;
-- Whose words began the run under way; null: no run is under way.
alter table sessions add column run_by blob;
create index sessions_by_runner on sessions (run_by) where run_by is not null;

-- Whose quota the content counts in, and its bytes.
alter table contents add column brought_by blob;
alter table contents add column bytes integer;
create index contents_by_bringer on contents (brought_by) where brought_by is not null;

-- Time of programs: reserved in full when one begins, then what it took.
create table python_use (
    id          blob not null primary key,
    session     blob not null,
    participant blob,
    at          integer not null,
    ms          integer not null
) strict, without rowid;
create index python_use_by_session on python_use (session, at);
create index python_use_by_participant on python_use (participant, at) where participant is not null;
create index python_use_by_time on python_use (at);
