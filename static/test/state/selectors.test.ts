import { describe, expect, it } from "vitest";
import type { Gate, Role } from "../../src/protocol";
import {
  failedInput,
  isFullyPaused,
  isPausing,
  phaseOf,
  isStillInEffect,
} from "../../src/state/runSelectors";
import { lateVotes, canDecide, openGate, turnOf } from "../../src/state/gateSelectors";
import {
  emptySession,
  type AppState,
  type RunState,
  type SessionState,
  type StreamingMessage,
} from "../../src/state/model";
import { rightsOf } from "../../src/state/participants";
import { reduce } from "../../src/state/reducer";
import { after, ann, joinedAll, log, SESSION, welcome } from "./log";

const open = after([welcome, joinedAll(25), ...log.slice(0, 25)]);
const of = (app: AppState): SessionState => app.sessions[SESSION]!;
const gate = openGate(of(open))!;

/** A participant with this role at an open gate, listed as `listed`. */
function before(role: Role, listed: Role = role): SessionState {
  const me = { id: ann.id, kind: "user" as const, name: "Ann", role: listed };
  const grantedRole = role === listed ? null : role;
  return { ...emptySession(SESSION), participants: [me], grantedRole, rights: rightsOf[role], gates: [gate] };
}

describe("the turn at a gate", () => {
  it("is mine until I have voted, and then that of others", () => {
    expect(turnOf(before("owner"), ann.id)).toMatchObject({ actor: "me", gate, interrupted: false });
    const vote = { by: ann, role: "owner" as const, choice: "approve" as const, at: gate.opened_at };
    const voted = { ...before("owner"), gates: [{ ...gate, votes: [vote] }] };
    expect(turnOf(voted, ann.id)?.actor).toBe("voted");
  });

  it("is never that of somebody whose vote does not count", () => {
    expect(turnOf(before("viewer"), ann.id)?.actor).toBe("others");
  });

  it("is nobody's if no gate is open", () => {
    expect(turnOf({ ...before("owner"), gates: [] }, ann.id)).toBeNull();
  });
});

describe("my vote counts", () => {
  it.each<[Role, boolean]>([
    ["owner", true],
    ["member", true],
    ["reviewer", true],
    ["viewer", false],
    ["bot", false],
  ])("of a %s: %s", (role, counts) => {
    expect(canDecide(before(role), gate, ann.id)).toBe(counts);
  });

  it("only in the role that the rule requires, whoever else is eligible", () => {
    const strict: Gate = { ...gate, quorum: { kind: "role", role: "reviewer" } };
    expect(canDecide(before("reviewer"), strict, ann.id)).toBe(true);
    expect(canDecide(before("member"), strict, ann.id)).toBe(false);
    const narrow: Gate = { ...gate, eligible: ["owner"] };
    expect(canDecide(before("owner"), narrow, ann.id)).toBe(true);
    expect(canDecide(before("reviewer"), narrow, ann.id)).toBe(false);
  });

  it("as an owner's if an administrator is listed as a viewer", () => {
    expect(canDecide(before("owner", "viewer"), gate, ann.id)).toBe(true);
    const ofMembers: Gate = { ...gate, quorum: { kind: "role", role: "member" } };
    expect(canDecide(before("owner", "viewer"), ofMembers, ann.id)).toBe(false);
  });

  it("in the role of my account, if my membership has a lower one", () => {
    const ofReviewers: Gate = { ...gate, eligible: ["reviewer"] };
    expect(canDecide(before("reviewer", "viewer"), ofReviewers, ann.id)).toBe(true);
    expect(canDecide(before("reviewer", "viewer"), { ...gate, eligible: ["owner"] }, ann.id)).toBe(false);
  });

  it("neither outside the session, nor in a closed one", () => {
    expect(canDecide({ ...emptySession(SESSION), gates: [gate] }, gate, "u_somebody_else")).toBe(false);
    expect(canDecide({ ...before("owner"), closed: true }, gate, ann.id)).toBe(false);
  });

  it("no more once the gate is decided or has expired", () => {
    const decision = { outcome: "approved" as const, by: ann, at: gate.opened_at };
    expect(canDecide(before("owner"), { ...gate, decision }, ann.id)).toBe(false);
    expect(
      canDecide({ ...before("owner"), lapsed: { [gate.id]: { outcome: "expired" } } }, gate, ann.id),
    ).toBe(false);
  });
});

