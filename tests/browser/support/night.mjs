// Teams whose agent asks before each call to the shop. Calls for the night nodes are of low risk.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shop } from "./shop.mjs";

/** The agent that runs the shop, in a role of its team's flow. */
const keeper = (role) => [
  "[[agents]]",
  'id = "Keeper"',
  'name = "Keeper"',
  `role = "${role}"`,
  'title = "Keeps the shop"',
  'tools = ["mcp_shop_*"]',
  'prompt = "You keep the shop."',
  "[[agents.permissions]]",
  'tool = "mcp_shop_restart"',
  `arguments = '*"node":"night*'`,
  'permission = "ask"',
  'risk = "low"',
  "",
];

/** Writes a team into the folder, and returns the configuration of the shop and the teams. */
function withTeam(folder, name, lines) {
  mkdirSync(join(folder, "teams"));
  writeFileSync(join(folder, "teams", `${name}.toml`), [`name = "${name}"`, ...lines].join("\n"));
  return `${shop(folder)}[teams]\nfolder = "teams"\n`;
}

/** The shop, and one agent. */
export function nightShift(folder) {
  return withTeam(folder, "night", ['title = "Night shift"', 'flow = "react"', ...keeper("worker")]);
}

/** The shop, and a team that works by a plan that people confirm. */
export function nightCrew(folder) {
  return withTeam(folder, "crew", [
    'title = "Night crew"',
    'flow = "brain"',
    "[[agents]]",
    'id = "Lead"',
    'name = "Lead"',
    'role = "planner"',
    'title = "Plans the night"',
    'prompt = "You plan the work of the shop."',
    ...keeper("executor"),
  ]);
}

/** Text that makes the agent restart these nodes, all in one turn. */
export function restart(...nodes) {
  return ["Do it", ...nodes.map((node) => `/tool mcp_shop_restart {"node":"${node}"}`)].join("\n");
}
