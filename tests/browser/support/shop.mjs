// A shop whose nodes an agent can restart, by a tool of an MCP server.
import { join } from "node:path";

/** What was really sent to it, in the folder of the server. */
export const CALLS = "calls.txt";

/** The setting that lets the server start it. */
export function shop(folder) {
  const program = new URL("mcp.mjs", import.meta.url).pathname;
  const args = JSON.stringify([program, join(folder, CALLS)]);
  return `[tools.mcp.shop]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${args}\n`;
}
