-- Requests to models that wait for a quota, and have therefore not been sent. The next owner of a session deletes the
-- rows that the last one left, so that the last one can no longer send these requests.

create table waiting_requests (
    id      uuid not null primary key,
    session uuid not null,
    message bigint not null,
    attempt bigint not null,
    month   bigint not null
);
create index waiting_requests_by_session on waiting_requests (session);
