/** A short handwritten session with every kind of event that changes the screen. */
import type { Actor, ServerFrame, Team } from "../../src/protocol";
import { emptyApp, type AppState } from "../../src/state/model";
import { reduce } from "../../src/state/reducer";
import type { EventFrame } from "../../src/wire/frames";

export const SESSION = "s_0190f3c07a1b7c3d8e5f60718293a4b5";
export const ann: Actor = { kind: "user", id: "u_0190f3c07a1b7c3d8e5f60718293a4b1", name: "Ann" };
export const bob: Actor = { kind: "user", id: "u_0190f3c07a1b7c3d8e5f60718293a4b2", name: "Bob" };
export const writer: Actor = { kind: "agent", id: "Writer", name: "Writer" };
export const critic: Actor = { kind: "agent", id: "Critic", name: "Critic" };
export const system: Actor = { kind: "system", id: "system", name: "Roundtable" };

export const team: Team = {
  name: "pair",
  title: "A pair",
  flow: "review",
  language: "en",
  agents: [
    { id: "Writer", name: "Writer", role: "generator", title: "🎯 Writes", prompt: "" },
    { id: "Critic", name: "Critic", role: "reviewer", title: "🔍 Reviews", prompt: "" },
    { id: "Editor", name: "Editor", role: "optimizer", title: "⚡ Finishes", prompt: "" },
  ],
};

type Fact = EventFrame extends infer E ? (E extends EventFrame ? Pick<E, "event" | "data"> : never) : never;

const settings = {
  approval: { kind: "any" },
  max_messages_per_run: 20,
  max_attempts: 4,
  max_waiting_messages: 50,
} as const;

