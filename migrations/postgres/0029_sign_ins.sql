-- Method and time of a participant's last sign-in with a browser. Null: never.

alter table participants add column signed_in_by text;
alter table participants add column signed_in_at bigint;
