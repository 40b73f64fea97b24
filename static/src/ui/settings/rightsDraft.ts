/** Draft of the rights of each role: the rules that differ from the default. */
import type { Right, RightAccess, RightRule, Role } from "../../protocol";
import { accessWith, RIGHTS } from "../../state/participants";

/** Roles whose rights can change. Owners are not among them, because they have every right. */
export const ROLES: Role[] = ["member", "reviewer", "viewer", "bot"];

/**
 * Returns whether the right is the same in every session, because it follows from membership or from the
 * role.
 */
export function isFixed(right: Right): boolean {
  return right === "watch" || right === "manage";
}

/** Returns whether owners can be asked for the right. */
export function isRequestable(right: Right): boolean {
  return right === "say" || right === "steer" || right === "interrupt" || right === "invite";
}

/** Returns whether the right of the role differs from the default. */
export function isChanged(rules: RightRule[], role: Role, right: Right): boolean {
  return accessWith(role, right, rules) !== accessWith(role, right);
}

/**
 * Returns the rules after the role's access to the right has changed; a right with its default access has no
 * rule.
 */
export function withAccess(rules: RightRule[], role: Role, right: Right, access: RightAccess): RightRule[] {
  const others = rules.filter((rule) => rule.role !== role || rule.right !== right);
  if (access === accessWith(role, right)) return others;
  return sortRules([...others, { role, right, access }]);
}

/** Returns whether both lists give the same rights. */
export function haveSameRights(one: RightRule[], other: RightRule[]): boolean {
  return ROLES.every((role) =>
    RIGHTS.every((right) => accessWith(role, right, one) === accessWith(role, right, other)),
  );
}

/** Returns the rules in a fixed order, so that equal rights result in equal settings. */
function sortRules(rules: RightRule[]): RightRule[] {
  const rank = ({ role, right }: RightRule) => ROLES.indexOf(role) * RIGHTS.length + RIGHTS.indexOf(right);
  return rules.toSorted((one, other) => rank(one) - rank(other));
}
