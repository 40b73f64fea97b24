-- Limits of tokens, as JSON. Absent: all rights of the owner. A cookie that was made from a token has its limits.

alter table credentials add column scope text;

-- Role in every session that the groups of a person give. Absent: none.
alter table participants add column session_role text;
