// A team whose agent asks before each call to the shop, of which those for the night are of low risk.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shop } from "./shop.mjs";

/** The shop, and its team. */
export function nightShift(folder) {
  const team = [
    'name = "night"',
    'title = "Night shift"',
    'flow = "react"',
    "[[agents]]",
    'id = "Keeper"',
    'name = "Keeper"',
    'role = "worker"',
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
  mkdirSync(join(folder, "teams"));
  writeFileSync(join(folder, "teams", "night.toml"), team.join("\n"));
  return `${shop(folder)}[teams]\nfolder = "teams"\n`;
}

/** Text that lets the agent restart these nodes, all in one turn. */
export function restart(...nodes) {
  return ["Do it", ...nodes.map((node) => `/tool mcp_shop_restart {"node":"${node}"}`)].join("\n");
}
