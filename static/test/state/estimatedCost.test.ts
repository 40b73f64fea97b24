import { describe, expect, it } from "vitest";
import { discardCost, retryCost, rewriteCost } from "../../src/state/estimatedCost";
import type { Gate } from "../../src/protocol";
import type { WorkSpan } from "../../src/state/spans";
import type { SessionState } from "../../src/state/model";

const known = {
  defaultModel: "a/large",
  models: [
    { name: "a/large", prices: { input: 5, output: 15 } },
    { name: "a/small", prices: { input: 1, output: 2 } },
    { name: "b/own" },
  ],
};

/** A session in which two agents write. */
function session(more: Partial<SessionState> = {}): SessionState {
  return {
    streaming: {
      m_1: { agent: "Writer", bytes: 400 },
      m_2: { agent: "Critic", bytes: 6 },
    },
    team: { agents: [{ id: "Writer" }, { id: "Critic", model: "small" }] },
    settings: {},
    ...more,
  } as unknown as SessionState;
}

describe("the price of a decision", () => {
  it("of an interrupt, or of the end of the run, is the cost of the text written so far, at each model's price", () => {
    expect(discardCost(session(), known)).toEqual({ tokens: 102, cost_micros: 1504 });
    expect(discardCost(session({ streaming: {} }), known)).toEqual({ tokens: 0, cost_micros: 0 });
    const own = session({ settings: { model: "b/own" } as SessionState["settings"] });
    expect(discardCost(own, known)).toEqual({ tokens: 102, cost_micros: 0 });
  });

  it("of a retry is the usage of the failed run", () => {
    const usage = {
      byAgent: [],
      byParticipant: [],
      ofRun: {
        of: "r_1",
        turns: 2,
        input_tokens: 900,
        output_tokens: 100,
        cost_micros: 70,
        estimated: false,
      },
    };
    const failed = { phase: "failed", id: "r_1", input: "m_9" };
    const run = failed as unknown as SessionState["run"];
    const messages = [{ id: "m_9" }] as SessionState["messages"];
    const base = session({ usage, run, messages, rights: ["steer"] });
    expect(retryCost(base)).toEqual({ tokens: 1000, cost_micros: 70 });
    expect(retryCost({ ...base, run: null })).toBe(null);
    expect(retryCost({ ...base, usage: { ...usage, ofRun: { ...usage.ofRun, turns: 0 } } })).toBe(null);
  });
});

/** A turn whose message began at this seq. */
function turn(seq: number, tokens: number, task: "plan" | "decide" | "reply" = "reply"): WorkSpan {
  return {
    id: `m_${seq}`,
    run: "r_5",
    kind: "turn",
    row: `m_${seq}`,
    agent: "Writer",
    label: "",
    task: { kind: task },
    from: "2026-11-21T22:00:00.000Z",
    tokens,
    cost: tokens * 2,
    estimated: false,
  };
}

const call = (seq: number): WorkSpan => ({ ...turn(seq, 0), id: `t_${seq}`, kind: "call" });
const wait = (gate: string): WorkSpan => ({ ...turn(0, 0), id: gate, row: gate, kind: "gate", agent: null });

function gate(id: string, kind: Gate["kind"], more: Partial<Gate> = {}): Gate {
  return { id, run: "r_5", kind, allow: [], agents: [], ...more } as unknown as Gate;
}

/** A session with these gates, in whose run the agents have worked this much. */
function worked(gates: Gate[], turns: WorkSpan[], more: Partial<SessionState> = {}): SessionState {
  const run = { id: "r_5", interrupted: false } as unknown as SessionState["run"];
  const spans = [...turns, ...gates.map(({ id }) => wait(id))];
  return session({ run, gates, spans, knownAfter: 0, ...more });
}

describe("the price of another version", () => {
  const first = gate("g_20", "feedback", { ended: 24 });
  const second = gate("g_40", "feedback");

  it("is what the turns since the previous decision used", () => {
    const turns = [turn(2, 7), turn(7, 100), turn(12, 50), turn(27, 30), call(28), turn(33, 5)];
    const open = worked([first], turns.slice(0, 3));
    expect(rewriteCost(open, first), "not what an earlier run used").toEqual({
      tokens: 150,
      cost_micros: 300,
    });
    // The agents also work on the same version before and after a decision about a call.
    const tool = gate("g_29", "tool", { call: "t_28", ended: 31 });
    const both = worked([first, tool, second], turns);
    expect(rewriteCost(both, second)).toEqual({ tokens: 35, cost_micros: 70 });
    expect(rewriteCost(both, tool), "the agents do not write a call again").toBe(null);
  });

  it("of a plan leaves out the work that followed an earlier plan", () => {
    const plan = gate("g_10", "plan", { ended: 12 });
    const changed = gate("g_40", "plan");
    const turns = [turn(6, 60, "plan"), turn(20, 900), turn(30, 40, "plan"), turn(35, 8, "decide")];
    expect(rewriteCost(worked([plan], turns.slice(0, 1)), plan)).toEqual({ tokens: 60, cost_micros: 120 });
    expect(rewriteCost(worked([plan, changed], turns), changed)).toEqual({ tokens: 40, cost_micros: 80 });
  });

  it("is unknown while a turn might be missing, and after an interrupt", () => {
    const turns = [turn(7, 100), turn(27, 30)];
    expect(rewriteCost(worked([first], []), first), "no usage has been recorded").toBe(null);
    const joinedLate = { knownAfter: 25 };
    expect(rewriteCost(worked([first, second], turns, joinedLate), second)).toBe(null);
    expect(rewriteCost(worked([first, second], turns, { knownAfter: 24 }), second)?.tokens).toBe(30);
    const withoutFirst = worked([first, second], turns, { gates: [second] });
    expect(rewriteCost(withoutFirst, second), "the snapshot omits the previous gate").toBe(null);
    const interrupted = { id: "r_5", interrupted: true } as unknown as SessionState["run"];
    expect(rewriteCost(worked([first], turns, { run: interrupted }), first)).toBe(null);
    expect(rewriteCost(worked([first], turns), { ...first, run: null })).toBe(null);
  });
});
