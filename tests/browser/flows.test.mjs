import assert from "node:assert/strict";
import { faults } from "./support/axe.mjs";
import { setStage, test } from "./support/stage.mjs";
import {
  alone,
  anotherOf,
  begin,
  button,
  nothingWrong,
  pair,
  say,
  settings,
  until,
  wheel,
} from "./support/steps.mjs";

// The demo model plays every flow; these tests are about what people do in it.
setStage({ each: true, demo: {} });

const gate = (page, kind) => page.locator(`[data-testid="gate"][data-kind="${kind}"]:visible`);
const finished = (page) => page.locator(".note", { hasText: "The run is finished" }).waitFor();
const tab = (page, name) => page.getByRole("tab", { name }).click();

/** Two people in a session of the team. */
const people = (team, text, role = "reviewer") => pair({ role, text, team });

test("a plan is changed by one person, seen by the other, and followed item by item", async () => {
  const [ann, bob] = await people("(brain)", "Write test cases for the payment interface");
  await gate(ann, "plan").waitFor();
  await gate(bob, "plan").waitFor();
  await bob.keyboard.press("Alt+e");
  await gate(bob, "plan").locator(".plan-editor textarea").first().fill("Analyse payments first");
  await gate(bob, "plan").getByRole("button", { name: "Move item 2 down" }).click();
  await gate(bob, "plan").locator(".diff.new").first().waitFor();
  await button(gate(bob, "plan"), "Approve with these changes").click();
  for (const page of [ann, bob]) {
    await finished(page);
    // The run is longer than the screen: early decisions are only rendered once they are scrolled into view.
    await wheel(page, -100_000);
    await page
      .locator(".gate-decided", { hasText: "Plan confirmed" })
      .getByText(/changed by Bob \([^)]+\)/)
      .waitFor();
    await wheel(page, 100_000);
    await finished(page);
    await tab(page, "Plan");
    const items = page.locator(".plan.live [data-item-number]");
    assert.deepEqual(await items.evaluateAll((all) => all.map((one) => one.dataset.state)), [
      "completed",
      "completed",
      "completed",
    ]);
    await items.first().locator(".plan-action", { hasText: "Analyse payments first" }).waitFor();
    await items.first().locator(".decision", { hasText: "Continue with the plan" }).waitFor();
  }
  await ann.locator(".message .decision", { hasText: "End here" }).waitFor();

  // A person who joins later sees the same, including who worked when.
  await ann.reload();
  await tab(ann, "Plan");
  await ann.locator('.plan.live [data-item-number="1"]', { hasText: "Analyse payments first" }).waitFor();
  await tab(ann, "Timeline");
  await ann.locator(".lane", { hasText: "testcase" }).waitFor();
  await ann.locator(".lane", { hasText: "People" }).waitFor();
  await ann.getByText("As a table").click();
  await ann.locator(".span-table tbody tr", { hasText: "writes" }).first().waitFor();
  await nothingWrong(ann, bob);
});