describe("a run that failed", () => {
  const input = { id: "m_3", at: gate.opened_at, by: ann, text: "Write tests", files: ["f_1"] };
  const run = {
    id: "r_5",
    flow: "review",
    phase: "failed",
    startedAt: gate.opened_at,
    directedBy: [] as string[],
    interrupted: false,
  } as const;
  const failed = { ...before("owner"), messages: [input], run: { ...run, input: "m_3" } };

  it("can be retried with its message and files by anyone with the right to write, until another run has begun", () => {
    expect(failedInput(failed)).toBe(input);
    expect(failedInput({ ...failed, rights: rightsOf.viewer })).toBeNull();
    expect(failedInput({ ...failed, ended: { code: "left", message: "" } })).toBeNull();
    const newer = { ...failed.run, id: "r_9", phase: "pending" } as const;
    expect(failedInput({ ...failed, run: newer })).toBeNull();
  });
});

describe("a vote that came too late", () => {
  const command = { id: "c_9", session: SESSION, do: "vote", data: { gate: gate.id, choice: "approve" } };
  const given = reduce(open, { type: "command_added", pending: { command, at: 1 } });
  const error = { code: "already_decided", message: "the gate is decided", retryable: false } as const;

  it("is reported once the gate is closed, until I have read the notice", () => {
    const early = after([{ type: "error", id: "c_9", ...error }], given);
    expect(lateVotes(of(early)), "the gate itself still says it").toEqual([]);
    const late = after(log.slice(25, 27), early);
    expect(lateVotes(of(late))).toMatchObject([{ error }]);
    expect(lateVotes(of(reduce(late, { type: "command_removed", session: SESSION, id: "c_9" })))).toEqual([]);
  });

  it("is not reported if it was rejected for another reason, which the gate itself showed", () => {
    const forbidden = { code: "forbidden", message: "the rules do not allow it", retryable: false } as const;
    const early = after([{ type: "error", id: "c_9", ...forbidden }], given);
    expect(lateVotes(of(after(log.slice(25, 27), early)))).toEqual([]);
  });

  it("is settled by the next accepted vote at the same gate", () => {
    const early = after(
      [{ type: "error", id: "c_9", code: "stale_revision", message: "", retryable: false }],
      given,
    );
    const again = reduce(early, {
      type: "command_added",
      pending: { command: { ...command, id: "c_10" }, at: 2 },
    });
    const voted = { ...log[25]!, by: ann, cause: "c_10" } as (typeof log)[number];
    expect(of(after([voted], again)).pending).toEqual([]);
  });

  it("is not reported before the vote is answered", () => {
    expect(lateVotes(of(after(log.slice(25, 27), given)))).toEqual([]);
  });
});

describe("the status of the run", () => {
  const writing: StreamingMessage = {
    message: "m_7",
    step: "p_6",
    agent: "Writer",
    attempt: 2,
    failures: 0,
    started_at: "2026-11-21T22:00:07.000Z",
    text: "",
    bytes: 0,
  };
  const run = (
    phase: RunState["phase"],
    messages: StreamingMessage[] = [],
    interrupted = false,
  ): SessionState => ({
    ...of(open),
    run: { ...of(open).run!, phase, interrupted },
    streaming: Object.fromEntries(messages.map((running) => [running.message, running])),
  });
  const act = (verb: "pause" | "resume" | "interrupt") => ({ id: 20, verb, by: ann });

  it("is running once all resumed messages are being written", () => {
    const again = { ...writing, recovered: true };
    expect(phaseOf(run("recovering", [again]))).toBe("recovering");
    expect(phaseOf(run("recovering", [{ ...again, text: "Again" }]))).toBe("executing");
    const other = { ...again, message: "m_8" };
    expect(phaseOf(run("recovering", [{ ...again, text: "Again" }, other]))).toBe("recovering");
    expect(phaseOf(run("paused", [{ ...again, text: "Again" }]))).toBe("paused");
  });

  it("is shown once: an act that a later one has superseded is no longer shown", () => {
    expect(isStillInEffect(run("waiting"), act("resume"))).toBe(false);
    expect(isStillInEffect(run("executing"), act("resume"))).toBe(true);
    expect(isStillInEffect(run("paused"), act("pause"))).toBe(true);
    expect(isStillInEffect(run("waiting", [], true), act("interrupt"))).toBe(true);
    expect(isStillInEffect(run("executing"), act("interrupt"))).toBe(false);
  });

  it("is held only once no message is being written", () => {
    const retried = { ...writing, retry_at: "2026-11-21T22:00:30.000Z" };
    for (const [messages, pausing] of [
      [[writing], true],
      [[writing, { ...retried, message: "m_8" }], true],
      [[retried], false],
      [[], false],
    ] as [StreamingMessage[], boolean][]) {
      expect(isPausing(run("paused", messages))).toBe(pausing);
      expect(isFullyPaused(run("paused", messages))).toBe(!pausing);
    }
    expect(isFullyPaused(run("executing", [writing]))).toBe(false);
  });
});
