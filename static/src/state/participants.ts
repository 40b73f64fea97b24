/** Participants of the session, and my rights in it. */
import type { Actor, Member, ParticipantId, Right, RightAccess, RightRule, Role } from "../protocol";
import type { EventFrame, EventOf } from "../wire/frames";
import { withoutMember } from "./delegation";
import type { SessionState } from "./model";

/** Every right, in the order of the server. */
export const RIGHTS: Right[] = [
  "watch",
  "say",
  "steer",
  "answer",
  "approve",
  "edit",
  "interrupt",
  "invite",
  "manage",
];

/** Rights that each role gives by default, as on the server. */
export const rightsOf: Record<Role, Right[]> = {
  owner: RIGHTS,
  member: RIGHTS.slice(0, -1),
  reviewer: RIGHTS.slice(0, 6),
  bot: RIGHTS.filter((right, at) => at < 6 && right !== "approve"),
  viewer: ["watch"],
};

/** Returns the access of a role to a right in a session with these rules. */
export function accessWith(role: Role, right: Right, rules: RightRule[] = []): RightAccess {
  const rule = rules.find((one) => one.role === role && one.right === right);
  return rule?.access ?? (rightsOf[role].includes(right) ? "allow" : "deny");
}

/** Returns the role in which a participant votes: bots vote as bots, whatever their role. */
export function votingRole({ kind, role }: Pick<Member, "kind" | "role">): Role {
  return kind === "bot" && role !== "viewer" ? "bot" : role;
}

/** Returns the rights to which a role has this access in a session with these rules. */
export function rightsWith(role: Role, rules?: RightRule[], access: RightAccess = "allow"): Right[] {
  return RIGHTS.filter((right) => accessWith(role, right, rules) === access);
}

/** Returns the id of the actor as a list with one entry if it is a participant, otherwise an empty list. */
export function participantIn({ kind, id }: Actor): ParticipantId[] {
  return kind === "user" || kind === "bot" ? [id] : [];
}

/** Applies a new participant. */
export function applyJoined(
  session: SessionState,
  frame: EventOf<"participant.joined">,
  me: Actor | null,
): SessionState {
  const { participant: id, ...rest } = frame.data;
  const others = session.participants.filter((member) => member.id !== id);
  const after = {
    ...session,
    participants: [...others, { id, ...rest }],
    knocks: session.knocks.filter((knock) => knock.participant !== id),
  };
  return withMyRights(after, me, id);
}

/** Applies a join request. */
export function applyKnocked(session: SessionState, frame: EventOf<"participant.knocked">): SessionState {
  const others = session.knocks.filter((knock) => knock.participant !== frame.data.participant);
  const guest = frame.by.guest && { guest: true };
  return { ...session, knocks: [...others, { ...frame.data, ...guest, at: frame.at }] };
}

/** Applies a declined join request. Notes about it still show the name. */
export function applyRefused(session: SessionState, frame: EventOf<"participant.refused">): SessionState {
  const knock = session.knocks.find((one) => one.participant === frame.data.participant);
  if (!knock) return session;
  const { participant: id, kind, name, role } = knock;
  return {
    ...session,
    knocks: session.knocks.filter((one) => one !== knock),
    formerParticipants: [
      ...session.formerParticipants.filter((member) => member.id !== id),
      { id, kind, name, role },
    ],
  };
}

/** Applies the departure of a participant. */
export function applyLeft(session: SessionState, frame: EventOf<"participant.left">): SessionState {
  const isDeparted = (member: Member) => member.id === frame.data.participant;
  return {
    ...session,
    participants: withoutMember(session.participants, frame.data.participant),
    formerParticipants: [
      ...session.formerParticipants.filter((member) => !isDeparted(member)),
      ...session.participants.filter(isDeparted),
    ],
  };
}

/** Applies a new name. */
export function applyRenamed(session: SessionState, frame: EventOf<"participant.renamed">): SessionState {
  const { participant, name } = frame.data;
  const participants = session.participants.map((member) =>
    member.id === participant ? { ...member, name, lookalike: false } : member,
  );
  return { ...session, participants };
}

