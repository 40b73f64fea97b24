-- Until when a node takes over nothing that other nodes have claimed: its own lease was over before it was renewed, and theirs
-- may have been for the same reason. A node's first lease begins without such a time.

alter table nodes add column patient_until bigint not null default 0;
