-- Where a node meets the others; nodes that say different things do not hear each other. Null: its version does not say.

alter table nodes add column bus text;
