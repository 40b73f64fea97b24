-- Teams that participants created from a topology, and the participants with whom they share them.

create table teams (
    id          blob    not null primary key,
    owner       blob    not null references participants (id) on delete cascade,
    name        text    not null,
    description text    not null,
    -- Document of the newest version, as JSON.
    document    text    not null,
    -- Data for lists, as JSON: the document's size, and the models and tools that it refers to.
    entry       text    not null,
    version     integer not null,
    active      integer not null,
    created_at  integer not null,
    updated_at  integer not null,
    bytes       integer not null
) strict;
create index teams_by_owner on teams (owner, created_at);
create index teams_by_age on teams (created_at, id);

create table team_access (
    team        blob not null references teams (id) on delete cascade,
    participant blob not null references participants (id) on delete cascade,
    access      text not null,
    primary key (team, participant)
) strict, without rowid;
create index team_access_by_participant on team_access (participant);
