import { describe, expect, it } from "vitest";
import type { RightRule, Role, ServerFrame } from "../../src/protocol";
import { rightsOf } from "../../src/state/participants";
import { after, bob, log, SESSION, system, welcome } from "./log";

const joined = (role: Role): ServerFrame => ({
  type: "joined",
  session: SESSION,
  head: 2,
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

describe("what I may do in a session", () => {
  const begun = [...log.slice(0, 2)];

  it("follows my role", () => {
    expect(rights([joined("member"), ...begun, enters(3, "member")])).toEqual(rightsOf.member);
    const changed = [joined("member"), ...begun, enters(3, "member"), becomes(4, "viewer")];
    expect(rights(changed)).toEqual(rightsOf.viewer);
    expect(rights([...changed, becomes(5, "owner")])).toEqual(rightsOf.owner);
  });

  it("is for an administrator what `joined` said, whatever they are listed as", () => {
    const entered = [joined("owner"), ...begun, enters(3, "viewer")];
    expect(rights(entered)).toEqual(rightsOf.owner);
    expect(rights([...entered, becomes(4, "reviewer")])).toEqual(rightsOf.owner);
  });

  it("is what `joined` said, also while older changes of my role are read", () => {
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
    expect(rights([joined("owner"), ...begun, enters(3, "viewer"), ruled as ServerFrame])).toEqual(
      rightsOf.owner,
    );
    const undone = { ...ruled, seq: 5, data: { settings: { rights: [] }, changed: ["rights"] } };
    expect(rights([...member, undone as ServerFrame])).toEqual(rightsOf.member);
  });

  it("is not changed by what others become", () => {
    expect(rights([joined("member"), ...begun])).toEqual(rightsOf.member);
  });
});