/**
 * Applies whether the actor is now a guest: the server can make a guest a member, or the other way around. An approved
 * command, whose cause is a seq, names its sender as they were when they asked for it.
 */
export function applyGuest(session: SessionState, { by, cause }: EventFrame): SessionState {
  if (typeof cause === "number") return session;
  const guest = Boolean(by.guest);
  const isOutdated = (member: Member) => member.id === by.id && Boolean(member.guest) !== guest;
  if (!session.participants.some(isOutdated)) return session;
  const participants = session.participants.map((member) =>
    isOutdated(member) ? { ...member, guest } : member,
  );
  return { ...session, participants };
}

/** Applies a new role. */
export function applyRoleChanged(
  session: SessionState,
  frame: EventOf<"participant.role_changed">,
  me: Actor | null,
): SessionState {
  const { participant, role } = frame.data;
  const participants = session.participants.map((member) =>
    member.id === participant ? { ...member, role } : member,
  );
  return withMyRights({ ...session, participants }, me, participant);
}

/** Applies changed settings: my rights follow the rules in them. */
export function applySettings(after: SessionState, me: Actor | null): SessionState {
  return withMyRights(after, me, me?.id ?? "");
}

/** Derives my rights from my role and the settings, because `joined` states them only once. */
function withMyRights(after: SessionState, me: Actor | null, changed: string): SessionState {
  const role = me?.id === changed ? ownRole(after, me.id) : null;
  if (!role) return after;
  const rules = after.settings?.rights;
  return { ...after, rights: rightsWith(role, rules), requestableRights: rightsWith(role, rules, "ask") };
}

/**
 * Returns my role: the higher one of my membership's role and the role that my account has in every session. An
 * administrator is listed as a viewer, but acts as an owner.
 */
export function ownRole(session: SessionState, me: string | null): Role | null {
  const listed = ownMember(session, me)?.role ?? null;
  const granted = session.grantedRole;
  if (!listed || !granted) return listed ?? granted;
  return rightsOf[granted].every((right) => rightsOf[listed].includes(right)) ? listed : granted;
}

/** Returns whether I can redact content, even in a closed session. */
export function canRedact(session: SessionState): boolean {
  return session.rights.includes("manage") && !session.ended;
}

/** Returns whether I have the right. */
export function hasRight(session: Pick<SessionState, "rights" | "closed">, right: Right): boolean {
  return session.rights.includes(right) && !session.closed;
}

/** The parts of a session that determine what I can do. */
type Access = Pick<SessionState, "rights" | "requestableRights" | "closed">;

/** Returns whether the server asks the owners about commands that require this right. */
export function needsOwnerApproval(session: Access, right: Right): boolean {
  return session.requestableRights.includes(right) && !session.closed;
}

/** Returns whether I can send commands that require the right, even if the owners must approve them. */
export function canSend(session: Access, right: Right): boolean {
  return hasRight(session, right) || needsOwnerApproval(session, right);
}

/** Returns whether I can write at all: to people, to agents, or at gates. */
export function canWrite(session: Access): boolean {
  return canSend(session, "say") || canSend(session, "steer") || hasRight(session, "answer");
}

/** Returns my membership in the session. */
export function ownMember(session: SessionState, me: string | null): Member | null {
  return session.participants.find((member) => member.id === me) ?? null;
}

/** Returns whether I am a participant and can leave. An administrator can watch without being a participant. */
export function canLeave(session: SessionState, me: string | null): boolean {
  return !session.ended && !!ownMember(session, me);
}

/** Returns whether I am the last owner who is a person. The server does not let me leave then: bots do not decide. */
export function isLastOwner(session: SessionState, me: string | null): boolean {
  const owners = session.participants.filter((member) => member.role === "owner" && member.kind === "user");
  return owners.length === 1 && owners[0]!.id === me;
}

/** Roles that everyone with the right to invite can grant; only an owner can create owners. */
export const INVITABLE_ROLES: Role[] = ["member", "reviewer", "viewer"];
