-- Redactions that take longer than a request, or that were asked for beside the server: of whole sessions, and of people in
-- all sessions. A server carries them out, as often as it takes.

create table redactions (
    id        bigint  not null generated always as identity primary key,
    -- session or participant.
    kind      text    not null,
    target    uuid    not null,
    -- Also the participant's messages and files.
    content   boolean not null,
    -- Who asks, as events show them: JSON.
    actor     text    not null,
    at        bigint  not null
);

-- Days after its last event until a session is redacted; null: never.
alter table sessions add column retention_days bigint;
create index sessions_by_retention on sessions (updated_at) where retention_days is not null;
