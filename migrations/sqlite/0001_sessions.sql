-- Sessions, their logs, and tables derived from the logs for lookups. Times are milliseconds since 1970 in UTC. Ids are
-- the 16 bytes of a UUID.

create table sessions (
    id           blob    not null primary key,
    fence        integer not null,
    head         integer not null,
    title        text    not null,
    title_folded text    not null,
    updated_at   integer not null,
    unfinished   integer not null,
    waiting      integer not null,
    summary      text    not null
) strict;
create index sessions_by_change on sessions (updated_at, id);
-- Keyed by the id, which never changes, so that most appends do not write to this index.
create index sessions_unfinished on sessions (id) where unfinished;

create table events (
    session blob    not null references sessions (id) on delete cascade,
    seq     integer not null,
    frame   text    not null,
    primary key (session, seq)
) strict, without rowid;

create table receipts (
    session blob    not null references sessions (id) on delete cascade,
    actor   text    not null,
    command text    not null,
    seq     integer not null,
    primary key (session, actor, command)
) strict, without rowid;

create table members (
    session     blob not null references sessions (id) on delete cascade,
    participant blob not null,
    role        text not null,
    primary key (session, participant)
) strict, without rowid;
create index members_by_participant on members (participant, session);

create table snapshots (
    session blob    not null primary key references sessions (id) on delete cascade,
    seq     integer not null,
    state   blob    not null
) strict;
