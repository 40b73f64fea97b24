-- Executions of teams that participants created. An execution is the first run of its session. Derived from the logs.

create table executions (
    session      uuid   not null primary key references sessions (id) on delete cascade,
    -- Not a foreign key: an execution has its own copy of the team, and is stored longer than the team.
    team         uuid   not null,
    team_version bigint not null,
    status       text   not null,
    started_at   bigint not null,
    completed_at bigint,
    -- Code and message of the error, as JSON.
    error        text
);
create index executions_by_team on executions (team, started_at, session);
