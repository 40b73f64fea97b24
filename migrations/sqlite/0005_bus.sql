-- Description of a node's bus. Nodes with different descriptions do not receive each other's messages. Null: the node's
-- version does not report it.

alter table nodes add column bus text;
