// A shop whose nodes an agent can restart, through a tool of an MCP server.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The file in the server's folder with the calls that were really sent. */
export const CALLS = "calls.txt";

/** The setting that makes the server start it. */
export function shop(folder) {
  const program = new URL("mcp.mjs", import.meta.url).pathname;
  const args = JSON.stringify([program, join(folder, CALLS)]);
  return `[tools.mcp.shop]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${args}\n`;
}

/** The same, and a team whose agent may restart every node but one if people allow it. */
export function keeper(folder) {
  const team = [
    'name = "keeper"',
    'title = "Shop keeper"',
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
    `arguments = '*"node":"main"*'`,
    'permission = "deny"',
    "",
  ];
  mkdirSync(join(folder, "teams"));
  writeFileSync(join(folder, "teams", "keeper.toml"), team.join("\n"));
  return `${shop(folder)}[teams]\nfolder = "teams"\n`;
}
