-- Contents of session files; the log records which files exist. Content is stored before the event that names it. A
-- sweep removes content that no event names.

create table contents (
    session blob    not null references sessions (id) on delete cascade,
    -- BLAKE3 in hexadecimal.
    digest  text    not null,
    content blob    not null,
    -- Time of its last upload.
    at      integer not null,
    -- True if an event names it. If so, it is stored as long as its session.
    named   integer not null,
    primary key (session, digest)
) strict;
create index contents_loose on contents (at) where not named;

-- Files that a participant uploaded and that do not belong to a session yet.

create table uploads (
    id      blob    not null primary key,
    owner   blob    not null references participants (id) on delete cascade,
    name    text    not null,
    content blob    not null,
    at      integer not null
) strict;
create index uploads_by_owner on uploads (owner);
create index uploads_by_time on uploads (at);
