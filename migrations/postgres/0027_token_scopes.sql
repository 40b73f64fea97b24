-- Scope of a token, as JSON. Null: all rights of the owner. A cookie that was created from a token has the token's
-- scope.

alter table credentials add column scope text;

-- Role that a person has in every session because of their groups. Null: none.
alter table participants add column session_role text;
