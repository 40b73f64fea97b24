-- What people see of their credentials, participants who are disabled, and links that are good for so many uses or that
-- only let somebody ask to come in.

alter table participants add column disabled_at integer;
create index participants_by_disabled on participants (disabled_at) where disabled_at is not null;

alter table credentials add column label text;
alter table credentials add column address text;
alter table credentials add column last_used_at integer;
-- Where there is a span of idleness, each use moves expires_at to so much later, but never beyond ends_at.
alter table credentials add column idle_ms integer;
alter table credentials add column ends_at integer;

-- Absent: as many as one likes.
alter table invitations add column uses_left integer;
alter table invitations add column knock integer not null default 0;
