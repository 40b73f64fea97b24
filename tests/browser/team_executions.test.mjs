// Executions of stored teams: from the button to the result, the comparison, structured output, and the end of the team.
import assert from "node:assert/strict";
import { browser, server, setStage, test } from "./support/stage.mjs";
import { anotherOf, button, connected, member, nothingWrong, signedIn, until } from "./support/steps.mjs";
import { agentTurns, ask, incidentTeam, makeTeam } from "./support/topology.mjs";

let ann, team, turnOf, answer;
setStage({
  each: true,
  async prepare() {
    ({ turnOf, answer } = agentTurns());
    ann = await signedIn();
    team = await makeTeam(ann, incidentTeam());
  },
});

const status = (page, is) => page.locator(`.knowledge-head .execution-status.${is}`).waitFor();
const link = (page, name) => page.getByRole("link", { name, exact: true });

/** Runs the team on this task from its page. Returns the address of the session. */
async function run(page, task) {
  await page.goto(`${server.url}/teams/${team}`);
  await button(page, "Run").click();
  const dialog = page.getByRole("dialog");
  await dialog.locator('[name="task"]').fill(task);
  await dialog.locator('[name="context"]').fill('{"host": "web-1"}');
  await button(dialog, "Run").click();
  await page.waitForURL(/\/s\/s_[0-9a-f]+\/graph$/);
  await connected(page);
  return page.url();
}

/** Waits until a node of the graph shows this text of its agents. */
async function graphNodeWords(page, node, text) {
  await page.locator(`.graph-node[data-node="${node}"] .graph-node-name`).click();
  await page.locator(".node-details").getByText(text).waitFor();
}

/** Answers on behalf of all agents. */
const finish = (result) =>
  answer({
    "Incident lead": "We look at the shop first.",
    "Log reader": "The pool is **empty**.",
    "Web shop lead": "The shop waits for connections.",
    "Lock reader": "No locks.",
    "Database lead": "The database is fine.",
    "Incident lead ": result,
  });

/** Starts an execution of a team without the page. Returns its id. */
async function start(page, task, ofTeam = team) {
  return page.evaluate(
    async ({ team, task }) => {
      const gone = new AbortController();
      const response = await fetch(`/api/v1/teams/${team}/execute`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ input: { task, context: { host: "web-1" } } }),
        signal: gone.signal,
      });
      gone.abort();
      return response.headers.get("location").split("/").pop();
    },
    { team: ofTeam, task },
  );
}

