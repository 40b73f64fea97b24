import { describe, expect, it } from "vitest";
import type { Agent, Message, Plan, Team } from "../../src/protocol";
import { emptySession, type SessionState } from "../../src/state/model";
import { countDoneNodes, GLOBAL_ID, liveNodes } from "../../src/state/nodeWork";
import { firstNodes, isActiveEdge, workOrder } from "../../src/state/graphEdges";
import type { WorkSpan } from "../../src/state/spans";

const agent = (id: string, node?: string, role = "worker") =>
  ({ id, name: id, role, prompt: "", ...(node ? { node } : {}) }) as unknown as Agent;

const team = {
  name: "t",
  title: "T",
  flow: "topology",
  agents: [
    agent("a/one", "a"),
    agent("a-supervisor", "a", "supervisor"),
    agent("b/one", "b"),
    agent("b-supervisor", "b", "supervisor"),
    agent("global-supervisor", undefined, "supervisor"),
  ],
  topology: {
    strategy: "sequential",
    nodes: [
      { id: "a", name: "Alpha", type: "service" },
      { id: "b", name: "Beta", type: "database", strategy: "adaptive" },
    ],
    edges: [{ source: "a", target: "b", relation: "calls" }],
  },
} as unknown as Team;

const span = (id: string, of: string, from: number, to?: number): WorkSpan => ({
  id,
  run: "r_1",
  kind: "turn",
  row: id,
  agent: of,
  label: "",
  from: new Date(from).toISOString(),
  to: to === undefined ? undefined : new Date(to).toISOString(),
  tokens: 0,
  cost: 0,
  estimated: false,
});

const message = (id: string, by: string, run = "r_1"): Message => ({
  id,
  at: "2026-01-01T00:00:00.000Z",
  by: { kind: "agent", id: by, name: by },
  text: id,
  run,
});

const session: SessionState = {
  ...emptySession("s_1"),
  team,
  run: {
    id: "r_1",
    flow: "topology",
    phase: "executing",
    startedAt: "2026-01-01T00:00:00.000Z",
    directedBy: [],
    interrupted: false,
    input: "m_1",
    plan: {
      items: [
        { action: "Alpha", state: "completed" },
        { action: "Beta", state: "in_progress", note: "second try" },
      ],
    } as Plan,
  },
  messages: [message("m_2", "a/one"), message("m_3", "a/one", "r_0"), message("m_4", "global-supervisor")],
  spans: [span("m_2", "a/one", 1000, 3000), span("m_5", "b/one", 3500)],
  usage: {
    byAgent: [
      { of: "a/one", turns: 1, input_tokens: 10, output_tokens: 5, cost_micros: 40, estimated: true },
      { of: "a-supervisor", turns: 1, input_tokens: 1, output_tokens: 1, cost_micros: 2, estimated: false },
    ],
    byParticipant: [],
    ofRun: { of: "r_1", turns: 2, input_tokens: 11, output_tokens: 6, cost_micros: 42, estimated: true },
  },
};

describe("a topology in a run", () => {
  const [global, a, b] = liveNodes(session, 5000);

  it("has the states of the plan's items", () => {
    expect([a!.state, b!.state]).toEqual(["completed", "in_progress"]);
    expect(b!.note).toBe("second try");
    expect(countDoneNodes([global!, a!, b!])).toBe(1);
  });

  it("has the global supervisor first, at work since its first message", () => {
    expect(global!.id).toBe(GLOBAL_ID);
    expect(global!.state).toBe("in_progress");
    expect(global!.strategy).toBe("sequential");
    const finished = { ...session, run: { ...session.run!, phase: "completed" as const } };
    expect(liveNodes(finished, 0)[0]!.state).toBe("completed");
  });

  it("shows the messages of this run only", () => {
    expect(a!.agents[0]!.messages.map((one) => one.id)).toEqual(["m_2"]);
    expect(a!.agents[1]!.supervisor).toBe(true);
  });

  it("sums cost and tokens of a node, and measures its time", () => {
    expect(a).toMatchObject({ cost: 42, tokens: 17, estimated: true, durationMs: 2000 });
    expect(b).toMatchObject({ cost: 0, durationMs: 1500, estimated: false });
  });

  it("has a state for each agent", () => {
    const states = (source: SessionState) =>
      liveNodes(source, 5000).map((node) => node.agents.map(({ state }) => state));
    // A node that ended without the work of one of its agents has skipped that agent.
    expect(states(session)).toEqual([
      ["not_started"],
      ["completed", "skipped"],
      ["in_progress", "not_started"],
    ]);
    const failed = { ...span("m_5", "b/one", 3500, 4000), outcome: "failed" as const };
    expect(states({ ...session, spans: [failed] })[2]).toEqual(["blocked", "not_started"]);
    const stopped = { ...failed, outcome: "stopped" as const };
    expect(states({ ...session, spans: [stopped] })[2]).toEqual(["not_started", "not_started"]);
    const items = [
      { action: "Alpha", state: "completed" },
      { action: "Beta", state: "blocked" },
    ];
    const run = { ...session.run!, plan: { items } as Plan };
    expect(states({ ...session, run, spans: [stopped] })[2]).toEqual(["blocked", "skipped"]);
    const streaming = { m_6: { message: "m_6", agent: "b-supervisor", text: "So" } };
    expect(states({ ...session, streaming: streaming as never })[2]).toEqual(["in_progress", "in_progress"]);
  });

  it("is empty for a team without a topology", () => {
    expect(liveNodes({ ...session, team: { ...team, topology: undefined } as Team }, 0)).toEqual([]);
  });
});

describe("an edge", () => {
  const edge = (relation: string) => ({ source: "a", target: "b", relation });
  const states = { a: "completed", b: "in_progress" } as const;
  const stateOf = (id: string) => states[id as "a" | "b"];

  it("orders nodes by its relation", () => {
    expect(workOrder(edge("calls"))).toEqual(["a", "b"]);
    expect(workOrder(edge("data_flow"))).toEqual(["a", "b"]);
    expect(workOrder(edge("depends_on"))).toEqual(["b", "a"]);
    expect(workOrder(edge("monitors"))).toBeNull();
  });

  it("is active while work passes along it", () => {
    expect(isActiveEdge(edge("calls"), stateOf)).toBe(true);
    expect(isActiveEdge(edge("depends_on"), stateOf)).toBe(false);
    expect(isActiveEdge(edge("monitors"), stateOf)).toBe(true);
    expect(isActiveEdge(edge("calls"), () => "completed")).toBe(false);
  });

  it("knows which nodes come first, even in a cycle", () => {
    expect(firstNodes(["a", "b"], [edge("calls")])).toEqual(["a"]);
    expect(firstNodes(["a", "b"], [edge("depends_on")])).toEqual(["b"]);
    expect(firstNodes(["a", "b"], [edge("calls"), edge("depends_on")])).toEqual(["a"]);
  });
});
