import { describe, expect, it } from "vitest";
import type { RightRule, Role, ServerFrame } from "../../src/protocol";
import { isForPeople, messageAccess } from "../../src/state/messageAccess";
import { canWrite, needsOwnerApproval, rightsOf } from "../../src/state/participants";
import { after, bob, log, SESSION, system, welcome } from "./log";

const joined = (role: Role, granted?: Role): ServerFrame => ({
  type: "joined",
  session: SESSION,
  head: 2,
  granted_role: granted,
  you_can: rightsOf[role],
});

const told = { type: "event", session: SESSION, at: "2026-01-01T00:00:00Z", by: system } as const;

const enters = (seq: number, role: Role): ServerFrame => {
  const data = { participant: bob.id, kind: "user", name: "Bob", role } as const;
  return { ...told, seq, event: "participant.joined", data };
};

const becomes = (seq: number, role: Role): ServerFrame => {
  const data = { participant: bob.id, role };
  return { ...told, seq, event: "participant.role_changed", data };
};

const rights = (frames: ServerFrame[]) => {
  const asBob: ServerFrame = { ...welcome, you: bob };
  return after([asBob, ...frames]).sessions[SESSION]!.rights;
};

describe("my rights in a session", () => {
  const begun = [...log.slice(0, 2)];

  it("follows my role", () => {
    expect(rights([joined("member"), ...begun, enters(3, "member")])).toEqual(rightsOf.member);
    const changed = [joined("member"), ...begun, enters(3, "member"), becomes(4, "viewer")];
    expect(rights(changed)).toEqual(rightsOf.viewer);
    expect(rights([...changed, becomes(5, "owner")])).toEqual(rightsOf.owner);
  });

  it("equal those in `joined` for an administrator, whatever their listed role", () => {
    const entered = [joined("owner", "owner"), ...begun, enters(3, "viewer")];
    expect(rights(entered)).toEqual(rightsOf.owner);
    expect(rights([...entered, becomes(4, "reviewer")])).toEqual(rightsOf.owner);
  });

  it("is my account's role in every session, unless my membership has a higher one", () => {
    const auditor = [joined("reviewer", "reviewer"), ...begun, enters(3, "viewer")];
    expect(rights(auditor)).toEqual(rightsOf.reviewer);
    const member = [...auditor, becomes(4, "member")];
    expect(rights(member)).toEqual(rightsOf.member);
    expect(rights([...member, becomes(5, "viewer")])).toEqual(rightsOf.reviewer);
  });

  it("equal those in `joined`, also while older role changes are replayed", () => {
    const changes = [enters(3, "viewer"), becomes(4, "member")];
    expect(rights([joined("member"), ...begun, ...changes])).toEqual(rightsOf.member);
    expect(rights([joined("viewer"), ...begun, enters(3, "owner"), becomes(4, "viewer")])).toEqual(
      rightsOf.viewer,
    );
  });

  it("follows the rules of the session, but not for an administrator", () => {
    const rules: RightRule[] = [
      { role: "member", right: "steer", access: "deny" },
      { role: "viewer", right: "interrupt", access: "allow" },
    ];
    const ruled = {
      ...told,
      seq: 4,
      event: "session.updated",
      data: { settings: { rights: rules }, changed: ["rights"] },
    };
    const member = [joined("member"), ...begun, enters(3, "member"), ruled as ServerFrame];
    expect(rights(member)).toEqual(rightsOf.member.filter((right) => right !== "steer"));
    expect(rights([...member, becomes(5, "viewer")])).toEqual(["watch", "interrupt"]);
    expect(rights([joined("owner", "owner"), ...begun, enters(3, "viewer"), ruled as ServerFrame])).toEqual(
      rightsOf.owner,
    );
    const undone = { ...ruled, seq: 5, data: { settings: { rights: [] }, changed: ["rights"] } };
    expect(rights([...member, undone as ServerFrame])).toEqual(rightsOf.member);
  });

  it("includes the rights that I must ask the owners for, from `joined` and the rules of the session", () => {
    const asBob: ServerFrame = { ...welcome, you: bob };
    const session = (frames: ServerFrame[]) => after([asBob, ...frames]).sessions[SESSION]!;
    const told_so = { ...joined("viewer"), you_can_ask: ["say"] } as ServerFrame;
    expect(needsOwnerApproval(session([told_so, ...begun]), "say")).toBe(true);
    expect(canWrite(session([told_so, ...begun])), "the field stays usable").toBe(true);
    const rules: RightRule[] = [{ role: "member", right: "steer", access: "ask" }];
    const ruled = {
      ...told,
      seq: 4,
      event: "session.updated",
      data: { settings: { rights: rules }, changed: ["rights"] },
    } as ServerFrame;
    const member = session([joined("member"), ...begun, enters(3, "member"), ruled]);
    expect(member.rights).not.toContain("steer");
    expect(member.requestableRights).toEqual(["steer"]);
    expect(messageAccess(member, "write tests", bob.id)).toEqual({ to: "agents", access: "ask" });
    expect(messageAccess(member, "@people hello", bob.id)).toEqual({ to: "people", access: "allow" });
    const undone = {
      ...ruled,
      seq: 5,
      data: { settings: { rights: [{ ...rules[0], access: "deny" }] }, changed: ["rights"] },
    } as ServerFrame;
    const denied = session([joined("member"), ...begun, enters(3, "member"), ruled, undone]);
    expect(denied.requestableRights).toEqual([]);
    expect(messageAccess(denied, "write tests", bob.id).access).toBe("deny");
  });

  it("derives the recipients of a message from its mentions", () => {
    const known = {
      team: { agents: [{ id: "Gen", name: "Gen" }] },
      participants: [{ id: bob.id, kind: "user", name: "Bob Stone", role: "member" }],
    } as unknown as Parameters<typeof isForPeople>[1];
    for (const text of ["@people hello", "@Bob look", "＠people 你好", "@role:reviewer please"])
      expect(isForPeople(text, known), text).toBe(true);
    for (const text of ["hello", "@Gen and @Bob", "@all", "@nobody", "mail me at a@b.org"])
      expect(isForPeople(text, known), text).toBe(false);
  });

  it("is not affected by role changes of others", () => {
    expect(rights([joined("member"), ...begun])).toEqual(rightsOf.member);
  });
});
