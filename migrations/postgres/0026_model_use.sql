-- Model usage of the runs that a participant started, per calendar month in UTC (year * 100 + month).
create table model_use (
    participant uuid not null,
    month       bigint not null,
    tokens      bigint not null,
    cost_micros bigint not null,
    primary key (participant, month)
);
