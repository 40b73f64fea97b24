// An MCP server with one tool that changes something. It writes each call, as received, to the file that it is given,
// so that a test can see what was really sent.
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

// Before the node "clerk" is restarted, a person must say when; the waiting calls by the id of the question.
const asking = new Map();
const when = { type: "object", properties: { day: { type: "string", title: "Day" } }, required: ["day"] };
const write = (frame) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...frame })}\n`);

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result: answered } = JSON.parse(line);
  if (method === "tools/call") appendFileSync(process.argv[2], `${line}\n`);
  if (id === undefined) continue;
  if (!method) {
    const text = `on ${answered?.content?.day ?? "no day"}, ${answered?.action}`;
    write({ id: asking.get(id), result: { content: [{ type: "text", text }] } });
    continue;
  }
  if (params?.arguments?.node === "vault") {
    asking.set(`q${id}`, id);
    const page = { mode: "url", url: "https://vault.example.org/connect?id=1", elicitationId: "e1" };
    write({
      id: `q${id}`,
      method: "elicitation/create",
      params: { ...page, message: "Sign in to the vault" },
    });
    continue;
  }
  if (params?.arguments?.node === "clerk") {
    const { progressToken } = params._meta;
    const done = { progressToken, progress: 1, total: 4, message: "looked at the shop" };
    write({ method: "notifications/progress", params: done });
    asking.set(`q${id}`, id);
    const asked = { message: "When shall it be restarted?", requestedSchema: when };
    write({ id: `q${id}`, method: "elicitation/create", params: asked });
    continue;
  }
  // A node that never finishes, so that a running call can be stopped.
  if (params?.arguments?.node === "endless") continue;
  const result = answers[method]?.(params ?? {});
  const answer = result ? { result } : { error: { code: -32601, message: `no ${method}` } };
  write({ id, ...answer });
}
