import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { browser, server, setStage, test } from "./support/stage.mjs";
import { anotherOf, button, connected, member, nothingWrong, signedIn, until } from "./support/steps.mjs";
import { ask, makeTeam, node, shopTeam } from "./support/topology.mjs";

let ann;
setStage({
  each: true,
  demo: {},
  async prepare() {
    ann = await signedIn();
  },
});

const graphNode = (page, id) => page.locator(`.graph-node[data-node="${id}"]`);
/** Selects a node by its name: its agents below the name select themselves. */
const openNode = (page, id) => graphNode(page, id).locator(".graph-node-name").click();
const chip = (page, key) => page.locator(`[data-agent-key=${JSON.stringify(key)}]`);
const part = (page, pointer) => page.locator(`[data-part="${pointer}"]`);
const field = (page, name) => page.locator(`.part-form [data-field="${name}"]`).first();
const input = (page, name) => field(page, name).locator("input, textarea, select").first();
const errors = (page, count) => page.locator(`[data-errors="${count}"]`).waitFor();
const saved = (page) => page.getByRole("button", { name: "Saved", exact: true });
const row = (page, name) => page.locator(`[data-team="${name}"]`);

/** Opens a stored team. */
async function open(page, id) {
  await page.goto(`${server.url}/teams/${id}`);
  await page.locator(".team-editor").waitFor();
}

/** The latest document of a team. */
async function stored(id) {
  return (await ask(ann, "GET", `/teams/${id}/export?format=json`)).body;
}

test("a team is drawn, validated while it is edited, saved, found in the list, and deleted", async () => {
  await ann.keyboard.press("Alt+m");
  await ann.getByRole("heading", { name: "Teams", exact: true }).waitFor();
  await nothingWrong(ann);
  await ann.getByRole("link", { name: "New team" }).first().click();
  await graphNode(ann, "node-1").waitFor();
  // The prompts are still empty.
  await until(ann, () => Number(document.querySelector("[data-errors]")?.dataset.errors) >= 3);
  await nothingWrong(ann);
  await button(ann, "Go to the first").click();

  await button(ann, "Add node").click();
  await openNode(ann, "node-2");
  await input(ann, "node_name").fill("Archive");
  await button(ann, "Add edge from here").click();
  await input(ann, "relation_type").selectOption("depends_on");
  await ann.locator(".react-flow__edge.depends_on").waitFor({ state: "attached" });

  // Each missing prompt is reported in its own place, until no errors are left.
  for (let left = 12; (await ann.locator('[data-errors="0"]').count()) === 0; left--) {
    assert.ok(left > 0, "it does not become valid");
    const count = await ann.locator("[data-errors]").getAttribute("data-errors");
    await button(ann, "Go to the first").click();
    await ann.locator(".part-form .form-field.wrong :is(input, textarea)").first().fill("You help.");
    await until(
      ann,
      (before) => !["", before].includes(document.querySelector("[data-errors]")?.dataset.errors),
      count,
    );
  }
  await openNode(ann, "global-supervisor");
  await ann.locator(".react-flow__pane").click({ position: { x: 8, y: 8 } });
  await input(ann, "team_name").fill("Night watch");
  await errors(ann, 0);
  await ann.keyboard.press("Control+s");
  await ann.waitForURL(/\/teams\/[0-9a-f-]{36}$/);
  await ann.getByRole("heading", { name: "Night watch" }).waitFor();
  const { topology } = await stored(ann.url().split("/").pop());
  assert.deepEqual(
    topology.nodes.map((node) => node.node_name),
    ["node-1", "Archive"],
  );
  assert.equal(topology.edges[0].relation_type, "depends_on");

  await ann.goto(`${server.url}/teams`);
  await row(ann, "Night watch").locator('[data-status="active"]').waitFor();
  await ann.getByRole("searchbox", { name: "Search teams" }).fill("nothing like it");
  await ann.getByText("No team matches.").waitFor();
  await ann.getByRole("searchbox", { name: "Search teams" }).fill("night");
  await button(row(ann, "Night watch"), "Delete Night watch").click();
  await button(ann.getByRole("dialog"), "Delete it").click();
  await row(ann, "Night watch").waitFor({ state: "detached" });
});

