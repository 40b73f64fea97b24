import { describe, expect, it } from "vitest";
import { rightsOf } from "../../src/state/participants";
import {
  messageDestination,
  canDecide,
  needsMyVote,
  openGates,
  runningCalls,
  gateForText,
} from "../../src/state/gateSelectors";
import { isPausing, canInterrupt } from "../../src/state/runSelectors";
import type { Gate, Phase } from "../../src/protocol";
import { callsOf } from "../../src/state/calls";
import { splitParts } from "../../src/state/plan";
import { parsedOutputOf } from "../../src/state/parsedOutput";
import { applySpanEvent, lanesOf, mergeSpans } from "../../src/state/spans";
import { planItemsOf } from "../../src/state/planItems";
import { runningKey, buildRows } from "../../src/state/timeline";
import type { SessionState } from "../../src/state/model";
import { flowLog } from "./flows";
import { after, ann, bob, joinedAll, SESSION, welcome } from "./log";

/** The session after this many events. */
function at(seq: number): SessionState {
  return after([welcome, joinedAll(seq), ...flowLog.slice(0, seq)]).sessions[SESSION]!;
}
const whole = at(flowLog.length);
const rows = (session: SessionState) =>
  buildRows({ ...session, running: runningKey(session), busy: false }, null, ann.id);

describe("a plan", () => {
  it("is read from the message that proposed it, and is edited by people before they confirm it", () => {
    expect(at(9).run?.plan).toMatchObject({ rev: 1, title: "Find the slow query" });
    expect(parsedOutputOf(at(9), at(9).messages[1]!)).toMatchObject({ kind: "plan", plan: { rev: 1 } });
    const revised = at(13);
    expect(revised.run?.plan?.items[0]?.action).toBe("Read the logs of May");
    expect(revised.revised.g_11).toMatchObject({ rev: 2, by: bob, before: { plan: { rev: 1 } } });
    expect(at(14).gates[0]).toMatchObject({ rev: 2, subject: { rev: 2 }, votes: [{ by: bob }] });
    expect(at(15).run?.plan?.approved).toBeUndefined();
    expect(at(16).run?.plan).toMatchObject({ rev: 2, approved: true, rejected: false });
  });

  it("is shown as people changed it, above the outcome of their votes", () => {
    const shown = rows(at(16));
    const [plan, gate] = [
      shown.findIndex((row) => row.key === "note 13"),
      shown.findIndex((row) => row.key === "g_11"),
    ];
    expect(plan).toBeGreaterThan(0);
    expect(gate).toBe(plan + 1);
  });

  it("proceeds step by step, with notes and the number of attempts", () => {
    expect(at(18).run?.plan?.items[0]).toMatchObject({ state: "in_progress", tries: 1 });
    expect(whole.run?.plan?.items.map((step) => [step.state, step.tries, step.note])).toEqual([
      ["completed", 1, undefined],
      ["completed", 1, "both measured"],
      ["completed", 1, undefined],
    ]);
    expect(splitParts(whole.run!.plan!.items[1]!)).toEqual(["Measure reads", "Measure writes"]);
  });

  it("shows for each step its calls, its question with the answer, and the decision after it", () => {
    const [first, second, third] = planItemsOf(whole);
    expect(first?.calls.map((call) => call.id)).toEqual(["t_21", "t_22"]);
    expect(first?.decisions).toMatchObject([{ by: "Planner", decision: { action: "continue" } }]);
    expect(second?.decisions).toEqual([]);
    expect(third?.question).toMatchObject({
      text: "Which release?",
      answer: '{"release":"1.1"}',
      lapsed: false,
      by: { name: "Bob" },
    });
    expect(planItemsOf(at(16))[2]?.question).toMatchObject({ text: "Which release?", answer: null });
  });
});

