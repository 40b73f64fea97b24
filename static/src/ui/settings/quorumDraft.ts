/** Draft of a quorum, as its fields hold it. */
import type { Quorum, Role } from "../../protocol";

export interface QuorumDraft {
  kind: Quorum["kind"];
  /** Required votes of `at_least`. */
  n: string;
  /** Role of `role`. */
  role: Role;
  /** Role whose votes alone count for `at_least`. Empty: everyone who may approve. */
  only: Role | "";
}

/** Roles that can vote. */
export const VOTERS: Role[] = ["owner", "member", "reviewer"];

/** Returns the fields for the quorum. */
export function quorumDraftOf(quorum: Quorum): QuorumDraft {
  return {
    kind: quorum.kind,
    n: quorum.kind === "at_least" ? String(quorum.n) : "2",
    role: quorum.kind === "role" ? quorum.role : "reviewer",
    only: (quorum.kind === "at_least" && quorum.role) || "",
  };
}

/** Returns the quorum in the fields. */
export function quorumOf({ kind, n, role, only }: QuorumDraft): Quorum {
  if (kind === "at_least") return { kind, n: Number(n), ...(only && { role: only }) };
  return kind === "role" ? { kind, role } : { kind };
}
