-- Tokens and cost of an execution from its start to its end. Null: it has not ended, or ended before this migration.

alter table executions add column tokens bigint;
alter table executions add column cost_micros bigint;