describe("a call", () => {
  it("is put to people, changed, allowed, sent, lost, and marked as failed", () => {
    const states = [22, 25, 28, 29, 30, 31, 34].map((seq) => at(seq).calls.t_22!.state);
    expect(states).toEqual(["proposed", "asked", "asked", "allowed", "started", "uncertain", "failed"]);
    expect(at(28).calls.t_22).toMatchObject({ rev: 2, arguments: '{"node":"a2"}', gate: "g_25" });
    expect(at(32).calls.t_22).toMatchObject({ state: "uncertain", gate: "g_32" });
  });

  it("can be interrupted while its tool runs, and a pause waits for it", () => {
    const phased = (seq: number, phase: Phase) => {
      const session = at(seq);
      return { ...session, run: { ...session.run!, phase } };
    };
    expect(at(30).streaming, "nobody writes").toEqual({});
    expect(canInterrupt(phased(30, "executing"))).toBe(true);
    expect(runningCalls(phased(30, "executing")).map((call) => call.id)).toEqual(["t_22"]);
    expect(canInterrupt(phased(30, "paused"))).toBe(true);
    expect(isPausing(phased(30, "paused"))).toBe(true);
    expect(canInterrupt(phased(26, "waiting")), "people are asked").toBe(false);
    expect(canInterrupt({ ...phased(30, "executing"), rights: ["watch", "say"] })).toBe(false);
    expect(canInterrupt(phased(34, "executing")), "nothing runs").toBe(false);
    expect(isPausing(phased(34, "paused"))).toBe(false);
  });

  it("keeps its output until its task is done, like a snapshot", () => {
    expect(at(27).calls.t_21).toMatchObject({ state: "completed", output: "12:00 slow\n12:01 slow" });
    expect(whole.calls.t_21?.output).toBeUndefined();
    expect(whole.calls.t_52?.output).toBe('{"release":"1.1"}');
  });

  it("is shown with its message, or in its own row if the plan made it", () => {
    expect(callsOf(whole, "m_19").map((call) => call.name)).toEqual(["files_read", "mcp_shop_restart"]);
    expect(whole.messages.find((message) => message.id === "m_19")).toMatchObject({ calls: 2 });
    const kinds = rows(whole).map((row) => row.key);
    expect(kinds).toContain("t_52");
    expect(kinds).not.toContain("t_21");
    expect(kinds).not.toContain("m_55");
  });

  it("is the same from a snapshot as from the log", () => {
    const live = at(27);
    const { calls, ...call } = { calls: Object.values(live.calls), run: "r_5", step: "p_17" };
    const round = {
      message: "m_19",
      agent: "Reader",
      task: { kind: "execute", number: 1, part: 0 } as const,
      step: "p_17",
      turn: 1,
      expected: 2,
      closed: false,
      calls: calls.map(({ run: _r, step: _s, agent: _a, task: _t, message: _m, ...own }) => own),
    };
    const state = {
      ...live,
      session: SESSION,
      decided: [],
      created_at: "",
      updated_at: "",
      usage_by_agent: [],
      usage_by_participant: [],
      usage_of_run: { of: "", turns: 0, input_tokens: 0, output_tokens: 0, cost_micros: 0, estimated: false },
      run: {
        ...live.run!,
        started_at: "",
        round: { approved: false, done: [], interrupted: false, to: [] },
        running: [],
        controls: [],
        messages: 0,
        paused: false,
        rounds: 1,
        tool_rounds: [round],
      },
    };
    const frame = { ...joinedAll(27), snapshot: { seq: 27, state } } as unknown as Parameters<
      typeof after
    >[0][0];
    const joined = after([welcome, frame]).sessions[SESSION]!;
    expect(call.step).toBe("p_17");
    expect(joined.calls).toEqual(live.calls);
  });
});

describe("gates", () => {
  it("can be open at the same time; a message answers only gates that it may answer", () => {
    expect(openGates(at(25)).map((gate) => gate.kind)).toEqual(["tool"]);
    expect(gateForText(at(25))).toBeNull();
    expect(gateForText(at(12))?.kind).toBe("plan");
    expect(gateForText(at(54))?.kind).toBe("question");
    expect([12, 25, 54].map((seq) => messageDestination(at(seq), ann.id))).toEqual([
      "feedback",
      "waits",
      "form",
    ]);
  });

  it("are not answered by a message if they need a form, nor in the middle of a call", () => {
    const asked = at(54);
    const gates = asked.gates.map((gate) => ({ ...gate, schema: undefined }) as Gate);
    expect(messageDestination({ ...asked, gates }, ann.id)).toBe("answer");
    const [question] = openGates(asked);
    const wanting = (schema: Record<string, unknown>) =>
      messageDestination({ ...asked, gates: gates.map((gate) => ({ ...gate, schema })) }, ann.id);
    expect(wanting({ type: "string", title: "Why", description: "In a word" })).toBe("answer");
    for (const more of [
      { format: "date" },
      { pattern: "^r" },
      { minLength: 3 },
      { maxLength: 8 },
      { const: "r1" },
      { enum: ["r1"] },
      { oneOf: [{ const: "r1" }] },
      { anyOf: [{ const: "r1" }] },
      { allOf: [{ minLength: 3 }] },
      { not: { const: "r1" } },
    ])
      expect(wanting({ type: "string", ...more }), Object.keys(more)[0]).toBe("form");
    const calls = { ...asked.calls };
    calls[question!.call!] = { ...calls[question!.call!]!, state: "started" };
    expect(messageDestination({ ...asked, calls }, ann.id)).toBe("aside");
    expect(messageDestination({ ...asked, calls, rights: ["watch"] }, ann.id)).toBe("waits");
  });

  it("are mine if my role counts; a question is for anyone with the right to write", () => {
    const asked = at(54);
    const [question] = openGates(asked);
    expect(needsMyVote(asked, question!, ann.id)).toBe(true);
    const bot: SessionState = { ...asked, rights: rightsOf.bot };
    bot.participants = [{ id: ann.id, kind: "bot", name: "Ann", role: "bot" }];
    expect(canDecide(bot, question!, ann.id)).toBe(true);
    expect(canDecide({ ...bot, gates: at(25).gates }, openGates(at(25))[0]!, ann.id)).toBe(false);
  });

  it("keep the interruption of a round if the decided gate was about a call", () => {
    const session = at(28);
    const interrupted = { ...session, run: { ...session.run!, interrupted: true } };
    const next = after([flowLog[28]!], { ...after([welcome]), sessions: { [SESSION]: interrupted } });
    expect(next.sessions[SESSION]?.run?.interrupted).toBe(true);
  });
});