test("an error is marked on the graph and in the form, and undo removes it", async () => {
  const id = await makeTeam(ann);
  await open(ann, id);
  await errors(ann, 0);
  await openNode(ann, "orders");
  await button(ann.locator(".part-agents"), "Order service 2").click();
  await input(ann, "model_id").fill("nobody-1");
  await errors(ann, 1);
  await graphNode(ann, "orders").locator(".graph-node-errors", { hasText: "1 error" }).waitFor();
  assert.equal(await input(ann, "model_id").getAttribute("aria-invalid"), "true");
  await field(ann, "model_id").locator("[data-pointer]").waitFor();
  await nothingWrong(ann);

  // The button leads back to it from anywhere.
  await openNode(ann, "db");
  await button(ann, "Go to the first").click();
  await input(ann, "model_id").waitFor();
  assert.equal(await input(ann, "model_id").inputValue(), "nobody-1");
  await ann.keyboard.press("Control+z");
  await errors(ann, 0);
  await ann.keyboard.press("Control+Shift+z");
  await errors(ann, 1);
  await ann.keyboard.press("Control+z");
  await errors(ann, 0);
  assert.equal(await saved(ann).count(), 1);
});

test("agents inside a node select themselves, show their order and errors, and can be removed", async () => {
  const team = shopTeam();
  const orders = team.topology.nodes[1];
  Object.assign(orders, node("orders", "Order service", { agents: 20, strategy: "priority" }));
  orders.agents[17].priority = 9;
  const id = await makeTeam(ann, team);
  await open(ann, id);
  const agent = (at) => chip(ann, `/topology/nodes/1/agents/${at}`);
  const names = () => graphNode(ann, "orders").locator(".agent-chip-name").allTextContents();
  await graphNode(ann, "orders").getByText("+14 more").waitFor();
  assert.deepEqual(
    await names(),
    [18, 1, 2, 3, 4, 5].map((n) => `Order service ${n}`),
  );
  assert.match(await agent(17).getAttribute("title"), /service 18, number 1 in order, priority 9,/);
  await nothingWrong(ann);

  await agent(1).click();
  await ann.getByRole("heading", { name: "Order service 2", exact: true }).waitFor();
  assert.equal(await agent(1).getAttribute("aria-pressed"), "true");
  // From the node to its agents, between them, and to the form, with the keyboard alone.
  await ann.locator('.react-flow__node[data-id="/topology/nodes/1"]').focus();
  for (const key of ["Tab", "End", "ArrowUp", "Enter"]) await ann.keyboard.press(key);
  await ann.getByRole("heading", { name: "Order service 4", exact: true }).waitFor();
  await nothingWrong(ann);

  // An agent with an error is shown, wherever it is in the list.
  await openNode(ann, "orders");
  await button(ann.locator(".part-agents"), "Order service 12").click();
  await input(ann, "model_id").fill("nobody-1");
  await agent(11).locator(".agent-chip-errors").getByText("1 error").waitFor();
  await openNode(ann, "db");
  await agent(11).locator(".agent-chip-errors").getByText("1 error").waitFor();
  await agent(11).focus();
  await ann.keyboard.press("Delete");
  await errors(ann, 0);
  await graphNode(ann, "orders").getByText("+13 more").waitFor();
  assert.equal((await names()).includes("Order service 12"), false);
});

