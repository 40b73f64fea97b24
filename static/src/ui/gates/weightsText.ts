/** Text of a quorum with weights. */
import type { Quorum, Role } from "../../protocol";
import type { Texts } from "../../i18n/en";
import { weightOf } from "../../state/quorums";

/** Roles whose votes can have different weights. */
export const WEIGHTED: (Role & keyof Weights)[] = ["owner", "member", "reviewer", "bot"];

type WeightedQuorum = Extract<Quorum, { kind: "weighted" }>;
type Weights = WeightedQuorum["weights"];

/** Describes the weights that are not 1, and the sum of weights that decides. */
export function weightsText(quorum: WeightedQuorum, texts: Texts): string {
  const { weighted, weight } = texts.gate.rules;
  const unequal = WEIGHTED.filter((role) => weightOf(quorum, role) !== 1);
  return weighted(
    quorum.n,
    unequal.map((role) => weight(texts.roles[role], weightOf(quorum, role))),
  );
}
