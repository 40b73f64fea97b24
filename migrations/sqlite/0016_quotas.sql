-- Usage that counts toward quotas.

-- Participant who created the session. Null: created before this column existed.
alter table sessions add column created_by blob;
create index sessions_by_creator on sessions (created_by) where created_by is not null;
-- Participant whose message started the current run. Null: no run is active.
alter table sessions add column run_by blob;
create index sessions_by_runner on sessions (run_by) where run_by is not null;

-- Participant toward whose quota the content counts, and its size.
alter table contents add column brought_by blob;
alter table contents add column bytes integer;
create index contents_by_bringer on contents (brought_by) where brought_by is not null;

-- Run time of Python programs: the maximum while a program runs, then the time that it took.
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
