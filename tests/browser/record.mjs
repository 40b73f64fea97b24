// Records a real run for the client's own tests: the log, and snapshots that the server took meanwhile. Written to
// static/test/recorded/run.json. Run it again after a change of the wire protocol: `npm run record`.
import { mkdir, writeFile } from "node:fs/promises";
import { startModel } from "./support/model.mjs";
import { TIMEOUT_MS } from "./support/timeouts.mjs";
import { startServer } from "./support/server.mjs";

const target = new URL("../../static/test/recorded/run.json", import.meta.url);
const model = await startModel();
const server = await startServer({ model });

let cookie;
const call = async (method, path, body) => {
  const response = await fetch(server.url + path, {
    method,
    headers: { "content-type": "application/json", origin: server.url, ...(cookie ? { cookie } : {}) },
    body: body && JSON.stringify(body),
  });
  cookie ??= response.headers.get("set-cookie")?.split(";")[0];
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return response.json();
};

let session;
let commands = 0;
const command = (name, data, expect) =>
  call("POST", `/api/v1/sessions/${session}/commands`, { id: `c_${++commands}`, do: name, data, expect });
const snapshots = [];
const look = async () => {
  const { seq, state } = await call("GET", `/api/v1/sessions/${session}`);
  if (!snapshots.some((one) => one.seq === seq)) snapshots.push({ seq, state });
  return state;
};
/** Polls until the condition holds, because the server does not push over REST. */
const until = async (so) => {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const state = await look();
    if (so(state)) return state;
    if (Date.now() > deadline) throw new Error(`not so within ${TIMEOUT_MS / 1000} s: ${so}`);
    await new Promise((next) => setImmediate(next));
  }
};

try {
  await call("POST", "/api/v1/sign-in", { code: new URL(server.link).hash.slice(1) });
  ({ session } = await call("POST", "/api/v1/sessions", {
    team: "testcase-en",
    message: "Write cases for payments",
  }));
  const draft = await model.turn();
  await look();
  draft.write("# Cases\n\n1. ");
  await command("say", { text: "Mind refunds", mode: "queue" });
  await command("say", { text: "Use euros", mode: "steer" });
  await look();
  draft.end("Pay once");
  const review = await model.turn();
  await look();
  review.write("Well");
  await command("interrupt", { run: (await look()).run.id });
  await until((state) => state.gates.length > 0 || state.run.running.length > 0);
  let state = await look();
  while (state.gates.length === 0) {
    (await model.turn()).end("More.");
    state = await until((now) => now.gates.length > 0 || now.run.running.length > 0);
  }
  await command("say", { text: "@people a word between us" });
  const gate = state.gates[0];
  await command("vote", { gate: gate.id, choice: "reject", comment: "Shorter" }, { rev: gate.rev });
  await look();
  (await model.turn()).end("Short.");
  (await model.turn()).end("Good.");
  const second = (await until((now) => now.gates.length > 0)).gates[0];
  await command("vote", { gate: second.id, choice: "approve" }, { rev: second.rev });
  (await model.turn()).end("Final.");
  await until((now) => now.run.phase === "completed");
  const { events } = await call("GET", `/api/v1/sessions/${session}/log?after=0&limit=1000`);
  const text = JSON.stringify(
    { events, snapshots },
    (key, value) => (key === "prompt" && value.length > 200 ? "" : value),
    1,
  );
  await mkdir(new URL(".", target), { recursive: true });
  await writeFile(target, `${text}\n`);
  console.log(`${events.length} events, snapshots at ${snapshots.map(({ seq }) => seq).join(", ")}`);
} finally {
  model.close();
  await server.stop();
}