test("a team is run from its page, watched, and has a result with metrics", async () => {
  await ann.goto(`${server.url}/teams/${team}`);
  await button(ann, "Run").click();
  const dialog = ann.getByRole("dialog");
  await dialog.locator('[name="task"]').fill("The shop is slow");
  assert.deepEqual(JSON.parse(await dialog.locator('[name="context"]').inputValue()), { host: "" });
  await dialog.locator('[name="context"]').fill("{");
  await dialog.getByText("This is not a JSON object yet.").waitFor();
  assert.equal(await button(dialog, "Run").isEnabled(), false);
  await nothingWrong(ann);
  await ann.keyboard.press("Escape");

  const address = await run(ann, "The shop is slow");
  await answer({ "Incident lead": "We look at the shop first." });
  const logs = await turnOf("Log reader");
  assert.match(logs.asked, /On web-1: The shop is slow/);
  await ann.locator('.graph-node[data-node="web"][data-state="in_progress"]').waitFor();

  // The page of the execution, while it is running.
  await link(ann, "Execution").click();
  await status(ann, "running");
  await ann.getByText('"host": "web-1"').waitFor();
  await nothingWrong(ann);
  await button(ann, "Pause").click();
  logs.end("The pool is **empty**.");
  await ann.getByText("The execution is paused.").waitFor();
  await nothingWrong(ann);
  await button(ann, "Resume").click();
  await answer({ "Web shop lead": "The shop waits for connections." });
  await ann.locator('.node-result[data-node="web"]', { hasText: "done" }).waitFor();
  await answer({
    "Lock reader": "No locks.",
    "Database lead": "The database is fine.",
  });
  await answer({ "Incident lead": "Enlarge the **pool**." });
  await status(ann, "success");
  await ann.locator(".execution-result strong", { hasText: "pool" }).waitFor();
  await ann.locator('.node-result[data-node="web"] summary').click();
  await ann.locator("main").getByText("The shop waits for connections.").waitFor();
  const row = ann.locator('.metrics tbody[data-node="web"] tr');
  assert.deepEqual(await row.locator("th").allTextContents(), ["Web shop", "Log reader", "Supervisor"]);
  assert.match(await row.nth(1).textContent(), /12080\$0\.36/);
  await nothingWrong(ann);
  const path = await ann.locator(".execution-path li").allTextContents();
  assert.match(path.join("\n"), /^Web shop +done Time: [\d.]+\w+\nDatabase +done Time: [\d.]+\w+$/);
  const wide = ann.viewportSize();
  await ann.setViewportSize({ width: 390, height: 844 });
  assert.equal(await ann.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  await link(ann, "Executions").waitFor();
  await ann.setViewportSize(wide);
  await link(ann, "Graph").click();
  await ann.waitForURL(address);
  await ann.locator('.graph-node[data-node="db"][data-state="completed"]').waitFor();
});

test("nodes that work at the same time are together in the path", async () => {
  const document = incidentTeam("Parallel");
  Object.assign(document.topology, { edges: [], allow_isolated_nodes: true });
  const parallel = await makeTeam(ann, document);
  const id = await start(ann, "The shop is slow", parallel);
  await answer({ "Incident lead": "Look at everything." });
  const logs = await turnOf("Log reader");
  await turnOf("Lock reader");
  await ann.goto(`${server.url}/teams/${parallel}/executions/${id}`);
  const path = ann.locator("section", { has: ann.getByRole("heading", { name: "Path", exact: true }) });
  await path.getByText("At the same time").waitFor();
  const states = () =>
    path.locator("ul > li .path-node").evaluateAll((nodes) => nodes.map((one) => one.dataset.state));
  assert.deepEqual(await states(), ["in_progress", "in_progress"]);
  await nothingWrong(ann);
  logs.end("The pool is empty.");
  await answer({ "Web shop lead": "The shop waits for connections." });
  await path.locator('[data-node="web"][data-state="completed"]').waitFor();
  assert.deepEqual(await states(), ["completed", "in_progress"]);
  const phone = await anotherOf(ann, {
    viewport: { width: 390, height: 780 },
    hasTouch: true,
    locale: "zh-CN",
  });
  await phone.goto(ann.url());
  await phone.locator(".execution-path").getByText("同时执行").waitFor();
  assert.match(await phone.locator('.path-node[data-node="web"]').textContent(), /用时/);
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  await nothingWrong(phone);
});

test("two executions are compared, and a cancelled one has its own status", async () => {
  await run(ann, "The shop is slow");
  await finish("Enlarge the pool.");
  const second = await run(ann, "The shop is down");
  await answer({
    "Incident lead": "We look.",
    "Log reader": "Nothing.",
    "Web shop lead": "No idea.",
  });
  await turnOf("Lock reader");
  await ann.goto(`${server.url}/teams/${team}`);
  await link(ann, "Executions").click();
  const rows = ann.locator("[data-execution]");
  await ann.locator('[data-execution][data-status="running"]').waitFor();
  await nothingWrong(ann);
  await rows.first().getByRole("link", { name: "The shop is down" }).click();
  await button(ann, "Cancel").click();
  await nothingWrong(ann);
  await button(ann.getByRole("dialog"), "Cancel it").click();
  await status(ann, "cancelled");
  await ann.locator(".execution-errors", { hasText: "ended the execution" }).waitFor();
  await nothingWrong(ann);

  await link(ann, "Executions").click();
  await ann.getByLabel("Status").selectOption("cancelled");
  await until(ann, () => document.querySelectorAll("[data-execution]").length === 1);
  await ann.getByLabel("Status").selectOption("");
  await until(ann, () => document.querySelectorAll("[data-execution]").length === 2);
  for (const task of ["The shop is down", "The shop is slow"]) {
    await ann.getByRole("checkbox", { name: `Choose for comparison: ${task}` }).check();
  }
  await button(ann, "Compare").click();
  const sides = ann.locator(".compare-side");
  await sides.nth(1).getByText("Enlarge the pool.").waitFor();
  // Each side is loaded separately.
  await sides.first().locator(".execution-path li").nth(1).waitFor();
  assert.deepEqual(
    // Without the time of each node.
    await Promise.all(
      [0, 1].map((i) =>
        sides
          .nth(i)
          .locator(".execution-path li")
          .evaluateAll((nodes) =>
            nodes.map((node) => node.textContent.replace(node.querySelector(".soft").textContent, "").trim()),
          ),
      ),
    ),
    [
      ["Web shop  done", "Database  failed"],
      ["Web shop  done", "Database  done"],
    ],
  );
  await ann.locator("tr.differs", { hasText: "Database" }).waitFor();
  await nothingWrong(ann);
  const phone = await anotherOf(ann, {
    viewport: { width: 390, height: 780 },
    hasTouch: true,
    locale: "zh-CN",
  });
  await phone.goto(ann.url());
  await phone.getByRole("heading", { name: "比较执行" }).waitFor();
  await phone.locator("tr.differs").waitFor();
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  await nothingWrong(phone);
  await phone.goto(second);
  await link(phone, "执行记录").tap();
  await status(phone, "cancelled");
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  await nothingWrong(phone);
});

test("invalid structured output is shown with its errors, followed by a valid one", async () => {
  await run(ann, "The shop is slow");
  await finish("Enlarge the pool.");
  await link(ann, "Execution").click();
  await status(ann, "success");
  const schema = {
    type: "object",
    properties: { severity: { enum: ["high", "low"] } },
    required: ["severity"],
  };
  await ann.locator('[name="schema"]').fill("{");
  await ann.getByText("The schema is not a JSON object yet.").waitFor();
  await ann.locator('[name="schema"]').fill(JSON.stringify(schema));
  await button(ann, "Generate").click();
  // It may repair its output twice.
  for (let i = 0; i < 3; i++) (await turnOf("Incident lead")).end('{"severity": "urgent"}');
  const errors = ann.locator(".structured-errors");
  await errors.locator("dt", { hasText: "$.severity" }).waitFor();
  assert.match(await errors.locator("dd").textContent(), /urgent/);
  assert.match(await errors.locator(".json-block").textContent(), /"severity": "urgent"/);
  await nothingWrong(ann);

  await ann.getByLabel("Include the raw output").check();
  await button(ann, "Generate").click();
  (await turnOf("Incident lead")).end('```json\n{"severity": "high"}\n```');
  const output = ann.getByTestId("structured-output");
  await output.getByText('"severity": "high"').first().waitFor();
  await ann.getByText("Raw output", { exact: true }).click();
  await ann.getByText("```json").waitFor();
  await nothingWrong(ann);
  // The execution itself stays unchanged, and stores both outcomes.
  await ann.reload();
  await status(ann, "success");
  await output.getByText('"severity": "high"').first().waitFor();
  await errors.locator("dt", { hasText: "$.severity" }).waitFor();
  assert.equal(await ann.locator(".execution-errors").count(), 0);
  // The graph still shows the work of the nodes, not the run that wrote the output.
  await link(ann, "Graph").click();
  await ann.locator('.graph-node[data-node="db"][data-state="completed"]').waitFor();
  await graphNodeWords(ann, "web", "The shop waits for connections.");
});

test("a team with running executions is deleted only together with them", async () => {
  const id = await start(ann, "The shop is slow");
  await turnOf("Incident lead");
  await ann.goto(`${server.url}/teams`);
  const row = ann.locator('[data-team="Incident"]');
  await button(row, "Delete Incident").click();
  const dialog = ann.getByRole("dialog");
  await button(dialog, "Delete it").click();
  await dialog.getByText("An execution of this team is running.").waitFor();
  await nothingWrong(ann);
  await button(dialog, "Cancel it and delete").click();
  await row.waitFor({ state: "detached" });
  // Its results are still there.
  await ann.goto(`${server.url}/teams/${team}/executions/${id}`);
  await status(ann, "cancelled");
  assert.equal(await ann.locator(".structured").count(), 0);
  await nothingWrong(ann);
});

test("a member with the right to run a team runs it, and sees only their own executions", async () => {
  await start(ann, "Of Ann");
  const bob = await member("Bob");
  const { body } = await ask(bob, "GET", "/me");
  await ask(ann, "PUT", `/teams/${team}/access/${body.you.id}`, {
    right: "read",
  });
  await bob.goto(`${server.url}/teams/${team}`);
  await link(bob, "Executions").waitFor();
  assert.equal(await button(bob, "Run").count(), 0);
  await ask(ann, "PUT", `/teams/${team}/access/${body.you.id}`, {
    right: "execute",
  });
  await bob.reload();
  await run(bob, "Of Bob");
  await bob.goto(`${server.url}/teams/${team}/executions`);
  await bob.locator("[data-execution]").waitFor();
  assert.deepEqual(await bob.locator("[data-execution] .base-name").allTextContents(), ["Of Bob"]);
  await nothingWrong(bob);
  assert.deepEqual(browser.wrong(), []);
});
