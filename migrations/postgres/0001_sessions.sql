-- Sessions, their logs, and tables derived from the logs for lookups. Times are milliseconds since 1970 in UTC. Ids are
-- UUIDs.

create table sessions (
    id           uuid    not null primary key,
    fence        bigint  not null,
    head         bigint  not null,
    title        text    not null,
    title_folded text    not null,
    updated_at   bigint  not null,
    unfinished   boolean not null,
    waiting      boolean not null,
    summary      text    not null
);
create index sessions_by_change on sessions (updated_at, id);
-- Keyed by the id, which never changes, so that most appends do not write to this index.
create index sessions_unfinished on sessions (id) where unfinished;

create table events (
    session uuid    not null references sessions (id) on delete cascade,
    seq     bigint  not null,
    frame   text    not null,
    primary key (session, seq)
);

create table receipts (
    session uuid    not null references sessions (id) on delete cascade,
    actor   text    not null,
    command text    not null,
    seq     bigint  not null,
    primary key (session, actor, command)
);

create table members (
    session     uuid not null references sessions (id) on delete cascade,
    participant uuid not null,
    role        text not null,
    primary key (session, participant)
);
create index members_by_participant on members (participant, session);

create table snapshots (
    session uuid    not null primary key references sessions (id) on delete cascade,
    seq     bigint  not null,
    state   bytea   not null
);
