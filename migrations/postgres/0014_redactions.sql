-- Pending redactions of whole sessions, and of people in all sessions: those that take longer than a request, or that
-- the command line requested. A server executes them and retries until they succeed.

create table redactions (
    id        bigint  not null generated always as identity primary key,
    -- `session` or `participant`.
    kind      text    not null,
    target    uuid    not null,
    -- True if the participant's messages and files are redacted, too.
    content   boolean not null,
    -- Actor that requested the redaction, in the format of events (JSON).
    actor     text    not null,
    at        bigint  not null
);

-- Days from a session's last event to its automatic redaction. Null: never.
alter table sessions add column retention_days bigint;
create index sessions_by_retention on sessions (updated_at) where retention_days is not null;
