-- Participants, credentials and invitations. Of each secret, only the hash is stored.

create table participants (
    id         blob    not null primary key,
    kind       text    not null,
    name       text    not null,
    server_role   text    not null,
    created_at integer not null
) strict;
create index participants_by_name on participants (name, kind, created_at, id);

create table credentials (
    hash        blob    not null primary key,
    id          text    not null,
    opens       text    not null,
    participant blob    not null references participants (id) on delete cascade,
    created_at  integer not null,
    expires_at  integer,
    -- Credential from which this one was created. This one ends when that one ends.
    origin      blob references credentials (hash) on delete cascade
) strict;
create index credentials_by_participant on credentials (participant);
create index credentials_by_origin on credentials (origin) where origin is not null;
create index credentials_by_end on credentials (expires_at) where expires_at is not null;

create table invitations (
    hash       blob    not null primary key,
    session    blob    not null references sessions (id) on delete cascade,
    role       text    not null,
    invited_by blob    not null,
    expires_at integer not null
) strict;
create index invitations_by_session on invitations (session);
create index invitations_by_end on invitations (expires_at);
