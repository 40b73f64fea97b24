/** Draft of a quorum, as its fields contain it. */
import type { Quorum, Role } from "../../protocol";
import { weightOf } from "../../state/quorums";
import { WEIGHTED } from "../gates/weightsText";

export interface QuorumDraft {
  kind: Quorum["kind"];
  /** Required number of votes for `at_least`, or required weight for `weighted`. */
  n: string;
  /** Role that decides, for `role`. */
  role: Role;
  /** The only role whose votes count for `at_least`. Empty means everyone who may approve. */
  only: Role | "";
  /** Weights of the roles for `weighted`. */
  weights: Record<(typeof WEIGHTED)[number], string>;
}

/** Roles that can vote. */
export const VOTERS: Role[] = ["owner", "member", "reviewer"];

/** Returns the fields for the quorum. */
export function quorumDraftOf(quorum: Quorum): QuorumDraft {
  const weights = WEIGHTED.map((role) => [
    role,
    quorum.kind === "weighted" ? String(weightOf(quorum, role)) : "1",
  ]);
  return {
    kind: quorum.kind,
    n: quorum.kind === "at_least" || quorum.kind === "weighted" ? String(quorum.n) : "2",
    role: quorum.kind === "role" ? quorum.role : "reviewer",
    only: (quorum.kind === "at_least" && quorum.role) || "",
    weights: Object.fromEntries(weights) as QuorumDraft["weights"],
  };
}

/** Returns the quorum that the fields contain. */
export function quorumOf({ kind, n, role, only, weights }: QuorumDraft): Quorum {
  if (kind === "at_least") return { kind, n: Number(n), ...(only && { role: only }) };
  if (kind === "weighted") {
    const numbers = WEIGHTED.map((one) => [one, Number(weights[one])]);
    return { kind, n: Number(n), weights: Object.fromEntries(numbers) as Record<Role, number> };
  }
  return kind === "role" ? { kind, role } : { kind };
}