test("unticked items are left out of the plan, also on a phone", async () => {
  const text = "Write test cases for the payment interface";
  const [ann, bob, address] = await people("(brain)", text);
  const phone = await anotherOf(bob, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await phone.goto(address);
  for (const [page, press] of [
    [ann, "press"],
    [phone, "tap"],
  ]) {
    const here = gate(page, "plan");
    const ticks = here.getByRole("checkbox");
    await ticks.first().waitFor();
    const all = await ticks.count();
    assert.equal(all, 3);
    for (const tick of await ticks.all()) await tick.uncheck();
    await here.getByRole("status").getByText("No item is left.").waitFor();
    assert.equal(await button(here, "Approve 0 of 3 items").isDisabled(), true);
    await ticks.nth(0).focus();
    await page.keyboard.press("Space");
    await ticks.nth(2).check();
    await here.getByRole("status").getByText("2 of 3 items stay. Later items run without").waitFor();
    assert.deepEqual(await faults(page), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
    const actions = here.locator(".plan-action");
    const wanted = [await actions.nth(0).textContent(), await actions.nth(2).textContent()];
    const approve = button(here, "Approve 2 of 3 items");
    if (press === "tap") await approve.tap();
    else await approve.press("Enter");
    await here.waitFor({ state: "detached" });
    await tab(ann, "Plan");
    const completed = '.plan.live [data-item-number][data-state="completed"]';
    await until(ann, (which) => document.querySelectorAll(which).length === 2, completed);
    await finished(ann);
    const items = ann.locator(".plan.live [data-item-number] .plan-action");
    assert.deepEqual(await items.allTextContents(), wanted);
    assert.equal(await ann.locator(".plan.live .plan-removed del").count(), 1);
    if (press !== "tap") await say(ann, text);
  }
  await nothingWrong(ann, bob, phone);
});

test("a plan is shown once: in its gate, then in the panel, which follows it unless the reader chose a tab", async () => {
  const [ann, bob] = await people("(brain)", "Write test cases for the payment interface");
  for (const page of [ann, bob]) {
    await gate(page, "plan").waitFor();
    assert.equal(await page.getByRole("tab", { name: "Plan" }).count(), 0);
    assert.equal(await page.locator(".timeline .plan-items").count(), 0);
  }
  await tab(bob, "Files");
  await button(gate(ann, "plan"), "Confirm plan").click();
  await ann.getByRole("tab", { name: "Plan", selected: true }).waitFor();
  await ann.locator(".panel .plan.live [data-item-number]").first().waitFor();
  await finished(ann);
  await finished(bob);
  await bob.getByRole("tab", { name: "Plan", selected: false }).waitFor();
  await bob.getByRole("tab", { name: "Files", selected: true }).waitFor();
  await wheel(ann, -100_000);
  const said = ann.locator(".reading.of-plan").first();
  await said.getByText(/Plan with \d items$/).waitFor();
  assert.equal(await said.locator(".plan-items").count(), 0);
  await button(said, "Show the plan").click();
  await said.locator(".plan-items").waitFor();
  await nothingWrong(ann, bob);
});

test("a person who edits a plan that somebody else has just changed is asked to look first", async () => {
  const [ann, bob] = await people("(brain)");
  await settings(ann, { approval: { kind: "at_least", n: 2 } });
  await say(ann, "Write test cases for the payment interface");
  await gate(ann, "plan").getByText("2 approvals needed").waitFor();
  const edit = async (page, text) => {
    await page.keyboard.press("Alt+e");
    await gate(page, "plan").locator(".plan-editor textarea").first().fill(text);
  };
  await ann.locator(".timeline").focus();
  await edit(ann, "Analyse refunds");
  await gate(bob, "plan").waitFor();
  await edit(bob, "Analyse payments");
  await button(gate(bob, "plan"), "Approve with these changes").click();
  await ann
    .getByTestId("revised")
    .getByText(/Bob \([^)]+\) changed this; earlier votes no longer count/)
    .waitFor();
  assert.equal(await button(gate(ann, "plan"), "Approve with these changes").isDisabled(), true);
  await button(gate(ann, "plan"), "Start over").click();
  const first = gate(ann, "plan").locator(".plan-editor textarea").first();
  assert.equal(await first.inputValue(), "Analyse payments");
  await button(gate(ann, "plan"), "Cancel").click();
  await button(gate(ann, "plan"), "Confirm plan").click();
  for (const page of [ann, bob]) await finished(page);
  await nothingWrong(ann, bob);
});

test("who abstains is shown, decides nothing, and can still vote", async () => {
  const [ann, bob] = await people("(brain)");
  await settings(ann, { approval: { kind: "at_least", n: 2 } });
  await say(ann, "Write test cases for the payment interface");
  await button(gate(bob, "plan"), "Abstain").click();
  for (const page of [ann, bob]) await gate(page, "plan").getByText("0 of 2 approved").waitFor();
  await button(gate(bob, "plan"), "Confirm plan").click();
  await gate(ann, "plan").getByText("1 of 2 approved").waitFor();
  await button(gate(ann, "plan"), "Confirm plan").click();
  for (const page of [ann, bob]) await finished(page);
  await nothingWrong(ann, bob);
});

test("a plan that expired without a decision says who voted on what, and can be retried", async () => {
  const [ann, bob] = await people("(brain)");
  await settings(ann, { approval: { kind: "at_least", n: 2 }, gate_seconds: 20 });
  await say(ann, "Write test cases for the payment interface");
  await gate(bob, "plan").waitFor();
  await bob.locator(".timeline").focus();
  await bob.keyboard.press("Alt+e");
  await gate(bob, "plan").locator(".plan-editor textarea").first().fill("Analyse refunds first");
  // The revised gate has its full 20 seconds again.
  await button(gate(bob, "plan"), "Approve with these changes").click();
  for (const page of [ann, bob]) {
    const lapsed = page.locator(".gate-decided", { hasText: "Expired without a decision" });
    await lapsed.getByText(/Bob \([^)]+\) approved/).waitFor();
    await lapsed.getByText("revision 2").waitFor();
    await lapsed.locator("time").waitFor();
    await page.locator(".note", { hasText: /Bob \([^)]+\) changed the plan/ }).waitFor();
    await button(page.locator(".plan-here"), "Show the plan").click();
    await page.locator(".plan-here", { hasText: "Analyse refunds first" }).waitFor();
    await button(page, "Try again").waitFor();
  }
  await ann.reload();
  await button(ann.locator(".plan-here"), "Show the plan").click();
  await ann.locator(".plan-here", { hasText: "Analyse refunds first" }).waitFor();
  await ann
    .locator(".gate-decided", { hasText: /Bob \([^)]+\) approved/ })
    .locator("time")
    .waitFor();
  await settings(ann, { gate_seconds: null });
  await button(bob, "Try again").click();
  await gate(ann, "plan").waitFor();
  await button(ann, "Try again").waitFor({ state: "detached" });
  await nothingWrong(ann, bob);
});

