-- How and when participants signed in with a browser last. Absent: never.

alter table participants add column signed_in_by text;
alter table participants add column signed_in_at bigint;
