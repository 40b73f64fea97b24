/** Display names of agents and participants. */
import type { Agent, Target, Actor, SessionId } from "../protocol";
import type { Texts } from "../i18n/en";
import type { SessionState } from "../state/model";
import { useSession } from "../app/hooks";
import { useTexts } from "../i18n/locale";

type NameSource = Pick<SessionState, "team" | "participants" | "formerParticipants">;

/** Returns the agent with this id. */
export function agentOf(known: Pick<SessionState, "team">, id: string): Agent | undefined {
  return known.team?.agents.find((agent) => agent.id === id);
}

/** Returns the agent's name, or its id if the team has no such agent. */
export function agentName(known: Pick<SessionState, "team">, id: string): string {
  return agentOf(known, id)?.name ?? id;
}

/** Participants of a session, including former ones. */
export type ParticipantSource = Pick<SessionState, "participants" | "formerParticipants">;

/** End of an id, which distinguishes people with the same name. */
const idSuffix = (id: string) => id.slice(-6);

/** Returns a participant's name, with the end of their id if the name could be mistaken for another one. */
export function distinctName(
  { participants, formerParticipants }: ParticipantSource,
  id: string,
  name: string,
): string {
  const all = [...participants, ...formerParticipants];
  const shared = all.some((other) => other.id !== id && other.name === name);
  const marked = all.some((member) => member.id === id && member.lookalike);
  return shared || marked ? `${name} …${idSuffix(id)}` : name;
}

/** Returns the name of a current or former participant, or their id if they are unknown. */
export function personName(known: ParticipantSource, id: string): string {
  const member = [...known.participants, ...known.formerParticipants].find((member) => member.id === id);
  return member ? distinctName(known, id, member.name) : id;
}

/** Returns the display name of a recipient. */
export function targetName(known: NameSource, target: Target, texts: Texts): string {
  switch (target.kind) {
    case "all":
      return texts.timeline.all;
    case "people":
      return texts.timeline.people;
    case "agent":
      return agentName(known, target.id);
    case "participant":
      return personName(known, target.id);
    case "role":
      return texts.composer.everyRole(texts.roles[target.id]);
  }
}

/** Returns the name of the actor of an event, with their role at that time and the guest mark. */
export function actorName(by: Actor, texts: Texts, people?: ParticipantSource): string {
  const name = people ? distinctName(people, by.id, by.name) : by.name;
  const marks = [by.guest ? texts.manage.guest : "", by.role ? texts.roles[by.role] : ""].filter(Boolean);
  return marks.length > 0 ? texts.manage.marked(name, marks) : name;
}

interface ActorNames {
  /** Name of the actor of an event. */
  of: (by: Actor) => string;
  /** Name of a current participant; `name` is used if the session does not know them. */
  now: (id: string, name: string) => string;
}

/**
 * Returns functions for the names of a session's people: with role and guest mark, and with a suffix if names
 * are similar.
 */
export function useActorNames(session: SessionId): ActorNames {
  const texts = useTexts();
  const known = useSession(session, ({ participants, formerParticipants, guests }) => ({
    participants,
    formerParticipants,
    guests,
  }));
  const of = (by: Actor) => actorName(by, texts, known);
  return {
    of,
    now: (id, name) => {
      const member = known.participants.find((one) => one.id === id);
      return of({ kind: "user", name, ...member, id, guest: known.guests.includes(id) });
    },
  };
}