test("a question is shown in its place in the plan, and anybody who may speak answers it", async () => {
  const [ann, bob] = await people("Investigation", "Why does the login fail?", "member");
  await gate(ann, "question").waitFor();
  await tab(ann, "Plan");
  const asked = ann.locator(".plan.live [data-item-number]").last();
  await asked.getByText("Which version ran").waitFor();
  assert.equal(await asked.getAttribute("data-state"), "in_progress");
  await button(gate(bob, "question"), "Answer").click();
  await gate(bob, "question").getByText("This field is required.").waitFor();
  await gate(ann, "question").locator("textarea").fill("Perhaps 1.1");
  await gate(bob, "question").locator("textarea").fill("Version 1.2");
  await button(gate(bob, "question"), "Answer").click();
  for (const page of [ann, bob]) {
    await page.locator(".tool .answer, .call-row .answer", { hasText: "Version 1.2" }).first().waitFor();
    await finished(page);
    await page.locator("article.final", { hasText: "Root cause" }).waitFor();
  }
  await asked.locator(".answer", { hasText: "Bob" }).waitFor();
  assert.equal(await ann.getByTestId("unsaid").getByRole("textbox").inputValue(), "Perhaps 1.1");
  await nothingWrong(ann, bob);
});

test("several questions are open at the same time, and a form says what is missing", async () => {
  const form = {
    question: "How many nodes?",
    schema: {
      type: "object",
      properties: {
        n: { type: "integer", title: "Nodes", minimum: 1 },
        why: { enum: ["load", "fault"], title: "Why" },
      },
      required: ["n", "why"],
    },
  };
  const ask = (question) => `/tool ask_people ${JSON.stringify(question)}`;
  const words = ["Restart it", ask(form), ask({ question: "Tonight?", schema: { type: "boolean" } })];
  const [ann, bob] = await people("(ReAct)", words.join("\n"));
  await ann.locator(".gates", { hasText: "2 decisions are open" }).waitFor();
  const chip = (text) => ann.locator(".gate-chip", { hasText: text });

  // Nothing is sent until the form is complete.
  await chip("How many nodes?").click();
  const question = gate(ann, "question");
  await question.getByLabel("Nodes").fill("0");
  await button(question, "Answer").click();
  await question.getByText("At least 1.").waitFor();
  await question.getByText("This field is required.").waitFor();
  await question.getByLabel("Nodes").fill("2");

  // A partly filled form is kept while the other question is shown.
  await chip("Tonight?").click();
  await question.getByText("Tonight?").waitFor();
  await chip("How many nodes?").click();
  assert.equal(await question.getByLabel("Nodes").inputValue(), "2");
  await question.locator(".segment", { hasText: "load" }).click();
  await button(question, "Answer").click();
  await ann.locator(".answer", { hasText: "n: 2" }).waitFor();

  // Another person answers the other question; then the agent continues.
  const other = gate(bob, "question");
  await other.getByText("Tonight?").waitFor();
  await other.locator(".segment", { hasText: "Yes" }).click();
  await button(other, "Answer").click();
  for (const page of [ann, bob]) {
    await finished(page);
    assert.deepEqual(await page.locator(".tool").evaluateAll((all) => all.map((one) => one.dataset.state)), [
      "completed",
      "completed",
    ]);
  }
  // The answers are in the log, also for a person who joins later.
  await ann.reload();
  await ann.locator(".answer", { hasText: "true" }).waitFor();
  await nothingWrong(ann, bob);
});

