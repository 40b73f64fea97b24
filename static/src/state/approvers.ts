/** People whose approval a gate still waits for, and whether they are here. */
import type { Gate, Member, Presence } from "../protocol";
import { hasVoted } from "./gateSelectors";
import { countingVotes, voters, type VoterSource } from "./voters";

/** A person who can still approve. */
interface Approver {
  member: Member;
  /** Absent if it is unknown. */
  here?: boolean;
}

/**
 * People whose approval a gate still waits for: some, of whom at least one can be here; only people who are away; or
 * fewer than the gate needs, `able` of `needed`.
 */
export type Approvers =
  { kind: "some" | "away"; people: Approver[] } | { kind: "too_few"; able: number; needed: number };

/** Returns the people whose approval the gate still waits for, those who are here first. `presence` is null while unknown. */
export function approversOf(gate: Gate, session: VoterSource, presence: Presence | null): Approvers {
  const able = voters(gate, session);
  const ids = new Set([...able.map((one) => one.id), ...countingVotes(gate, session).map(({ by }) => by.id)]);
  const needed = gate.quorum.kind === "at_least" ? gate.quorum.n : 1;
  if (ids.size < needed) return { kind: "too_few", able: ids.size, needed };
  const here = presence && new Set(presence.here.map((actor) => actor.id));
  // With more connections than the list has room for, someone who is not in it can be here.
  const whole = presence?.more === 0;
  const people = able
    .filter((member) => !hasVoted(gate, member.id))
    .map((member): Approver => ({ member, here: here?.has(member.id) || (whole ? false : undefined) }))
    .sort((a, b) => Number(b.here ?? false) - Number(a.here ?? false));
  const away = people.length > 0 && people.every((one) => one.here === false);
  return { kind: away ? "away" : "some", people };
}
