/** What `@` can be completed to. */
import type { Actor, Role } from "../../protocol";
import type { Words } from "../../i18n/en";
import type { SessionState } from "../../state/model";
import { plainTitle } from "../parts/Avatar";

/** One proposal. */
export interface Proposal {
  /** What is written after the `@`. */
  insert: string;
  detail: string;
  who: { kind: Actor["kind"]; id: string; title?: string } | null;
}

const ROLES: Role[] = ["owner", "member", "reviewer", "viewer", "bot"];
const MOST = 8;

/** The mention that is being written at the caret: where its `@` stands and what follows. */
export function mentionAt(text: string, caret: number): { from: number; query: string } | null {
  // Not after a letter or digit: that is an e-mail address. A Chinese sentence has no space before its @.
  const found = /(?:^|[^A-Za-z0-9._\\-])[@＠]([\p{L}\p{N}_.:-]{0,32})$/u.exec(text.slice(0, caret));
  if (!found) return null;
  const query = found[1]!;
  return { from: caret - query.length - 1, query };
}

/** The proposals that fit, best first. */
export function proposals(
  session: Pick<SessionState, "team" | "participants">,
  query: string,
  me: string | null,
  words: Words,
): Proposal[] {
  const agents: Proposal[] = (session.team?.agents ?? []).map((agent) => ({
    insert: agent.name,
    detail: plainTitle(agent) || words.timeline.roles[agent.role],
    who: { kind: "agent", id: agent.id, title: agent.title },
  }));
  const people: Proposal[] = session.participants
    .filter((member) => member.id !== me)
    .map((member) => ({
      insert: member.name,
      detail: words.roles[member.role],
      who: { kind: member.kind, id: member.id },
    }));
  const held = new Set(session.participants.map((member) => member.role));
  const roles: Proposal[] = ROLES.filter((role) => held.has(role)).map((role) => ({
    insert: `role:${role}`,
    detail: words.composer.everyRole(words.roles[role]),
    who: null,
  }));
  const all: Proposal[] = [
    { insert: "all", detail: words.composer.everyone, who: null },
    ...agents,
    ...people,
    { insert: "people", detail: words.composer.allPeople, who: null },
    ...roles,
  ];
  const wanted = query.toLowerCase();
  return all
    .map((proposal, order) => ({ proposal, order, rank: rank(proposal, wanted) }))
    .filter(({ rank }) => rank < 3)
    .sort((a, b) => a.rank - b.rank || a.order - b.order)
    .slice(0, MOST)
    .map(({ proposal }) => proposal);
}

function rank({ insert, detail }: Proposal, wanted: string): number {
  const name = insert.toLowerCase();
  if (name.startsWith(wanted)) return 0;
  if (name.split(/[_\s:.-]/).some((part) => part.startsWith(wanted))) return 1;
  return name.includes(wanted) || detail.toLowerCase().includes(wanted) ? 2 : 3;
}
