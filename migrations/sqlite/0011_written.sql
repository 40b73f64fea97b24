-- Time of the last write to a session, or of its first claim, by the database's clock. `updated_at` is the time by the
-- writing node's clock, which can be far behind. A session therefore expires only when both times are old. 0: an
-- earlier program version wrote the session last.

alter table sessions add column written_at integer not null default 0;
