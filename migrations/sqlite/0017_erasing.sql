-- Tables and columns for redactions: where to search, and erasures with remaining work.

-- Participants that the log of a session names: current and former members, and people who asked for admission. Rows
-- are never deleted, because the redaction of a participant processes only these sessions.
create table appearances (
    participant blob not null,
    session     blob not null references sessions (id) on delete cascade,
    primary key (participant, session)
) strict, without rowid;
create index appearances_by_session on appearances (session);
insert into appearances (participant, session) select participant, session from members;
insert or ignore into appearances (participant, session)
    select unhex(substr(actor, 3)), session from receipts where actor like 'u!_%' escape '!' and length(actor) = 34;

-- BLAKE3 in hexadecimal, as in contents. Null: uploaded before this column existed.
alter table uploads add column digest text;
create index uploads_by_digest on uploads (digest) where digest is not null;

-- Erasures whose data can still be in old pages of the database's files and, if `terms` is not 0, in the search index.
create table scrubs (
    id    integer not null primary key autoincrement,
    terms integer not null
) strict;
