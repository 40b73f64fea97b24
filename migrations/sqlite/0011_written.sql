-- When a session was first claimed, or last written, by the database's clock. `updated_at` is what the writing node's clock says,
-- which may be far behind: a session expires when both are old. 0: it was last written by a program of an earlier version.

alter table sessions add column written_at integer not null default 0;
