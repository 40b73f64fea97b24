/** A handwritten session whose plan is made, changed, confirmed and followed, with tools, questions and parallel parts. */
import type { Actor, Gate, Plan, Team } from "../../src/protocol";
import type { EventFrame } from "../../src/wire/frames";
import { ann, bob, SESSION, system } from "./log";

type Fact = EventFrame extends infer E ? (E extends EventFrame ? Pick<E, "event" | "data"> : never) : never;

export const planner: Actor = { kind: "agent", id: "Planner", name: "Planner" };
export const reader: Actor = { kind: "agent", id: "Reader", name: "Reader" };
export const tester: Actor = { kind: "agent", id: "Tester", name: "Tester" };

export const team: Team = {
  name: "brain-en",
  title: "Planned work",
  flow: "brain",
  language: "en",
  agents: [
    { id: "Planner", name: "Planner", role: "planner", title: "🧭 Plans", prompt: "" },
    { id: "Reader", name: "Reader", role: "executor", title: "📖 Reads", prompt: "" },
    { id: "Tester", name: "Tester", role: "executor", title: "🧪 Tests", prompt: "" },
  ],
};

const run = "r_5";
const plan: Plan = {
  rev: 1,
  title: "Find the slow query",
  items: [
    {
      action: "Read the logs",
      agent: "Reader",
      reason: "They say when it began",
      state: "not_started",
      tries: 0,
    },
    { action: "Measure reads <sep> Measure writes", agent: "Tester", state: "not_started", tries: 0 },
    {
      action: "Ask which release it was",
      tool: "user_input",
      arguments: { question: "Which release?" },
      state: "not_started",
      tries: 0,
    },
  ],
  estimated_time: "10 minutes",
  risks: ["The logs may be gone"],
};
const edited: Plan = {
  ...plan,
  rev: 2,
  items: [{ ...plan.items[0]!, action: "Read the logs of May" }, ...plan.items.slice(1)],
};

function gate(id: string, how: Partial<Gate>): Gate {
  return {
    id,
    run,
    kind: "tool",
    rev: 1,
    prompt: "",
    allow: ["approve", "edit", "reject", "respond"],
    agents: [],
    quorum: { kind: "any" },
    eligible: ["owner", "member", "reviewer"],
    votes: [],
    opened_at: "2026-11-21T22:00:00.000Z",
    ...how,
  };
}

const execute = (number: number, part = 0) => ({ kind: "execute", number, part }) as const;

