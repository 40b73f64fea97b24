-- Executions of teams that participants made: the first runs of their sessions. Derived from the logs.

create table executions (
    session      uuid   not null primary key references sessions (id) on delete cascade,
    -- No reference: an execution keeps its copy of the team, and outlives it.
    team         uuid   not null,
    team_version bigint not null,
    status       text   not null,
    started_at   bigint not null,
    completed_at bigint,
    -- Code and message of the error, as JSON.
    error        text
);
create index executions_by_team on executions (team, started_at, session);
