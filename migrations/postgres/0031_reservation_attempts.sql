-- Attempt at the message of the request, 0 for a title: the next owner of a session learns which requests the last one
-- might have sent.
alter table model_reservations add column attempt bigint not null default 1;
