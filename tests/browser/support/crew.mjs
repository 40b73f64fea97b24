// A team that people let work by a plan, and whose agent asks before each call to the shop.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shop } from "./shop.mjs";

/** The shop, and its team: a planner and one agent, whose calls for the night are of low risk. */
export function nightCrew(folder) {
  const team = [
    'name = "crew"',
    'title = "Night crew"',
    'flow = "brain"',
    "[[agents]]",
    'id = "Lead"',
    'name = "Lead"',
    'role = "planner"',
    'title = "Plans the night"',
    'prompt = "You plan the work of the shop."',
    "[[agents]]",
    'id = "Keeper"',
    'name = "Keeper"',
    'role = "executor"',
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
  writeFileSync(join(folder, "teams", "crew.toml"), team.join("\n"));
  return `${shop(folder)}[teams]\nfolder = "teams"\n`;
}
