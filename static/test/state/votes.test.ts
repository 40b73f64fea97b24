import { describe, expect, it } from "vitest";
import type { Gate, Member, Quorum, Role, Vote } from "../../src/protocol";
import { canAnswer, canDecide, needsMyVote, openGate } from "../../src/state/gateSelectors";
import { emptySession, type PendingCommand, type SessionState } from "../../src/state/model";
import { rightsOf } from "../../src/state/participants";
import { gatesOf, pendingBatch } from "../../src/state/pendingVotes";
import { isRepresented, votersAt } from "../../src/state/voters";
import type { EventFrame } from "../../src/wire/frames";
import { tallyOf } from "../../src/ui/gates/gateText";
import { after, ann, bob, joinedAll, log, SESSION, system, welcome } from "./log";

const opened = after([welcome, joinedAll(26), ...log.slice(0, 26)]);
const now = (app: typeof opened) => app.sessions[SESSION]!;
const event = (
  app: typeof opened,
  by: typeof ann,
  event: string,
  data: object,
  at = "2026-11-21T22:01:00.000Z",
) => {
  const seq = now(app).seq + 1;
  return after([{ type: "event", session: SESSION, seq, at, by, event, data } as EventFrame], app);
};

describe("the votes at a gate", () => {
  const gate = openGate(now(opened))!;

  it("disappear when they are withdrawn, or when their voter leaves", () => {
    expect(gate.votes?.map((vote) => vote.by.id)).toEqual([bob.id]);
    expect(openGate(now(event(opened, ann, "gate.vote_withdrawn", { gate: gate.id })))!.votes).toHaveLength(
      1,
    );
    expect(openGate(now(event(opened, bob, "gate.vote_withdrawn", { gate: gate.id })))!.votes).toEqual([]);
    const left = event(opened, bob, "participant.left", { participant: bob.id, reason: "left" });
    expect(openGate(now(left))!.votes).toEqual([]);
    const demoted = event(opened, ann, "participant.role_changed", { participant: bob.id, role: "viewer" });
    expect(openGate(now(demoted))!.votes).toEqual([]);
  });

  it("decide together: the decision names the latest one that counts, even if somebody else left at last", () => {
    const vote = (by: typeof ann, role: Role, minute: number): Vote => ({
      by,
      role,
      choice: "approve",
      at: `2026-11-21T22:0${minute}:00.000Z`,
    });
    const decided = (quorum: Quorum, by: typeof ann) => {
      const session = { ...now(opened), gates: [{ ...gate, quorum }] };
      const votes = [vote(ann, "owner", 2), vote(bob, "reviewer", 3)];
      const data = { gate: gate.id, outcome: "approved", votes };
      const app = event({ ...opened, sessions: { [SESSION]: session } }, by, "gate.decided", data);
      return now(app).gates[0]?.decision?.by;
    };
    expect(decided({ kind: "all" }, ann)).toEqual(bob);
    expect(decided({ kind: "role", role: "owner" }, bob)).toEqual(ann);
    expect(decided({ kind: "all" }, system)).toEqual(system);
  });

  it("count under another quorum after an escalation, which drops the steps that were due", () => {
    const step = (at: string) => ({ at, quorum: { kind: "majority" } as Quorum });
    const session = now(opened);
    const later = step("2026-11-21T22:01:00.001Z");
    const gates = [{ ...gate, escalations: [step("2026-11-21T22:01:00.000Z"), later] }];
    const planned = { ...opened, sessions: { [SESSION]: { ...session, gates } } };
    const escalated = now(
      event(planned, system, "gate.escalated", { gate: gate.id, quorum: { kind: "all" } }),
    );
    expect(openGate(escalated)).toMatchObject({ quorum: { kind: "all" }, escalations: [later] });
    expect(openGate(escalated)!.votes).toHaveLength(1);
    expect(escalated.notes.at(-1)?.frame.event).toBe("gate.escalated");
  });
});

it("a participant is a guest as of their latest action", () => {
  const said = { message: "m_900", text: "hi" };
  const guests = (app: typeof opened) =>
    now(app)
      .participants.filter((member) => member.guest)
      .map(({ id }) => id);
  const guest = event(opened, { ...bob, guest: true }, "message.posted", said);
  expect(guests(guest)).toEqual([bob.id]);
  expect(guests(event(guest, bob, "message.posted", { ...said, message: "m_901" }))).toEqual([]);
  // An approved command names its sender as they were when they asked for it.
  const frame = {
    type: "event",
    session: SESSION,
    seq: now(guest).seq + 1,
    at: now(guest).at,
    by: bob,
    cause: 9,
  };
  const approved = { ...frame, event: "message.posted", data: { ...said, message: "m_902" } } as EventFrame;
  expect(guests(after([approved], guest))).toEqual([bob.id]);
});

