/** Names of agents and participants, as texts. */
import type { Agent, Target, Actor, SessionId } from "../protocol";
import type { Words } from "../i18n/en";
import type { SessionState } from "../state/model";
import { useSession } from "../app/hooks";
import { useWords } from "../i18n/locale";

type Known = Pick<SessionState, "team" | "participants" | "former">;

/** The agent of this id. */
export function agentOf(known: Pick<SessionState, "team">, id: string): Agent | undefined {
  return known.team?.agents.find((agent) => agent.id === id);
}

/** The agent's name, or its id where the team does not know it. */
export function agentName(known: Pick<SessionState, "team">, id: string): string {
  return agentOf(known, id)?.name ?? id;
}

/** The people of a session, also those who have left. */
export type People = Pick<SessionState, "participants" | "former">;

/** The end of an id: what tells people of one name apart. */
const idSuffix = (id: string) => id.slice(-6);

/** A participant's name, with the end of their id where it could be taken for somebody else's. */
export function distinctName({ participants, former }: People, id: string, name: string): string {
  const all = [...participants, ...former];
  const shared = all.some((other) => other.id !== id && other.name === name);
  const marked = all.some((member) => member.id === id && member.lookalike);
  return shared || marked ? `${name} …${idSuffix(id)}` : name;
}

/** The participant's name, also of one who has left. */
export function personName(known: People, id: string): string {
  const member = [...known.participants, ...known.former].find((member) => member.id === id);
  return member ? distinctName(known, id, member.name) : id;
}

/** An addressee in words. */
export function targetName(known: Known, target: Target, words: Words): string {
  switch (target.kind) {
    case "all":
      return words.timeline.all;
    case "people":
      return words.timeline.people;
    case "agent":
      return agentName(known, target.id);
    case "participant":
      return personName(known, target.id);
    case "role":
      return words.composer.everyRole(words.roles[target.id]);
  }
}

/** Who did something, with what makes a name count: the role held then, and whether a guest chose the name. */
export function actorName(by: Actor, words: Words, people?: People): string {
  const name = people ? distinctName(people, by.id, by.name) : by.name;
  const marks = [by.guest ? words.manage.guest : "", by.role ? words.roles[by.role] : ""].filter(Boolean);
  return marks.length > 0 ? words.manage.marked(name, marks) : name;
}

interface ActorNames {
  /** Of whoever did something. */
  of: (by: Actor) => string;
  /** Of whoever is here now; `name` where the session does not know them. */
  now: (id: string, name: string) => string;
}

/** Names of a session's people as they count: with the role, whether a guest chose it, and told apart from one like it. */
export function useActorNames(session: SessionId): ActorNames {
  const words = useWords();
  const known = useSession(session, ({ participants, former, guests }) => ({ participants, former, guests }));
  const of = (by: Actor) => actorName(by, words, known);
  return {
    of,
    now: (id, name) => {
      const member = known.participants.find((one) => one.id === id);
      return of({ kind: "user", name, ...member, id, guest: known.guests.includes(id) });
    },
  };
}
