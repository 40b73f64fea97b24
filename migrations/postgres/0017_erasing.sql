-- What redactions look for.

-- Everybody whom the log of a session names: they are in it, were, or asked to be. Never removed: a redaction of somebody
-- looks through these sessions alone.
create table appearances (
    participant uuid not null,
    session     uuid not null references sessions (id) on delete cascade,
    primary key (participant, session)
);
create index appearances_by_session on appearances (session);
insert into appearances (participant, session) select participant, session from members;
insert into appearances (participant, session)
    select distinct substr(actor, 3)::uuid, session from receipts where actor ~ '^u_[0-9a-f]{32}$' on conflict do nothing;

-- BLAKE3 in hexadecimal, as of contents; null: brought before this was kept.
alter table uploads add column digest text;
create index uploads_by_digest on uploads (digest) where digest is not null;
