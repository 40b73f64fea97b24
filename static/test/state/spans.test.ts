import { describe, expect, it } from "vitest";
import type { EventFrame } from "../../src/wire/frames";
import { applySpanEvent, lanesOf, mergeSpans, type WorkSpan } from "../../src/state/spans";
import { totalDuration, workIntervals } from "../../src/state/timeScale";

const at = (second: number) => new Date(1_800_000_000_000 + 1000 * second).toISOString();
const event = (second: number, event: string, data: object) =>
  ({ event, data: { run: "r_1", ...data }, at: at(second) }) as unknown as EventFrame;
const control = (second: number, phase: string, verb: string, id: number) =>
  event(second, `control.${phase}`, { verb, control: id });
const spansOf = (...events: EventFrame[]) => events.reduce(applySpanEvent, [] as WorkSpan[]);
const seconds = (span: WorkSpan) => totalDuration(workIntervals(span, Date.parse(at(100)))) / 1000;

const writes = event(0, "message.started", { message: "m_1", agent: "A", attempt: 1 });
const written = event(5, "message.completed", { message: "m_1" });
const paused = [control(3, "requested", "pause", 7), written, control(5, "effective", "pause", 7)];
const resumed = [control(15, "requested", "resume", 9), control(15, "effective", "resume", 9)];

describe("a pause", () => {
  it("lasts from its effect until somebody resumes, in its own lane", () => {
    const spans = spansOf(writes, ...paused, ...resumed);
    expect(lanesOf(spans, "r_1").map(({ kind, agent }) => [kind, agent])).toEqual([
      ["agent", "A"],
      ["pause", null],
    ]);
    expect(spans[1]).toMatchObject({ kind: "pause", from: at(5), to: at(15), outcome: "done" });
    expect(seconds(spans[1]!)).toBe(10);
  });

  it("lasts until then, and ends with a cancelled run", () => {
    expect(seconds(spansOf(writes, ...paused)[1]!)).toBe(95);
    const ended = spansOf(writes, ...paused, event(25, "run.cancelled", { reason: "" }));
    expect(ended[1]).toMatchObject({ to: at(25), outcome: "stopped" });
  });

  it("does not count if it was withdrawn before it took effect", () => {
    expect(spansOf(writes, control(3, "requested", "pause", 7), ...resumed)).toHaveLength(1);
  });

  it("is separate from decisions of people, and shown once", () => {
    const gate = event(20, "gate.opened", { gate: { id: "g_1", run: "r_1", prompt: "" } });
    const known = spansOf(...resumed, gate);
    const merged = mergeSpans(known, [writes, ...paused, ...resumed, gate]);
    expect(lanesOf(merged, "r_1").map(({ kind }) => kind)).toEqual(["agent", "pause", "people"]);
    expect(merged).toHaveLength(3);
  });
});

describe("work that began before the snapshot", () => {
  it("ends if its end is seen before its beginning is loaded", () => {
    const known = spansOf(written);
    expect(lanesOf(known, "r_1")).toEqual([]);
    const [span] = mergeSpans(known, [writes]);
    expect([span?.agent, span?.to, span?.outcome]).toEqual(["A", at(5), "done"]);
    expect(mergeSpans(known, [writes, written])).toHaveLength(1);
  });
});

describe("a call that people stopped", () => {
  it("has not failed", () => {
    const made = event(0, "tool.proposed", { call: "t_1", agent: "A", name: "restart" });
    const ended = (code: string) => event(4, "tool.failed", { call: "t_1", error: { code } });
    expect(spansOf(made, ended("interrupted"))[0]?.outcome).toBe("stopped");
    expect(spansOf(made, ended("timed_out"))[0]?.outcome).toBe("failed");
  });
});