test("an edge is drawn with the pointer, and a node is removed with its edges", async () => {
  const id = await makeTeam(ann);
  await open(ann, id);
  await graphNode(ann, "gateway").waitFor();
  const at = async (node, side) => {
    const box = await graphNode(ann, node).boundingBox();
    return [box.x + box.width / 2, side === "top" ? box.y : box.y + box.height];
  };
  await ann.mouse.move(...(await at("gateway", "bottom")));
  await ann.mouse.down();
  await ann.mouse.move(...(await at("db", "top")), { steps: 8 });
  await ann.mouse.up();
  await ann.locator(".react-flow__edge").nth(3).waitFor({ state: "attached" });
  assert.deepEqual(
    [await input(ann, "source_node_id").inputValue(), await input(ann, "target_node_id").inputValue()],
    ["gateway", "db"],
  );
  await openNode(ann, "orders");
  await ann.keyboard.press("Delete");
  await graphNode(ann, "orders").waitFor({ state: "detached" });
  await ann.keyboard.press("Control+s");
  await saved(ann).waitFor();
  const { topology } = await stored(id);
  assert.deepEqual(
    topology.edges.map(({ source_node_id, target_node_id }) => [source_node_id, target_node_id]),
    [["gateway", "db"]],
  );
});

test("the tree does everything with the keyboard alone", async () => {
  const id = await makeTeam(ann);
  await open(ann, id);
  await ann.getByText("Tree", { exact: true }).click();
  await part(ann, "").focus();
  await nothingWrong(ann);
  for (const key of ["ArrowDown", "ArrowDown", "ArrowRight", "Enter"]) await ann.keyboard.press(key);
  await ann.getByRole("heading", { name: "API gateway 1" }).waitFor();
  assert.equal(await part(ann, "/topology/nodes/0/agents/0").getAttribute("aria-selected"), "true");
  await ann.keyboard.press("ArrowLeft");
  await ann.keyboard.press("ArrowLeft");
  assert.equal(await part(ann, "/topology/nodes/0/agents/0").count(), 0);
  await ann.keyboard.press("End");
  await ann.keyboard.press("Delete");
  assert.equal(await part(ann, "/topology/edges/1").count(), 0);
  await ann.keyboard.press("Alt+a");
  await ann.getByRole("heading", { name: "node-4" }).waitFor();
  await ann.keyboard.press("Control+z");
  await ann.keyboard.press("Control+z");
  await part(ann, "/topology/edges/1").waitFor();
});

test("a newer version by somebody else does not discard local edits", async () => {
  const id = await makeTeam(ann);
  await open(ann, id);
  const other = await anotherOf(ann);
  await open(other, id);
  await input(other, "description").fill("Theirs");
  await other.keyboard.press("Control+s");
  await saved(other).waitFor();

  await input(ann, "description").fill("Mine");
  await ann.keyboard.press("Control+s");
  await ann.getByText("Someone else saved this team").waitFor();
  await nothingWrong(ann);
  assert.equal((await stored(id)).description, "Theirs");
  await button(ann, "Replace the saved version").click();
  await saved(ann).waitFor();
  assert.equal((await stored(id)).description, "Mine");

  await input(other, "description").fill("Theirs again");
  await other.keyboard.press("Control+s");
  await button(other, "Save mine as a copy").click();
  await other.getByRole("heading", { name: "Slow checkout (copy)" }).waitFor();
  assert.equal((await stored(other.url().split("/").pop())).description, "Theirs again");

  // Unsaved changes survive a reload, and can be discarded.
  await input(ann, "description").fill("Not yet");
  await until(ann, (key) => localStorage.getItem(key)?.includes("Not yet"), `roundtable.team.${id}`);
  await ann.reload();
  await ann.getByText("Your unsaved changes").waitFor();
  assert.equal(await input(ann, "description").inputValue(), "Not yet");
  await button(ann, "Discard them").click();
  assert.equal(await input(ann, "description").inputValue(), "Mine");
});

