/** Agents of a node: the order in which they work, and those that a graph shows. */

/** Maximum number of agents that a node of a graph shows. */
export const MAX_SHOWN_AGENTS = 6;

/** Agent with its place in the order of work. */
export interface OrderedAgent<T> {
  agent: T;
  /** Position in the list of the node's agents. */
  index: number;
  /** Place in the order of work, starting at 1; null if the strategy of the node does not order the agents. */
  place: number | null;
}

/**
 * Returns the agents in the order in which they work: with the `priority` strategy, those with the highest priority
 * first. `priorityOf` returns null for agents without a place in this order.
 */
export function inWorkOrder<T>(
  agents: T[],
  strategy: unknown,
  priorityOf: (agent: T) => number | null,
): OrderedAgent<T>[] {
  const all = agents.map((agent, index): OrderedAgent<T> => ({ agent, index, place: null }));
  if (strategy !== "priority") return all;
  const hasPlace = ({ agent }: OrderedAgent<T>) => priorityOf(agent) !== null;
  const ordered = all.filter(hasPlace).sort((a, b) => priorityOf(b.agent)! - priorityOf(a.agent)!);
  const others = all.filter((one) => !hasPlace(one));
  return [...ordered.map((one, i) => ({ ...one, place: i + 1 })), ...others];
}

/** Returns the agents with the lowest ranks, in their own order, and the number of the others. */
export function shownAgents<T>(agents: T[], rankOf: (agent: T) => number): { shown: T[]; more: number } {
  if (agents.length <= MAX_SHOWN_AGENTS) return { shown: agents, more: 0 };
  const chosen = agents
    .map((agent, i) => ({ agent, i, rank: rankOf(agent) }))
    .sort((a, b) => a.rank - b.rank || a.i - b.i)
    .slice(0, MAX_SHOWN_AGENTS)
    .sort((a, b) => a.i - b.i);
  return { shown: chosen.map(({ agent }) => agent), more: agents.length - chosen.length };
}
