-- Executions of teams that participants created. An execution is the first run of its session. Derived from the logs.

create table executions (
    session      blob    not null primary key references sessions (id) on delete cascade,
    -- Not a foreign key: an execution has its own copy of the team, and is stored longer than the team.
    team         blob    not null,
    team_version integer not null,
    status       text    not null,
    started_at   integer not null,
    completed_at integer,
    -- Code and message of the error, as JSON.
    error        text
) strict, without rowid;
create index executions_by_team on executions (team, started_at, session);
