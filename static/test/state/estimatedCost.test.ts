import { describe, expect, it } from "vitest";
import { interruptCost, retryCost } from "../../src/state/estimatedCost";
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
  it("of an interrupt is the cost of the text written so far, at each model's price", () => {
    expect(interruptCost(session(), known)).toEqual({ tokens: 102, cost_micros: 1504 });
    expect(interruptCost(session({ streaming: {} }), known)).toEqual({ tokens: 0, cost_micros: 0 });
    const own = session({ settings: { model: "b/own" } as SessionState["settings"] });
    expect(interruptCost(own, known)).toEqual({ tokens: 102, cost_micros: 0 });
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
