/** Selected calls of a batch vote: each selection applies to the revision that was on screen. */
import type { BatchedVote, Choice, Gate, GateId } from "../../protocol";

/** Selection of a gate at a revision. */
interface GateSelection {
  rev: number;
  isSelected: boolean;
}

export type BatchSelection = Record<GateId, GateSelection>;

/** Returns the selection with new gates added. Only calls with a low risk are selected initially. */
export function withNewGates(selection: BatchSelection, gates: Gate[]): BatchSelection {
  const newGates = gates.filter((gate) => !selection[gate.id]);
  if (newGates.length === 0) return selection;
  const added = newGates.map((gate) => [gate.id, { rev: gate.rev, isSelected: gate.risk === "low" }]);
  return { ...selection, ...(Object.fromEntries(added) as BatchSelection) };
}

/** Returns whether the gate is selected at its current revision. */
export function isSelected(selection: BatchSelection, gate: Gate): boolean {
  const entry = selection[gate.id];
  return !!entry?.isSelected && entry.rev === gate.rev;
}

/** Returns whether the gate was selected at an earlier revision. */
export function isOutdated(selection: BatchSelection, gate: Gate): boolean {
  const entry = selection[gate.id];
  return !!entry?.isSelected && entry.rev !== gate.rev;
}

/** Returns the selection after this gate has been toggled. */
export function toggleGate(selection: BatchSelection, gate: Gate): BatchSelection {
  return { ...selection, [gate.id]: { rev: gate.rev, isSelected: !isSelected(selection, gate) } };
}

/** Returns this vote at each of the gates, at their current revisions. */
export function votesFor(gates: Gate[], choice: Choice): BatchedVote[] {
  return gates.map(({ id, rev }) => ({ gate: id, rev, choice }));
}
