-- Teams that participants created from a topology, and the participants with whom they share them.

create table teams (
    id          uuid    not null primary key,
    owner       uuid    not null references participants (id) on delete cascade,
    name        text    not null,
    description text    not null,
    -- Document of the newest version, as JSON.
    document    text    not null,
    -- Data for lists, as JSON: the document's size, and the models and tools that it refers to.
    entry       text    not null,
    version     bigint  not null,
    active      boolean not null,
    created_at  bigint  not null,
    updated_at  bigint  not null,
    bytes       bigint  not null
);
create index teams_by_owner on teams (owner, created_at);
create index teams_by_age on teams (created_at, id);

create table team_access (
    team        uuid not null references teams (id) on delete cascade,
    participant uuid not null references participants (id) on delete cascade,
    access      text not null,
    primary key (team, participant)
);
create index team_access_by_participant on team_access (participant);
