-- Tables and columns that redactions search.

-- Participants that the log of a session names: current and former members, and people who asked for admission. Rows
-- are never deleted, because the redaction of a participant processes only these sessions.
create table appearances (
    participant uuid not null,
    session     uuid not null references sessions (id) on delete cascade,
    primary key (participant, session)
);
create index appearances_by_session on appearances (session);
insert into appearances (participant, session) select participant, session from members;
insert into appearances (participant, session)
    select distinct substr(actor, 3)::uuid, session from receipts where actor ~ '^u_[0-9a-f]{32}$' on conflict do nothing;

-- BLAKE3 in hexadecimal, as in contents. Null: uploaded before this column existed.
alter table uploads add column digest text;
create index uploads_by_digest on uploads (digest) where digest is not null;
