-- What redactions look for, and what they leave to be done.

-- Everybody whom the log of a session names: they are in it, were, or asked to be. Never removed: a redaction of somebody
-- looks through these sessions alone.
create table appearances (
    participant blob not null,
    session     blob not null references sessions (id) on delete cascade,
    primary key (participant, session)
) strict, without rowid;
create index appearances_by_session on appearances (session);
insert into appearances (participant, session) select participant, session from members;
insert or ignore into appearances (participant, session)
    select unhex(substr(actor, 3)), session from receipts where actor like 'u!_%' escape '!' and length(actor) = 34;

-- BLAKE3 in hexadecimal, as of contents; null: brought before this was kept.
alter table uploads add column digest text;
create index uploads_by_digest on uploads (digest) where digest is not null;

-- Erasures of which old pages, and terms where they erased something that is searched, may still lie in the database's files.
create table scrubs (
    id    integer not null primary key autoincrement,
    terms integer not null
) strict;
