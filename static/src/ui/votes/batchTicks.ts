/** Ticks of a batch: each applies to the revision that was on screen. */
import type { BatchedVote, Choice, Gate, GateId } from "../../protocol";

/** Tick of one gate, or its absence, at a revision. */
interface Tick {
  rev: number;
  on: boolean;
}

export type Ticks = Record<GateId, Tick>;

/** Returns the ticks with new gates added: calls of low risk are ticked. */
export function withNewGates(ticks: Ticks, gates: Gate[]): Ticks {
  const fresh = gates.filter((gate) => !ticks[gate.id]);
  if (fresh.length === 0) return ticks;
  const added = fresh.map((gate) => [gate.id, { rev: gate.rev, on: gate.risk === "low" }]);
  return { ...ticks, ...(Object.fromEntries(added) as Ticks) };
}

/** Returns whether the gate is ticked at its current revision. */
export function isTicked(ticks: Ticks, gate: Gate): boolean {
  const tick = ticks[gate.id];
  return !!tick?.on && tick.rev === gate.rev;
}

/** Returns whether the gate was ticked before it changed. */
export function wasUnticked(ticks: Ticks, gate: Gate): boolean {
  const tick = ticks[gate.id];
  return !!tick?.on && tick.rev !== gate.rev;
}

/** Returns the ticks after this one has been toggled. */
export function toggled(ticks: Ticks, gate: Gate): Ticks {
  return { ...ticks, [gate.id]: { rev: gate.rev, on: !isTicked(ticks, gate) } };
}

/** Returns this vote at each of the gates, at their current revisions. */
export function votesAt(gates: Gate[], choice: Choice): BatchedVote[] {
  return gates.map(({ id, rev }) => ({ gate: id, rev, choice }));
}