it("a delegation ends when it is revoked, and when the delegate leaves", () => {
  const delegate = { to: bob.id, until: "2026-11-22T00:00:00Z" };
  const lent = event(opened, ann, "votes.delegated", { participant: ann.id, delegate });
  const of = (app: typeof opened) => now(app).participants.find(({ id }) => id === ann.id)?.delegate;
  expect(of(lent)).toEqual(delegate);
  expect(of(event(lent, ann, "votes.delegated", { participant: ann.id }))).toBeUndefined();
  const left = event(lent, bob, "participant.left", { participant: bob.id, reason: "left" });
  expect(of(left)).toBeUndefined();
});

/** A session with these people, some of whom delegate their votes. */
function session(roles: Record<string, Role>, lent: Record<string, string>, fields: Partial<Gate>) {
  const participants = Object.entries(roles).map(([id, role]): Member => ({
    id,
    kind: "user",
    name: id,
    role,
    delegate: lent[id] ? { to: lent[id] } : null,
  }));
  const gate = { ...openGate(now(opened))!, votes: [], ...fields };
  const run = { ...now(opened).run!, directedBy: ["ann"] };
  const state: SessionState = {
    ...emptySession(SESSION),
    participants,
    run,
    rights: rightsOf.member,
    gates: [gate],
  };
  return { state, gate };
}
const people: Record<string, Role> = { ann: "owner", bob: "reviewer", cleo: "member", otto: "bot" };
const at = (lent: Record<string, string>, fields: Partial<Gate> = {}) => {
  const { state, gate } = session(people, lent, fields);
  return votersAt(gate, state).map(({ id, role, onBehalfOf }) => [id, role, ...onBehalfOf].join(" "));
};
const vote = (id: string, role: Role, choice: Vote["choice"] = "approve"): Vote => ({
  by: { id, kind: "user", name: id },
  role,
  choice,
  at: "",
});

describe("a represented participant", () => {
  it("is not waited for, and lends a role with more weight", () => {
    expect(at({})).toEqual(["ann owner", "bob reviewer", "cleo member"]);
    expect(at({ bob: "cleo" })).toEqual(["ann owner", "cleo member bob"]);
    const reviewers = { quorum: { kind: "role", role: "reviewer" } as const };
    expect(at({ bob: "cleo" }, reviewers)).toEqual(["ann owner", "cleo reviewer bob"]);
    const weights = { owner: 3, member: 1, reviewer: 2, bot: 0 };
    const weighted = { quorum: { kind: "weighted", n: 3, weights } as const };
    expect(at({ bob: "cleo", ann: "cleo" }, weighted)).toEqual(["cleo owner ann bob"]);
  });

  it("can still vote, is not represented by another represented voter, and lends nothing they had a part in", () => {
    expect(at({ bob: "cleo" }, { votes: [vote("bob", "reviewer")] })).toEqual([
      "bob reviewer",
      "ann owner",
      "cleo member",
    ]);
    expect(at({ bob: "cleo", cleo: "ann" })).toEqual(["bob reviewer", "ann owner cleo"].reverse());
    expect(at({ ann: "cleo" }, { separate_duties: true })).toEqual(["bob reviewer", "cleo member"]);
  });

  it("need not vote; the delegate votes instead, but answers only in their own role", () => {
    const { state, gate } = session(people, { bob: "cleo" }, { quorum: { kind: "role", role: "reviewer" } });
    expect(isRepresented(gate, state, "bob")).toBe(true);
    expect(needsMyVote(state, gate, "bob")).toBe(false);
    expect(needsMyVote(state, gate, "cleo")).toBe(true);
    expect([canDecide(state, gate, "cleo"), canAnswer(state, gate, "cleo")]).toEqual([true, false]);
    expect(canDecide(state, gate, "ann")).toBe(false);
  });
});

it("bots vote if the gate counts them, and weights are summed", () => {
  const eligible: Role[] = ["owner", "member", "reviewer", "bot"];
  const weights = { owner: 2, bot: 3 };
  const fields = {
    eligible,
    quorum: { kind: "weighted", n: 6, weights } as const,
    votes: [vote("otto", "bot"), vote("ann", "owner", "reject")],
  };
  const { state, gate } = session(people, {}, fields);
  expect(tallyOf(gate, state)).toEqual({ approved: 3, needed: 6 });
  expect(at({})).not.toContain("otto bot");
  const bot: SessionState = { ...state, rights: rightsOf.bot };
  expect(needsMyVote(bot, { ...gate, votes: [] }, "otto")).toBe(true);
  expect(needsMyVote(bot, { ...gate, votes: [], eligible: ["owner"] }, "otto")).toBe(false);
});

it("a batch is pending at each of its gates, until it is rejected", () => {
  const command = {
    id: "c_1",
    session: SESSION,
    do: "vote_batch",
    data: { votes: [{ gate: "g_1", rev: 1, choice: "approve" }] },
  } as PendingCommand["command"];
  expect(gatesOf(command)).toEqual(["g_1"]);
  expect(pendingBatch([{ command, at: 0 }], "g_1")).toBeDefined();
  expect(pendingBatch([{ command, at: 0 }], "g_2")).toBeUndefined();
  const error = { code: "stale_revision", message: "", retryable: false } as const;
  expect(pendingBatch([{ command, at: 0, error }], "g_1")).toBeUndefined();
});
