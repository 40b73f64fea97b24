-- Requests to models that wait for a quota, and have therefore not been sent. The next owner of a session deletes the
-- rows that the last one left, so that the last one can no longer send these requests.

create table waiting_requests (
    id      blob not null primary key,
    session blob not null,
    message integer not null,
    attempt integer not null,
    month   integer not null
) strict, without rowid;
create index waiting_requests_by_session on waiting_requests (session);
