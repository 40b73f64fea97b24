-- Model usage of the runs that a participant started, per calendar month in UTC (year * 100 + month).
create table model_use (
    participant blob not null,
    month       integer not null,
    tokens      integer not null,
    cost_micros integer not null,
    primary key (participant, month)
) strict, without rowid;