test("a team is exported as a file and imported again, in both formats, and cloned", async () => {
  await makeTeam(ann);
  await ann.goto(`${server.url}/teams`);
  for (const format of ["JSON", "TOML"]) {
    await button(row(ann, "Slow checkout").first(), "Export Slow checkout").click();
    const dialog = ann.getByRole("dialog");
    await dialog.getByText(format, { exact: true }).click();
    const [download] = await Promise.all([ann.waitForEvent("download"), button(dialog, "Download").click()]);
    const text = await readFile(await download.path());
    assert.match(text.toString(), /You lead the Database\./);
    const name = `team.${format.toLowerCase()}`;
    const file = { name, mimeType: "application/octet-stream", buffer: text };
    await ann.locator('input[type="file"]').setInputFiles(file);
    await ann.waitForURL(/\/teams\/[0-9a-f-]{36}$/);
    await errors(ann, 0);
    await ann.goto(`${server.url}/teams`);
    await row(ann, "Slow checkout")
      .nth(format === "JSON" ? 1 : 2)
      .waitFor();
  }
  await button(row(ann, "Slow checkout").first(), "Clone Slow checkout").click();
  await ann.getByRole("heading", { name: "Slow checkout (copy)" }).waitFor();
  await ann.goto(`${server.url}/teams`);
  const wrong = { name: "wrong.toml", mimeType: "text/plain", buffer: Buffer.from("flow = 3") };
  await ann.locator('input[type="file"]').setInputFiles(wrong);
  await ann.getByRole("alert").waitFor();
});

test("a member sees shared teams, and can change them only with the right to", async () => {
  const id = await makeTeam(ann);
  const bob = await member("Bob");
  await bob.goto(`${server.url}/teams`);
  await bob.getByText("No teams yet").waitFor();
  const { body } = await ask(bob, "GET", "/me");

  await open(ann, id);
  await button(ann, "Share Slow checkout").click();
  const dialog = ann.getByRole("dialog");
  await dialog.locator('[name="participant"]').fill(body.you.id);
  await dialog.locator("form select").first().selectOption("read");
  await button(dialog, "Share").click();
  await dialog.getByText("Bob", { exact: true }).waitFor();
  await nothingWrong(ann);

  await bob.reload();
  await row(bob, "Slow checkout").getByRole("link").click();
  await bob.getByText("You can read this team, but not change it.").waitFor();
  await openNode(bob, "db");
  assert.equal(await input(bob, "node_name").isEditable(), false);
  assert.equal(await button(bob, "Run").count(), 0);
  await nothingWrong(bob);

  await dialog.getByLabel("Right of Bob").selectOption("edit");
  await until(ann, () => !document.querySelector("dialog select[aria-label]")?.disabled);
  await bob.reload();
  await openNode(bob, "db");
  await input(bob, "node_name").fill("Store");
  await bob.keyboard.press("Control+s");
  await saved(bob).waitFor();
  assert.equal((await stored(id)).topology.nodes[2].node_name, "Store");
});

test("the owner of a team switches it off and on", async () => {
  await makeTeam(ann);
  await ann.goto(`${server.url}/teams`);
  await button(row(ann, "Slow checkout"), "Deactivate Slow checkout").click();
  await row(ann, "Slow checkout").locator('[data-status="inactive"]').waitFor();
  await ann.getByLabel("Status").selectOption("active");
  await ann.getByText("No team matches.").waitFor();
  await ann.getByLabel("Status").selectOption("inactive");
  await button(row(ann, "Slow checkout"), "Activate Slow checkout").click();
  await ann.getByText("No team matches.").waitFor();
});

test("a phone shows the tree, without the graph and its library", async () => {
  const id = await makeTeam(ann, shopTeam("下单缓慢"));
  const phone = await anotherOf(ann, {
    viewport: { width: 390, height: 780 },
    hasTouch: true,
    locale: "zh-CN",
  });
  const loaded = [];
  phone.on("request", (request) => loaded.push(request.url()));
  await phone.goto(`${server.url}/teams/${id}`);
  await connected(phone);
  await part(phone, "/topology/nodes/1").waitFor();
  await part(phone, "/topology/nodes/1").tap();
  await input(phone, "node_name").fill("订单服务");
  await nothingWrong(phone);
  await phone.getByRole("button", { name: "所有部分" }).tap();
  await part(phone, "/topology/nodes/1").getByText("订单服务").waitFor();
  await phone.getByRole("button", { name: "保存" }).tap();
  await phone.getByRole("button", { name: "已保存" }).waitFor();
  assert.deepEqual(
    loaded.filter((url) => url.includes("TopologyGraph")),
    [],
  );
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  await nothingWrong(phone);
  assert.equal((await stored(id)).topology.nodes[1].node_name, "订单服务");
  assert.deepEqual(browser.wrong(), []);
});
