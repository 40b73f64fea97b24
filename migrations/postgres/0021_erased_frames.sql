-- Events in their redacted form. A redaction first writes them here in small batches, so that a long log needs no long
-- transaction. Readers get them from the commit of the redaction on. They then replace the rows of events in small
-- batches.
create table erased_frames (
    session uuid    not null references sessions (id) on delete cascade,
    -- Fence of the writer. Rows of a redaction that was not committed have a fence that no session refers to.
    fence   bigint  not null,
    seq     bigint  not null,
    frame   text    not null,
    primary key (session, fence, seq)
);

-- Fence of the rows in erased_frames that readers get. Null: none.
alter table sessions add column erased_fence bigint;
create index sessions_erased on sessions (id) where erased_fence is not null;