describe("parts of a step", () => {
  it("are shown side by side, in the order of the plan and not of their arrival", () => {
    for (const session of [at(46), at(47), whole]) {
      const side = rows(session).filter((row) => row.kind === "side");
      expect(side).toHaveLength(1);
      expect(side[0]).toMatchObject({
        key: "side p_43",
        number: 2,
        columns: [
          { part: 0, agent: "Tester", messages: [{ id: "m_45" }] },
          { part: 1, agent: "Reader", messages: [{ id: "m_46" }] },
        ],
      });
    }
  });
});

describe("structured output of an agent", () => {
  const message = (text: string, kind: "plan" | "decide" | "route" | "summarize") => ({
    id: "m_1",
    at: "",
    by: { kind: "agent" as const, id: "P", name: "P" },
    text,
    task: { kind },
  });
  const none = { parsedOutputs: {} };

  it("is parsed from the text of an older message in a snapshot", () => {
    expect(
      parsedOutputOf(none, message('Here: ```json\n{"steps":[{"action":"a"}]}\n```', "plan")),
    ).toMatchObject({
      kind: "plan",
      plan: { items: [{ action: "a" }] },
    });
    expect(
      parsedOutputOf(none, message('{"action":"synthesize","reason":"enough"}', "decide")),
    ).toMatchObject({
      decision: { action: "synthesize", reason: "enough" },
    });
    const question = '{"action":"request_input","question":"Which?","next_steps":[{"action":"a"}]}';
    expect(parsedOutputOf(none, message(question, "plan"))).toMatchObject({
      plan: { items: [{ action: "Which?", tool: "user_input" }] },
    });
    expect(parsedOutputOf(none, message('{"flow":"react"}', "route"))).toMatchObject({
      decision: { action: "route", flow: "react" },
    });
    expect(parsedOutputOf(none, message('{"root_cause":"x","suggestions":[]}', "summarize"))).toMatchObject({
      output: { root_cause: "x" },
    });
  });

  it("is left as text if it is none of these", () => {
    expect(parsedOutputOf(none, message("It is done.", "summarize"))).toBeUndefined();
    expect(parsedOutputOf(none, message('Such a call: {"root_cause":"x"}', "summarize"))).toBeUndefined();
    expect(parsedOutputOf(none, message('{"reason":"x"}', "decide"))).toBeUndefined();
    expect(parsedOutputOf(none, message('{"steps":[]}', "plan"))).toBeUndefined();
    expect(parsedOutputOf(none, message('{"a":', "plan"))).toBeUndefined();
    expect(parsedOutputOf(none, { ...message('{"a":1}', "plan"), task: undefined })).toBeUndefined();
  });
});

describe("the Gantt chart", () => {
  it("has a lane for each worker and one for people, with a label for each span", () => {
    const lanes = lanesOf(whole.spans, "r_5");
    expect(lanes.map((lane) => lane.agent)).toEqual(["Planner", null, "Reader", "Tester"]);
    const reader = lanes.find((lane) => lane.agent === "Reader")!;
    expect(reader.spans.map((span) => [span.id, span.kind, span.outcome])).toEqual([
      ["m_19", "turn", "done"],
      ["t_21", "call", "done"],
      ["t_22", "call", "failed"],
      ["m_35", "turn", "done"],
      ["m_46", "turn", "done"],
    ]);
    expect(reader.spans[1]).toMatchObject({ from: flowLog[25]!.at, to: flowLog[26]!.at });
  });

  it("is the same if the beginning was fetched later", () => {
    const late = flowLog.slice(30).reduce(applySpanEvent, []);
    const merged = mergeSpans(late, flowLog);
    expect(merged.map((span) => span.id).sort()).toEqual(whole.spans.map((span) => span.id).sort());
    expect(merged.every((span) => span.to)).toBe(true);
  });
});
