import { expect, it } from "vitest";
import { emptySession, type SessionState } from "../../src/state/model";
import { errorsByPart } from "../../src/state/documentErrors";
import { liveNodes } from "../../src/state/nodeWork";
import type { TeamDocument } from "../../src/wire/teams";
import { teams as texts } from "../../src/i18n/teams.en";
import { keepUnchanged } from "../../src/ui/teams/graph/keepUnchanged";
import { liveNodeView, selectedPart, type LiveViewContext } from "../../src/ui/teams/liveViews";
import { nodeViews } from "../../src/ui/teams/partViews";

const agents = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    agent_id: `a${i}`,
    agent_name: `Agent ${i}`,
    model_id: "gpt",
    priority: i,
  }));

const document = {
  team_name: "T",
  topology: {
    nodes: [
      {
        node_id: "web",
        node_name: "Web",
        node_type: "service",
        agents: agents(20),
        supervisor_config: { coordination_strategy: "priority" },
      },
      { node_id: "db", node_name: "Database", node_type: "db", agents: agents(1), supervisor_config: {} },
    ],
    edges: [],
    global_supervisor: {},
  },
} as unknown as TeamDocument;

const wrong = errorsByPart([
  { pointer: "/topology/nodes/0/agents/2/model_id", code: "X", message: "unknown model" },
]);

it("shows the agents of a document in their order, with the selected one and those with errors", () => {
  const [, web, db] = nodeViews(document, wrong, texts, "/topology/nodes/0/agents/0");
  expect(web!.agents.map(({ name, place, errors }) => [name, place, errors])).toEqual([
    ["Agent 19", 1, 0],
    ["Agent 18", 2, 0],
    ["Agent 17", 3, 0],
    ["Agent 16", 4, 0],
    ["Agent 2", 18, 1],
    ["Agent 0", 20, 0],
  ]);
  expect([web!.more, web!.errors]).toEqual([14, 1]);
  expect(db!.agents).toMatchObject([{ key: "/topology/nodes/1/agents/0", place: null, detail: "gpt" }]);
  expect(db!.more).toBe(0);
});

/** A run of a team with this number of nodes, each with 20 agents. */
function running(count: number): SessionState {
  const ids = Array.from({ length: count }, (_, i) => `n${i}`);
  const team = {
    agents: ids.flatMap((node) =>
      Array.from({ length: 20 }, (_, i) => ({
        id: `${node}/${i}`,
        name: `${node} ${i}`,
        role: "worker",
        node,
      })),
    ),
    topology: { nodes: ids.map((id) => ({ id, name: id, type: "service" })) },
  };
  return { ...emptySession("s_1"), team: team as never };
}

const writing = (state: SessionState, agent: string, text: string): SessionState => ({
  ...state,
  streaming: { m_1: { message: "m_1", agent, text } as never },
});

const context: LiveViewContext = {
  texts,
  format: { duration: String } as never,
  formatCost: String,
  selected: null,
  focused: null,
};
const viewsOf = (state: SessionState, changes: Partial<LiveViewContext> = {}) =>
  liveNodes(state, 0).map((node) => {
    const view = liveNodeView(node, { ...context, ...changes });
    return { ...view, id: view.key };
  });

it("shows the agents at work, with the end of what they write", () => {
  const long = `${"word ".repeat(40)}**the end**`;
  const view = viewsOf(writing(running(2), "n1/17", long))[2]!;
  expect(view.agents.map(({ name }) => name)).toEqual(["n1 0", "n1 1", "n1 2", "n1 3", "n1 4", "n1 17"]);
  const { state, writing: end } = view.agents.at(-1)!;
  expect(state).toBe("in_progress");
  expect(end!.length).toBeLessThan(60);
  expect(end).toMatch(/word the end$/);
});

it("keeps the agent that has the focus", () => {
  const view = viewsOf(running(1), { focused: "n0\nn0/12" })[1]!;
  expect(view.agents.at(-1)!.name).toBe("n0 12");
});

it("finds the selected node, and the selected agent in it", () => {
  const nodes = liveNodes(running(2), 0);
  expect(selectedPart(nodes, "n1").agent).toBe(null);
  expect(selectedPart(nodes, "n1\nn1/3")).toMatchObject({
    node: { id: "n1" },
    agent: { agent: { name: "n1 3" } },
  });
  expect(selectedPart(nodes, null).node).toBe(null);
});

it("renders only the node whose agent writes, out of 100 nodes with 20 agents", () => {
  const before = viewsOf(writing(running(100), "n7/3", "One"));
  const kept = keepUnchanged(before, viewsOf(writing(running(100), "n7/3", "One two")));
  expect(kept.filter((view, i) => view !== before[i]).map(({ id }) => id)).toEqual(["n7"]);
  expect(keepUnchanged(before, viewsOf(writing(running(100), "n7/3", "One")))).toBe(before);
  expect(keepUnchanged(before, before.slice(1))).toHaveLength(100);
});
