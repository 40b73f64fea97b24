-- Fields of credentials that their owners see, disabled participants, and invite links with a limited number of uses or
-- that only allow a person to ask for admission.

alter table participants add column disabled_at bigint;
create index participants_by_disabled on participants (disabled_at) where disabled_at is not null;

alter table credentials add column label text;
alter table credentials add column address text;
alter table credentials add column last_used_at bigint;
-- Maximum time between two uses. If present, each use sets expires_at to this much after the use, but at most to
-- ends_at.
alter table credentials add column idle_ms bigint;
alter table credentials add column ends_at bigint;

-- Null: unlimited.
alter table invitations add column uses_left bigint;
alter table invitations add column knock boolean not null default false;