const facts: [Actor, Fact][] = [
  [
    ann,
    {
      event: "session.created",
      data: { title: "Slow", team, settings: { approval: { kind: "at_least", n: 2 } } },
    },
  ],
  [
    ann,
    { event: "participant.joined", data: { participant: ann.id, kind: "user", name: "Ann", role: "owner" } },
  ],
  [
    bob,
    {
      event: "participant.joined",
      data: { participant: bob.id, kind: "user", name: "Bob", role: "reviewer" },
    },
  ],
  [ann, { event: "message.posted", data: { message: "m_4", text: "Why is it slow?" } }],
  [ann, { event: "run.started", data: { run, flow: "brain", input: "m_4", to: [] } }],
  [system, { event: "step.started", data: { step: "p_6", run, agents: ["Planner"] } }],
  [
    planner,
    {
      event: "message.started",
      data: { message: "m_7", run, step: "p_6", agent: "Planner", attempt: 1, task: { kind: "plan" } },
    },
  ],
  [
    planner,
    {
      event: "message.completed",
      data: {
        message: "m_7",
        run,
        step: "p_6",
        agent: "Planner",
        attempt: 1,
        text: '{"title":"Find the slow query","steps":[{"agent":"Reader","action":"Read the logs"}]}',
      },
    },
  ],
  [planner, { event: "plan.proposed", data: { run, message: "m_7", plan } }],
  [system, { event: "step.completed", data: { step: "p_6", run } }],
  [
    system,
    {
      event: "gate.opened",
      data: {
        gate: gate("g_11", {
          kind: "plan",
          prompt: "Planner has made a plan. Confirm it, edit it, or say what should change",
          agent: "Planner",
          quorum: { kind: "at_least", n: 2 },
          subject: { id: "m_7", rev: 1, digest: "d1" },
        }),
      },
    },
  ],
  [system, { event: "run.state_changed", data: { run, from: "planning", to: "waiting" } }],
  [bob, { event: "gate.revised", data: { gate: "g_11", rev: 2, digest: "d2", plan: edited } }],
  [bob, { event: "gate.voted", data: { gate: "g_11", rev: 2, choice: "approve", role: "reviewer" } }],
  [ann, { event: "gate.voted", data: { gate: "g_11", rev: 2, choice: "approve", role: "owner" } }],
  [ann, { event: "gate.decided", data: { gate: "g_11", rev: 2, outcome: "approved", votes: [] } }],
  [system, { event: "step.started", data: { step: "p_17", run, agents: ["Reader"] } }],
  [system, { event: "plan.item_changed", data: { run, number: 1, state: "in_progress", note: "" } }],
  [
    reader,
    {
      event: "message.started",
      data: { message: "m_19", run, step: "p_17", agent: "Reader", attempt: 1, task: execute(1) },
    },
  ],
  [
    reader,
    {
      event: "message.completed",
      data: {
        message: "m_19",
        run,
        step: "p_17",
        agent: "Reader",
        attempt: 1,
        text: "I look into the logs.",
        calls: 2,
      },
    },
  ],
  [
    reader,
    {
      event: "tool.proposed",
      data: {
        call: "t_21",
        run,
        step: "p_17",
        message: "m_19",
        agent: "Reader",
        task: execute(1),
        name: "files_read",
        arguments: '{"path":"may.log","from":0}',
      },
    },
  ],
  [
    reader,
    {
      event: "tool.proposed",
      data: {
        call: "t_22",
        run,
        step: "p_17",
        message: "m_19",
        agent: "Reader",
        task: execute(1),
        name: "mcp_shop_restart",
        arguments: '{"node":"a1"}',
      },
    },
  ],
  [system, { event: "tool.checked", data: { call: "t_21", run, permission: "allow", idempotent: true } }],
  [system, { event: "tool.checked", data: { call: "t_22", run, permission: "ask", idempotent: false } }],
  [
    system,
    {
      event: "gate.opened",
      data: {
        gate: gate("g_25", {
          call: "t_22",
          prompt: "Reader asks to call a tool: mcp_shop_restart",
          agent: "Reader",
          subject: { id: "t_22", rev: 1, digest: "d3" },
          schema: {
            type: "object",
            properties: {
              node: { type: "string", title: "Node", description: "Which node is restarted" },
              gently: { type: "boolean", title: "Gently" },
            },
            required: ["node"],
          },
        }),
      },
    },
  ],
  [system, { event: "tool.started", data: { call: "t_21", run, attempt: 1, rev: 1, digest: "d4" } }],
  [
    system,
    { event: "tool.completed", data: { call: "t_21", run, attempt: 1, output: "12:00 slow\n12:01 slow" } },
  ],
  [ann, { event: "gate.revised", data: { gate: "g_25", rev: 2, digest: "d5", arguments: '{"node":"a2"}' } }],
  [ann, { event: "gate.decided", data: { gate: "g_25", rev: 2, outcome: "approved", votes: [] } }],
  [system, { event: "tool.started", data: { call: "t_22", run, attempt: 1, rev: 2, digest: "d5" } }],
  [system, { event: "tool.uncertain", data: { call: "t_22", run, attempt: 1 } }],
  [
    system,
    {
      event: "gate.opened",
      data: {
        gate: gate("g_32", {
          kind: "uncertain",
          call: "t_22",
          prompt: "A call by Reader was sent, but its result was lost: mcp_shop_restart",
          allow: ["approve", "reject", "respond"],
        }),
      },
    },
  ],
  [ann, { event: "gate.decided", data: { gate: "g_32", rev: 1, outcome: "rejected", votes: [] } }],
  [
    system,
    {
      event: "tool.failed",
      data: {
        call: "t_22",
        run,
        attempt: 1,
        error: { code: "uncertain", message: "people say that it failed" },
      },
    },
  ],
  [
    reader,
    {
      event: "message.started",
      data: { message: "m_35", run, step: "p_17", agent: "Reader", attempt: 1, task: execute(1) },
    },
  ],
  [
    reader,
    {
      event: "message.completed",
      data: { message: "m_35", run, step: "p_17", agent: "Reader", attempt: 1, text: "It began in **May**." },
    },
  ],
  [system, { event: "plan.item_changed", data: { run, number: 1, state: "completed", note: "" } }],
  [system, { event: "step.completed", data: { step: "p_17", run } }],
  [system, { event: "step.started", data: { step: "p_39", run, agents: ["Planner"] } }],
  [
    planner,
    {
      event: "message.started",
      data: { message: "m_40", run, step: "p_39", agent: "Planner", attempt: 1, task: { kind: "decide" } },
    },
  ],
  [
    planner,
    {
      event: "message.completed",
      data: {
        message: "m_40",
        run,
        step: "p_39",
        agent: "Planner",
        attempt: 1,
        text: '{"analysis":"May it was","next_action":"continue","next_agent":"Tester","reason":"Now measure"}',
      },
    },
  ],
  [
    planner,
    {
      event: "decision.made",
      data: {
        run,
        message: "m_40",
        agent: "Planner",
        decision: { action: "continue", analysis: "May it was", reason: "Now measure", agent: "Tester" },
      },
    },
  ],
  [system, { event: "step.started", data: { step: "p_43", run, agents: ["Tester", "Reader"] } }],
  [system, { event: "plan.item_changed", data: { run, number: 2, state: "in_progress" } }],
  [
    tester,
    {
      event: "message.started",
      data: { message: "m_45", run, step: "p_43", agent: "Tester", attempt: 1, task: execute(2, 0) },
    },
  ],
  [
    reader,
    {
      event: "message.started",
      data: { message: "m_46", run, step: "p_43", agent: "Reader", attempt: 1, task: execute(2, 1) },
    },
  ],
  [
    reader,
    {
      event: "message.completed",
      data: { message: "m_46", run, step: "p_43", agent: "Reader", attempt: 1, text: "Writes take 3 ms." },
    },
  ],
  [
    tester,
    {
      event: "message.completed",
      data: { message: "m_45", run, step: "p_43", agent: "Tester", attempt: 1, text: "Reads take 900 ms." },
    },
  ],
  [
    system,
    { event: "plan.item_changed", data: { run, number: 2, state: "completed", note: "both measured" } },
  ],
  [system, { event: "step.started", data: { step: "p_50", run, agents: ["Planner"] } }],
  [system, { event: "plan.item_changed", data: { run, number: 3, state: "in_progress" } }],
  [
    planner,
    {
      event: "tool.proposed",
      data: {
        call: "t_52",
        run,
        step: "p_50",
        agent: "Planner",
        task: execute(3),
        name: "user_input",
        arguments: '{"question":"Which release?"}',
      },
    },
  ],
  [
    system,
    {
      event: "gate.opened",
      data: {
        gate: gate("g_53", {
          kind: "question",
          call: "t_52",
          prompt: "Which release?",
          context: "It began in May.",
          allow: ["respond"],
          eligible: ["owner", "member", "reviewer", "bot"],
          schema: {
            type: "object",
            properties: {
              release: { type: "string", title: "Release", enum: ["1.0", "1.1"] },
              since: { type: "integer", title: "Day of May", minimum: 1, maximum: 31 },
              rolled_back: { type: "boolean", title: "Rolled back" },
              hosts: { type: "array", items: { type: "string" }, title: "Hosts" },
            },
            required: ["release"],
          },
        }),
      },
    },
  ],
  [system, { event: "run.state_changed", data: { run, from: "executing", to: "waiting" } }],
  [bob, { event: "message.posted", data: { message: "m_55", text: '{"release":"1.1"}' } }],
  [
    bob,
    {
      event: "gate.decided",
      data: { gate: "g_53", rev: 1, outcome: "responded", votes: [], message: "m_55" },
    },
  ],
  [system, { event: "tool.completed", data: { call: "t_52", run, attempt: 0, output: '{"release":"1.1"}' } }],
  [system, { event: "plan.item_changed", data: { run, number: 3, state: "completed" } }],
  [system, { event: "run.finished", data: { run, reason: "completed", final_message: "m_45" } }],
];

/** The log as frames. */
export const flowLog: EventFrame[] = facts.map(([by, fact], i) => {
  const seq = i + 1;
  const at = `2026-11-21T22:${String(Math.floor(seq / 60)).padStart(2, "0")}:${String(seq % 60).padStart(2, "0")}.000Z`;
  return { type: "event", session: SESSION, seq, at, by, ...fact } as EventFrame;
});
