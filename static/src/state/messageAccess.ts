/** Access to sending a message now: it is sent, the owners are asked about it, or I may not send it. */
import type { RightAccess } from "../protocol";
import type { SessionState } from "./model";
import { messageDestination } from "./gateSelectors";
import { hasRight, needsOwnerApproval } from "./participants";

/** Access to sending a message, and its destination. */
export interface MessageAccess {
  to: "people" | "agents";
  access: RightAccess;
}

type RecipientSource = Pick<SessionState, "team" | "participants">;

/** Returns whether a text is for people only: it mentions people, but neither an agent nor everyone. */
export function isForPeople(text: string, { team, participants }: RecipientSource): boolean {
  const mentions = [...text.matchAll(/(?<![A-Za-z0-9])[@＠]((?:role:)?[^\s,，。:：;；!！?？]+)/g)].map(
    ([, name]) => name!.toLowerCase(),
  );
  const agents = (team?.agents ?? []).flatMap(({ id, name }) => [id, name]).map((name) => name.toLowerCase());
  const people = participants.map((member) => member.name.split(/\s/)[0]!.toLowerCase());
  const names = (known: string[], name: string) => known.some((one) => name.startsWith(one));
  if (mentions.some((name) => name === "all" || agents.includes(name))) return false;
  return mentions.some((name) => name === "people" || name.startsWith("role:") || names(people, name));
}

/** Returns my access to sending this text. */
export function messageAccess(session: SessionState, text: string, me: string | null): MessageAccess {
  const access = (right: "say" | "steer"): RightAccess =>
    hasRight(session, right) ? "allow" : needsOwnerApproval(session, right) ? "ask" : "deny";
  if (isForPeople(text, session)) return { to: "people", access: access("say") };
  const answers = hasRight(session, "answer") && messageDestination(session, me) !== "waits";
  return { to: "agents", access: answers ? "allow" : access("steer") };
}