test("parts of an item are shown side by side, and on a phone below each other", async () => {
  const [ann] = await alone("Compare two ways to cache", { team: "Plan a task" });
  await finished(ann);
  // The planner's tool call is shown as a plan, and the original can still be viewed.
  await wheel(ann, -100_000);
  const made = ann.locator(".tool", { hasText: "Plan with 3 items" });
  await made.locator(".tool-line").click();
  await made.locator(".plan-items > li").nth(2).waitFor();
  assert.equal(await made.locator("pre").count(), 0);
  await button(made, "As the agent and the tool wrote it").click();
  await made.locator("pre").first().getByText('"command": "create"').waitFor();
  await wheel(ann, 100_000);
  const columns = ann.locator(".side-column");
  await columns.nth(1).waitFor();
  assert.equal(await columns.count(), 2);
  const places = () => columns.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  const [left, right] = await places();
  assert.equal(left, right);
  await ann.setViewportSize({ width: 390, height: 844 });
  // The view follows the newest text; earlier rows are reached by scrolling.
  await until(ann, () => {
    const [first, second] = document.querySelectorAll(".side-column");
    if (!first) document.querySelector(".timeline").scrollBy(0, -100);
    return first && second?.getBoundingClientRect().top > first.getBoundingClientRect().top;
  });
  await nothingWrong(ann);
});

test("a router's choice is shown, and the run follows it", async () => {
  const [ann, bob] = await people("Router: picks a workflow");
  await say(ann, "What time is it?");
  for (const page of [ann, bob]) {
    await page.locator(".decision", { hasText: "Workflow" }).locator("code", { hasText: "react" }).waitFor();
    await finished(page);
    await page.locator("article.final").waitFor();
  }
  const large =
    "Compare three ways to keep sessions, with a migration plan, the risks of each and the way back";
  await ann.locator(".timeline").focus();
  await begin(ann, "", { team: "Router: picks a workflow" });
  await say(ann, large);
  await ann.locator(".decision code", { hasText: "plan_solve" }).waitFor();
  await finished(ann);
  await ann.locator("article.final", { hasText: "Result: Compare three ways" }).waitFor();
  await tab(ann, "Plan");
  const items = ann.locator(".plan.live [data-item-number]");
  const states = await items.evaluateAll((all) => all.map((one) => one.dataset.state));
  assert.ok(states.length > 1 && states.every((state) => state === "completed"), states.join());
  await nothingWrong(ann, bob);
});

test("fixed steps are a plan that needs no planner", async () => {
  const [ann, bob] = await people("Fixed steps");
  await say(ann, "A rule for naming branches");
  for (const page of [ann, bob]) {
    await finished(page);
    await page.locator("article.final", { hasText: "Step 3, " }).waitFor();
    await tab(page, "Plan");
    const items = page.locator(".plan.live [data-item-number]");
    const seen = await items.evaluateAll((all) => all.map((one) => [one.dataset.state, one.textContent]));
    assert.equal(seen.length, 3);
    for (const [at, words] of [
      "Analyze the task",
      "Write the complete result",
      "Check the result",
    ].entries()) {
      assert.equal(seen[at][0], "completed");
      assert.ok(seen[at][1].includes(words), seen[at][1]);
    }
  }
  await nothingWrong(ann, bob);
});

test("the results of all tools are summarized, and stored as files", async () => {
  const words = [
    "Find everything about sessions",
    '/tool file_write {"name":"notes.md","content":"# Notes"}',
  ];
  const [ann, bob] = await people("Research and summarize");
  await say(ann, words.join("\n"));
  for (const page of [ann, bob]) {
    await finished(page);
    await page.locator("article.final").waitFor();
    await tab(page, "Files");
    const files = page.locator(".file-item[data-file]");
    await files.nth(2).waitFor();
    const kept = await files.evaluateAll((all) => all.map((one) => one.dataset.file.split(".").pop()).sort());
    assert.deepEqual(kept, ["html", "md", "md"]);
  }
  await nothingWrong(ann, bob);
});
