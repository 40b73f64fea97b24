-- Time before which a node takes over no sessions of other nodes: its own lease expired before its renewal, and
-- theirs possibly for the same reason. The first lease of a node starts without such a time.

alter table nodes add column takeover_after bigint not null default 0;
