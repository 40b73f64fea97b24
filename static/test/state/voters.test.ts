import { describe, expect, it } from "vitest";
import type { Actor, Gate, Role } from "../../src/protocol";
import { canApprove, canDecide, needsMyVote, openGate } from "../../src/state/gateSelectors";
import { emptySession, type SessionState } from "../../src/state/model";
import { rightsOf } from "../../src/state/participants";
import { exclusionOf, ownExclusion, isEligible, voters } from "../../src/state/voters";
import type { EventFrame } from "../../src/wire/frames";
import { after, ann, bob, joinedAll, log, SESSION, system, welcome, writer } from "./log";

const opened = after([welcome, joinedAll(25), ...log.slice(0, 25)]);
const gate = openGate(opened.sessions[SESSION]!)!;

describe("a run is directed by", () => {
  const directedBy = (n: number) =>
    after([welcome, joinedAll(n), ...log.slice(0, n)]).sessions[SESSION]!.run?.directedBy;

  it("the author of its first message, whoever started it", () => {
    expect(directedBy(5)).toEqual([ann.id]);
    expect(directedBy(10)).toEqual([ann.id]);
  });

  it("the authors of the messages that reached its agents, each once", () => {
    const consumed = log.findIndex((frame) => frame.type === "event" && frame.event === "message.consumed");
    expect(directedBy(consumed)).toEqual([ann.id]);
    expect(directedBy(consumed + 1)).toEqual([ann.id, bob.id]);
  });

  it("the people whom the snapshot names", () => {
    const run = {
      id: "r_5",
      flow: "review",
      phase: "waiting",
      round: {},
      running: [],
      directed_by: [bob.id],
    };
    const view = { participants: [], messages: [], gates: [], decided: [], inbox: [], run };
    const snapshot = { seq: 9, state: view };
    const joined = { type: "joined", session: SESSION, head: 9, you_can: ["watch"], snapshot };
    const { run: known } = after([welcome, joined as never]).sessions[SESSION]!;
    expect(known?.directedBy).toEqual([bob.id]);
  });
});

describe("a revision of a gate", () => {
  const revisedBy = (by: Actor, app = opened) => {
    const data = { gate: gate.id, rev: 2, digest: "d" };
    const seq = app.sessions[SESSION]!.seq + 1;
    const frame = {
      type: "event",
      session: SESSION,
      seq,
      at: gate.opened_at,
      by,
      event: "gate.revised",
      data,
    };
    return after([frame as EventFrame], app);
  };

  it("leaves no approval to silence if duties are separated", () => {
    const at_deadline = "approved" as const;
    const revised = (fields: Partial<Gate>) => {
      const state = opened.sessions[SESSION]!;
      const gates = state.gates.map((one) => (one.id === gate.id ? { ...one, ...fields } : one));
      const before = { ...opened, sessions: { ...opened.sessions, [SESSION]: { ...state, gates } } };
      return openGate(revisedBy(bob, before).sessions[SESSION]!)?.at_deadline;
    };
    expect(revised({ at_deadline })).toBe("approved");
    expect(revised({ at_deadline, separate_duties: true })).toBe("expired");
    expect(revised({ separate_duties: true })).toBeUndefined();
  });

  it("names its author among the editors once, and no agent", () => {
    const twice = revisedBy(system, revisedBy(writer, revisedBy(bob, revisedBy(bob))));
    expect(openGate(twice.sessions[SESSION]!)?.edited_by).toEqual([bob.id]);
  });
});

/** A session with these people at the gate, in which Ann directs the run and I am one of them. */
function session(who: Record<string, Role>, me: string, fields: Partial<Gate> = {}): SessionState {
  const participants = Object.entries(who).map(([id, role]) => ({
    id,
    kind: "user" as const,
    name: id,
    role,
  }));
  const run = { ...opened.sessions[SESSION]!.run!, directedBy: ["ann"] };
  return {
    ...emptySession(SESSION),
    participants,
    run,
    rights: rightsOf[who[me]!],
    gates: [{ ...gate, ...fields }],
  };
}

const people: Record<string, Role> = { ann: "owner", bob: "reviewer", cleo: "member", dan: "viewer" };
const votersAt = (fields: Partial<Gate>) => {
  const state = session(people, "ann", fields);
  return voters(state.gates[0]!, state).map((member) => member.id);
};

describe("the voters of a gate", () => {
  it("have a role that may vote, or the only role that counts", () => {
    expect(votersAt({})).toEqual(["ann", "bob", "cleo"]);
    expect(votersAt({ quorum: { kind: "at_least", n: 2, role: "reviewer" } })).toEqual(["bob"]);
    expect(votersAt({ quorum: { kind: "majority" } })).toEqual(["ann", "bob", "cleo"]);
    expect(isEligible({ ...gate, quorum: { kind: "at_least", n: 2 } }, "member")).toBe(true);
  });

  it("had no part in it, if duties are separated", () => {
    expect(votersAt({ separate_duties: true })).toEqual(["bob", "cleo"]);
    expect(votersAt({ separate_duties: true, edited_by: ["bob"] })).toEqual(["cleo"]);
    expect(votersAt({ edited_by: ["bob"] })).toEqual(["ann", "bob", "cleo"]);
  });
});

describe("a guest", () => {
  const guest = (fields: Partial<Gate>) => {
    const state = session(people, "bob", fields);
    const participants = state.participants.map((one) => (one.id === "bob" ? { ...one, guest: true } : one));
    const votes = voters(state.gates[0]!, { ...state, participants }).map((member) => member.id);
    return { votes, reason: exclusionOf(state.gates[0]!, { ...state, participants }, "bob") };
  };

  it("who has become a member approves, although the list says otherwise", () => {
    const state = session(people, "bob", { separate_duties: true });
    const participants = state.participants.map((one) => (one.id === "bob" ? { ...one, guest: true } : one));
    const own = (isOwnGuest?: boolean) =>
      ownExclusion(state.gates[0]!, { ...state, participants, isOwnGuest }, "bob");
    expect([own(), own(true), own(false)]).toEqual(["guest", "guest", null]);
  });

  it("does not approve if duties are separated", () => {
    expect(guest({ separate_duties: true })).toEqual({ votes: ["cleo"], reason: "guest" });
    expect(guest({ separate_duties: true, edited_by: ["bob"] }).reason).toBe("part");
    expect(guest({})).toEqual({ votes: ["ann", "bob", "cleo"], reason: null });
  });
});

describe("if somebody else must approve", () => {
  const at = (me: string, fields: Partial<Gate> = {}) => {
    const state = session(people, me, { separate_duties: true, ...fields });
    const one = state.gates[0]!;
    return {
      acts: canDecide(state, one, me),
      approves: canApprove(state, one, me),
      waits: needsMyVote(state, one, me),
    };
  };

  it("people with a part in it still act, but do not approve, and are not waited for", () => {
    expect(at("ann")).toEqual({ acts: true, approves: false, waits: false });
    expect(at("bob")).toEqual({ acts: true, approves: true, waits: true });
    expect(at("bob", { edited_by: ["bob"] })).toEqual({ acts: true, approves: false, waits: false });
  });

  it("everyone is waited for if there is nothing to approve yet", () => {
    expect(at("ann", { allow: ["respond"] })).toEqual({ acts: true, approves: false, waits: true });
  });
});
