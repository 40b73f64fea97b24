/** Draft of the rights of each role: the rules that differ from the default. */
import type { Right, RightRule, Role } from "../../protocol";
import { RIGHTS, rightsOf, rightsWith } from "../../state/participants";

/** Roles whose rights can change: owners have every right. */
export const ROLES: Role[] = ["member", "reviewer", "viewer", "bot"];

/** Returns whether the right is the same in every session, because the membership or the role stands for it. */
export function isFixed(right: Right): boolean {
  return right === "watch" || right === "manage";
}

/** Returns whether the right of the role differs from the default. */
export function isChanged(rules: RightRule[], role: Role, right: Right): boolean {
  return rightsWith(role, rules).includes(right) !== rightsOf[role].includes(right);
}

/** Returns the rules after the role gains or loses the right; none for a right that is as by default. */
export function withRight(rules: RightRule[], role: Role, right: Right, has: boolean): RightRule[] {
  const others = rules.filter((rule) => rule.role !== role || rule.right !== right);
  if (has === rightsOf[role].includes(right)) return others;
  return inOrder([...others, { role, right, access: has ? "allow" : "deny" }]);
}

/** Sorts the rules, so that the same rights are the same settings. */
function inOrder(rules: RightRule[]): RightRule[] {
  const place = ({ role, right }: RightRule) => ROLES.indexOf(role) * RIGHTS.length + RIGHTS.indexOf(right);
  return rules.toSorted((one, other) => place(one) - place(other));
}