const facts: [Actor, Fact, (number | string)?][] = [
  [ann, { event: "session.created", data: { title: "Tests", team, settings } }],
  [
    ann,
    { event: "participant.joined", data: { participant: ann.id, kind: "user", name: "Ann", role: "owner" } },
  ],
  [ann, { event: "message.posted", data: { message: "m_3", text: "Write tests" } }, "c_1"],
  [ann, { event: "message.routed", data: { message: "m_3", to: [], reason: "default" } }, "c_1"],
  [ann, { event: "run.started", data: { run: "r_5", flow: "review", input: "m_3", to: [] } }, "c_1"],
  [system, { event: "step.started", data: { step: "p_6", run: "r_5", agents: ["Writer"] } }],
  [
    writer,
    {
      event: "message.started",
      data: { message: "m_7", run: "r_5", step: "p_6", agent: "Writer", attempt: 1 },
    },
  ],
  [system, { event: "run.state_changed", data: { run: "r_5", from: "pending", to: "executing" } }],
  [
    bob,
    {
      event: "participant.joined",
      data: { participant: bob.id, kind: "user", name: "Bob", role: "reviewer" },
    },
  ],
  [bob, { event: "message.posted", data: { message: "m_10", text: "Mind refunds" } }, "c_2"],
  [
    bob,
    {
      event: "message.routed",
      data: { message: "m_10", to: [{ kind: "all" }], reason: "mention", waiting: "queue" },
    },
    "c_2",
  ],
  [
    writer,
    {
      event: "message.completed",
      data: {
        message: "m_7",
        run: "r_5",
        step: "p_6",
        agent: "Writer",
        attempt: 1,
        text: "# Cases\n\n1. Pay",
      },
    },
  ],
  [
    writer,
    {
      event: "usage.recorded",
      data: {
        message: "m_7",
        run: "r_5",
        agent: "Writer",
        participant: ann.id,
        model: "demo",
        input_tokens: 100,
        output_tokens: 40,
        estimated: true,
        cost_micros: 12,
      },
    },
  ],
  [system, { event: "step.completed", data: { step: "p_6", run: "r_5" } }],
  [system, { event: "message.consumed", data: { message: "m_10", run: "r_5" } }],
  [system, { event: "step.started", data: { step: "p_16", run: "r_5", agents: ["Critic"] } }],
  [
    critic,
    {
      event: "message.started",
      data: { message: "m_17", run: "r_5", step: "p_16", agent: "Critic", attempt: 1 },
    },
  ],
  [
    system,
    {
      event: "attempt.failed",
      data: {
        step: "p_16",
        run: "r_5",
        message: "m_17",
        agent: "Critic",
        attempt: 1,
        error: { code: "model_stream_cut", message: "the stream was cut" },
        retry_at: "2026-11-21T22:00:30.000Z",
      },
    },
  ],
  [
    critic,
    {
      event: "message.started",
      data: { message: "m_17", run: "r_5", step: "p_16", agent: "Critic", attempt: 2 },
    },
  ],
  [ann, { event: "control.requested", data: { control: 20, run: "r_5", verb: "interrupt" } }, "c_3"],
  [system, { event: "control.acknowledged", data: { control: 20, run: "r_5", verb: "interrupt" } }],
  [
    critic,
    {
      event: "message.aborted",
      data: {
        message: "m_17",
        run: "r_5",
        step: "p_16",
        agent: "Critic",
        attempt: 2,
        text: "Fine, but",
        reason: "interrupted",
      },
    },
  ],
  [system, { event: "control.effective", data: { control: 20, run: "r_5", verb: "interrupt" } }],
  [
    system,
    {
      event: "gate.opened",
      data: {
        gate: {
          id: "g_24",
          run: "r_5",
          kind: "feedback",
          rev: 1,
          prompt: "Critic is done",
          agent: "Critic",
          allow: ["approve", "reject", "respond"],
          agents: ["Writer", "Critic", "Editor"],
          quorum: { kind: "any" },
          eligible: ["owner", "member", "reviewer"],
          votes: [],
          opened_at: "2026-11-21T22:00:24.000Z",
        },
      },
    },
  ],
  [system, { event: "run.state_changed", data: { run: "r_5", from: "executing", to: "waiting" } }],
  [
    bob,
    {
      event: "gate.voted",
      data: { gate: "g_24", rev: 1, choice: "approve", role: "reviewer", comment: "good" },
    },
    "c_4",
  ],
  [
    bob,
    {
      event: "gate.decided",
      data: {
        gate: "g_24",
        rev: 1,
        outcome: "approved",
        votes: [
          { by: bob, role: "reviewer", choice: "approve", comment: "good", at: "2026-11-21T22:00:26.000Z" },
        ],
      },
    },
    "c_4",
  ],
  [system, { event: "run.finished", data: { run: "r_5", reason: "completed", final_message: "m_7" } }],
];

/** The log as frames. */
export const log: EventFrame[] = facts.map(([by, fact, cause], i) => {
  const seq = i + 1;
  const at = `2026-11-21T22:00:${String(seq).padStart(2, "0")}.000Z`;
  return { type: "event", session: SESSION, seq, at, by, cause, ...fact } as EventFrame;
});

export const welcome: Extract<ServerFrame, { type: "welcome" }> = {
  type: "welcome",
  you: ann,
  version: 1,
  limits: { max_frame_bytes: 262144, max_text_bytes: 65536, max_joined_sessions: 64, ping_seconds: 20 },
};

/** The state after these frames. */
export function after(frames: ServerFrame[], from: AppState = emptyApp): AppState {
  return frames.reduce((app, frame) => reduce(app, { type: "frame", frame, now: 0 }), from);
}

/** A join that covers the whole log. */
export function joinedAll(head = log.length): ServerFrame {
  return {
    type: "joined",
    session: SESSION,
    head,
    you_can: ["watch", "say", "steer", "answer", "approve", "edit", "interrupt", "invite", "manage"],
  };
}

/** A fragment of the message. */
export function delta(message: string, attempt: number, at: number, text: string): ServerFrame {
  return { type: "delta", session: SESSION, message, attempt, at, text };
}
