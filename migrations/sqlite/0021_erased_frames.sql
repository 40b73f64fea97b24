-- Events as a redaction leaves them. They are written here first, a few at a time, so that a long log is redacted without a long
-- transaction; from the commit of the redaction on readers get them, and they replace the rows of events a few at a time.
create table erased_frames (
    session blob    not null references sessions (id) on delete cascade,
    -- The writer's. Those of a redaction that never happened have one that no commit names.
    fence   integer not null,
    seq     integer not null,
    frame   text    not null,
    primary key (session, fence, seq)
) strict, without rowid;

-- The fence of the erased_frames that readers get; null: none.
alter table sessions add column erased_fence integer;
create index sessions_erased on sessions (id) where erased_fence is not null;
