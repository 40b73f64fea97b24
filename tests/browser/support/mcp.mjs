// A server of the Model Context Protocol with one tool that changes something. It writes each call, as it came, into the
// file that it is given, so that a test can see what was really sent.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const restart = {
  name: "restart",
  description: "Restarts a node of the shop",
  inputSchema: {
    type: "object",
    properties: {
      node: { type: "string", title: "Node", description: "Which node is restarted" },
      gently: { type: "boolean", title: "Gently" },
      ticket: { type: "integer", title: "Ticket" },
      note: { type: "string", title: "Note" },
    },
    required: ["node"],
  },
};

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "shop", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools: [restart] }),
  "tools/call": ({ arguments: given }) => ({ content: [{ type: "text", text: `restarted ${given.node}` }] }),
  ping: () => ({}),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "tools/call") appendFileSync(process.argv[2], `${line}\n`);
  if (id === undefined) continue;
  // A node that is never done, so that a call can be stopped while it is under way.
  if (params?.arguments?.node === "endless") continue;
  const result = answers[method]?.(params ?? {});
  const answer = result ? { result } : { error: { code: -32601, message: `no ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
}
