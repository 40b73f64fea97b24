-- Executions of teams that participants made: the first runs of their sessions. Derived from the logs.

create table executions (
    session      blob    not null primary key references sessions (id) on delete cascade,
    -- No reference: an execution keeps its copy of the team, and outlives it.
    team         blob    not null,
    team_version integer not null,
    status       text    not null,
    started_at   integer not null,
    completed_at integer,
    -- Code and message of the error, as JSON.
    error        text
) strict, without rowid;
create index executions_by_team on executions (team, started_at, session);
