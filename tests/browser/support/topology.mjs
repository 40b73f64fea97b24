// Documents of teams, and REST requests about them as the page's own user.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { model as hand } from "./stage.mjs";

const model = { model_provider: "demo", model_id: "demo" };

/** A node with this number of agents. */
export function node(id, name, { agents = 1, type = "service", strategy = "round_robin" } = {}) {
  return {
    node_id: id,
    node_name: name,
    node_type: type,
    attributes: { region: "eu" },
    agents: Array.from({ length: agents }, (_, i) => ({
      agent_id: `agent-${i + 1}`,
      agent_name: `${name} ${i + 1}`,
      ...model,
      system_prompt: `You look after the ${name}.`,
      user_prompt_template: "{task} ({node.region})",
      tools: [],
    })),
    supervisor_config: {
      ...model,
      system_prompt: `You lead the ${name}.`,
      coordination_strategy: strategy,
    },
  };
}

/** A relation between two nodes. */
export function edge(source, target, relation = "calls") {
  return { source_node_id: source, target_node_id: target, relation_type: relation };
}

/** A team with a gateway, a service and a database. */
export function shopTeam(name = "Slow checkout") {
  return {
    team_name: name,
    description: "Finds out why checkouts are slow",
    topology: {
      nodes: [
        node("gateway", "API gateway", { type: "gateway" }),
        node("orders", "Order service", { agents: 2 }),
        node("db", "Database", { type: "database" }),
      ],
      edges: [edge("gateway", "orders"), edge("orders", "db", "depends_on")],
      global_supervisor: {
        ...model,
        system_prompt: "You lead all of them.",
        coordination_strategy: "hierarchical",
      },
    },
  };
}

/** A team of two nodes whose agents use the model that the test controls. The task of the first one needs a host. */
export function incidentTeam(name = "Incident") {
  const byHand = { model_provider: "hand", model_id: "by-hand" };
  const lead = (name, coordination_strategy) => ({
    ...byHand,
    system_prompt: `You are ${name}.`,
    coordination_strategy,
  });
  const part = (id, name, type, agent, template) => ({
    node_id: id,
    node_name: name,
    node_type: type,
    agents: [
      {
        ...byHand,
        agent_id: agent.toLowerCase().replace(" ", "-"),
        agent_name: agent,
        system_prompt: `You are ${agent}.`,
        user_prompt_template: template,
      },
    ],
    supervisor_config: lead(`${name} lead`, "round_robin"),
  });
  return {
    team_name: name,
    topology: {
      nodes: [
        part("web", "Web shop", "service", "Log reader", "On {context.host}: {task}"),
        part("db", "Database", "database", "Lock reader", "{task}"),
      ],
      edges: [edge("web", "db")],
      global_supervisor: lead("Incident lead", "hierarchical"),
    },
  };
}

/** The turns of the agents, which arrive in any order, by agent name. */
export function agentTurns() {
  const early = [];
  const turnOf = async (name) => {
    for (;;) {
      const at = early.findIndex((turn) => turn.asked.includes(`You are ${name.trim()}.`));
      if (at >= 0) return early.splice(at, 1)[0];
      early.push(await hand.turn());
    }
  };
  /** Answers one turn of each of these agents, in this order. */
  const answer = async (texts) => {
    for (const [name, text] of Object.entries(texts)) (await turnOf(name)).end(text);
  };
  return { turnOf, answer };
}

/** Sends a request from the page to the team routes. Returns the response with its status. */
export function ask(page, method, path, body, headers = {}) {
  return page.evaluate(
    async ({ method, path, body, headers }) => {
      const response = await fetch(`/api/v1${path}`, {
        method,
        headers: { "content-type": "application/json", ...headers },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      return { status: response.status, body: await response.json().catch(() => null) };
    },
    { method, path, body, headers },
  );
}

/** Creates a team and returns its id. */
export async function makeTeam(page, document = shopTeam()) {
  const { status, body } = await ask(page, "POST", "/teams", document);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.team_id;
}

/** The setting of a team file with a topology of two nodes, with which sessions can begin. */
export function incident(folder) {
  const agent = (id, name, role, node) =>
    [
      "[[agents]]",
      `id = "${id}"`,
      `name = "${name}"`,
      `role = "${role}"`,
      ...(node ? [`node = "${node}"`] : []),
      `prompt = "You are ${name}."`,
    ].join("\n");
  const team = [
    'name = "incident"',
    'title = "Incident team"',
    'flow = "topology"',
    'language = "en"',
    "[topology]",
    'strategy = "hierarchical"',
    "[[topology.nodes]]",
    'id = "web"\nname = "Web shop"\ntype = "service"',
    "[[topology.nodes]]",
    'id = "db"\nname = "Database"\ntype = "database"',
    "[[topology.edges]]",
    'source = "web"\ntarget = "db"\nrelation = "calls"',
    agent("web/logs", "Log reader", "worker", "web"),
    agent("web/traces", "Trace reader", "worker", "web"),
    agent("web-supervisor", "Web lead", "supervisor", "web"),
    agent("db/locks", "Lock reader", "worker", "db"),
    agent("db-supervisor", "Database lead", "supervisor", "db"),
    agent("global-supervisor", "Incident lead", "supervisor"),
    "",
  ];
  mkdirSync(join(folder, "teams"));
  writeFileSync(join(folder, "teams", "incident.toml"), team.join("\n"));
  return '[teams]\nfolder = "teams"\n';
}
