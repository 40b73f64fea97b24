import { describe, expect, it } from "vitest";
import type { Gate } from "../../src/protocol";
import { type CallTrace, answererOf, callStatusOf, stopPhase } from "../../src/state/calls";
import { ann } from "./log";

const call: CallTrace = {
  id: "t_9",
  name: "restart",
  arguments: "{}",
  rev: 1,
  state: "completed",
  gate: "g_10",
  run: "r_5",
  step: "p_6",
  agent: "Writer",
};
const gate = (kind: Gate["kind"], outcome: "approved" | "responded"): Gate[] => [
  { id: "g_10", kind, decision: { outcome, by: ann, at: "2026-11-21T22:00:00Z" } } as Gate,
];
const failed = (code: string, attempt: number): CallTrace => ({
  ...call,
  state: "failed",
  attempt,
  error: { code, message: "" },
});

describe("a call", () => {
  it("shows who answered it in place of the tool", () => {
    expect(callStatusOf(call, gate("tool", "responded"))).toBe("answered");
    expect(answererOf(call, gate("uncertain", "responded"))).toMatchObject({ name: "Ann" });
    expect(callStatusOf(call, gate("tool", "approved"))).toBe("completed");
    expect(callStatusOf(call, gate("question", "responded"))).toBe("completed");
    expect(callStatusOf(call, [])).toBe("completed");
  });

  it("has not failed if somebody stopped it", () => {
    expect(callStatusOf(failed("interrupted", 1), [])).toBe("interrupted");
    expect(callStatusOf(failed("cancelled", 0), [])).toBe("cancelled");
    expect(callStatusOf(failed("rejected", 0), [])).toBe("rejected");
    expect(callStatusOf(failed("timed_out", 1), [])).toBe("failed");
    expect(stopPhase(failed("interrupted", 1))).toBe("sent");
    expect(stopPhase(failed("cancelled", 0))).toBe("unsent");
    expect(stopPhase(failed("timed_out", 1))).toBe(null);
  });
});
