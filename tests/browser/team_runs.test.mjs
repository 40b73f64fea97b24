// A running topology: its states, its agents, and the links between graph, tree and conversation.
import assert from "node:assert/strict";
import { browser, setStage, test } from "./support/stage.mjs";
import { anotherOf, begin, button, nothingWrong, reads, signedIn, until } from "./support/steps.mjs";
import { agentTurns, incident } from "./support/topology.mjs";

let ann, turnOf, answer;
setStage({
  each: true,
  config: incident,
  async prepare() {
    ({ turnOf, answer } = agentTurns());
    ann = await signedIn();
  },
});

const graphNode = (page, id) => page.locator(`.graph-node[data-node="${id}"]`);
/** Selects a node by its name: its agents below the name select themselves. */
const openNode = (page, id) => graphNode(page, id).locator(".graph-node-name").click();
/** The chip of an agent in the graph. */
const chip = (page, node, id) => graphNode(page, node).locator(`[data-agent-key$="${id}"]`);
const state = (page, id, is) => page.locator(`.graph-node[data-node="${id}"][data-state="${is}"]`).waitFor();
const agent = (page, id) => page.locator(`[data-agent="${id}"]`);

test("the states of nodes advance along the edges, and a node shows its agents' text, time and cost", async () => {
  const address = await begin(ann, "The shop is slow", { team: "Incident team" });
  await ann.goto(`${address}/graph`);
  await state(ann, "web", "not_started");
  await answer({ "Incident lead": "We look at the shop first." });
  await state(ann, "global-supervisor", "in_progress");
  await state(ann, "web", "in_progress");
  await nothingWrong(ann);

  const first = await turnOf("Log reader");
  const second = await turnOf("Trace reader");
  first.write("I read the lo");
  // The agents in the node show who works, and the message while it is being written.
  await chip(ann, "web", "web/logs").getByText("I read the lo").waitFor();
  assert.deepEqual(
    await graphNode(ann, "web")
      .locator(".agent-chip")
      .evaluateAll((chips) => chips.map(({ dataset }) => dataset.state)),
    ["in_progress", "in_progress", "not_started"],
  );
  await nothingWrong(ann);
  await openNode(ann, "web");
  await ann.locator(".node-details").getByText("I read the lo").waitFor();
  first.end("gs: **the pool is empty**.");
  second.end("Traces are fine.");
  await agent(ann, "web/logs").getByText("the pool is empty").waitFor();
  await agent(ann, "web/traces").getByText("Traces are fine.").waitFor();
  await nothingWrong(ann);

  // One agent alone, selected with the keyboard.
  await graphNode(ann, "web").locator('.agent-chip[data-state="completed"]').nth(1).waitFor();
  await chip(ann, "web", "web/logs").focus();
  for (const key of ["ArrowDown", "Enter"]) await ann.keyboard.press(key);
  await ann.locator(".node-details h2", { hasText: "Trace reader" }).waitFor();
  assert.equal(await ann.locator(".node-details [data-agent]").count(), 1);
  assert.match(await agent(ann, "web/traces").locator(".base-facts").nth(1).textContent(), /\$/);
  assert.equal(await chip(ann, "web", "web/traces").getAttribute("aria-pressed"), "true");
  await nothingWrong(ann);
  await button(ann, "All of Web shop").click();
  await agent(ann, "web/logs").waitFor();

  await answer({ "Web lead": "The shop waits for connections." });
  await state(ann, "web", "completed");
  await state(ann, "db", "in_progress");
  await ann.locator(".react-flow__edge.calls.active").waitFor({ state: "attached" });
  await ann.locator('.live-head [data-done="1"]').waitFor();
  // Reduced motion is requested, so the color shows it.
  assert.equal(await ann.locator(".react-flow__edge.animated").count(), 0);

  await answer({ "Lock reader": "No locks.", "Database lead": "The database is fine." });
  await state(ann, "db", "completed");
  await answer({ "Incident lead": "Enlarge the pool." });
  await state(ann, "global-supervisor", "completed");
  assert.equal(await ann.locator(".react-flow__edge.active").count(), 0);
  await openNode(ann, "db");
  assert.match(await agent(ann, "db/locks").locator(".base-facts").first().textContent(), /\$/);

  // From a message to its place in the conversation, and back with a key.
  await agent(ann, "db/locks").getByRole("button", { name: "Show in the conversation" }).click();
  await reads(ann, "Enlarge the pool.");
  assert.equal(new URL(ann.url()).pathname, new URL(address).pathname);
  await ann.keyboard.press("Alt+g");
  await state(ann, "db", "completed");
  await button(ann, "Conversation").click();
  await reads(ann, "The shop is slow");
});

test("without reduced motion, the edge is animated", async () => {
  const mover = await anotherOf(ann, { reducedMotion: "no-preference" });
  const address = await begin(ann, "The shop is slow", { team: "Incident team" });
  await mover.goto(`${address}/graph`);
  await answer({
    "Incident lead": "We look.",
    "Log reader": "Logs.",
    "Trace reader": "Traces.",
    "Web lead": "The shop waits.",
  });
  await mover.locator(".react-flow__edge.calls.animated").waitFor({ state: "attached" });
});

test("a phone and the keyboard get the same run as a tree", async () => {
  const address = await begin(ann, "The shop is slow", { team: "Incident team" });
  const phone = await anotherOf(ann, { viewport: { width: 390, height: 780 }, hasTouch: true });
  await phone.goto(`${address}/graph`);
  const part = (id) => phone.locator(`[data-part^="${id}"]`).first();
  await answer({ "Incident lead": "We look.", "Log reader": "Logs.", "Trace reader": "Traces." });
  await part("web").getByText("working").waitFor();
  await nothingWrong(phone);
  await part("web\\a web/traces").getByText("done").waitFor();
  await part("web").tap();
  await agent(phone, "web/logs").waitFor();
  await nothingWrong(phone);
  await button(phone, "Close the details").tap();
  await part("web\\a web/traces").tap();
  await agent(phone, "web/traces").getByText("Traces.").waitFor();
  assert.equal(await agent(phone, "web/logs").count(), 0);
  await button(phone, "Close the details").tap();
  await answer({ "Web lead": "The shop waits." });
  await part("web").getByText("done").waitFor();

  await ann.goto(`${address}/graph`);
  await ann.getByText("Tree", { exact: true }).click();
  await ann.locator('[data-part="global-supervisor"]').focus();
  for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await ann.keyboard.press(key);
  await until(ann, () => document.querySelector(".node-details h2"));
  await nothingWrong(ann);
  assert.deepEqual(browser.wrong(), []);
});
