import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { faults } from "./support/axe.mjs";
import { nightShift, restart } from "./support/night.mjs";
import { CALLS } from "./support/shop.mjs";
import { browser, server, setStage, test } from "./support/stage.mjs";
import {
  accept,
  anotherOf,
  button,
  invite,
  nothingWrong,
  pair,
  post,
  say,
  settings,
} from "./support/steps.mjs";

// Three people and a bot decide together: in batches, on behalf of each other, and one after another in time.
setStage({ each: true, demo: { config: nightShift } });

const gate = (page) => page.locator('[data-testid="gate"]:visible');
const batch = (page) => page.getByTestId("batch");
const tick = (page, node) => batch(page).locator("li", { hasText: node }).getByRole("checkbox");
const finished = (page) => page.locator(".note", { hasText: "The run is finished" }).first().waitFor();
const note = (page, text) => page.locator(".note", { hasText: text });
const row = (page, name) => page.locator(`[data-person="${name}"]`);
const sent = async () =>
  (await readFile(join(server.folder, CALLS), "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).params.arguments.node)
    .sort();

/** Ann, who owns the session; Bob, a reviewer; Cleo, a member; and the address. */
async function three(rules, text) {
  const [ann, bob, address] = await pair({ role: "reviewer", team: "Night shift" });
  const cleo = await browser.person();
  await accept(cleo, await invite(ann, "member"), "Cleo");
  await settings(ann, { approval_rules: rules });
  if (text) await say(ann, text);
  return [ann, bob, cleo, address];
}

test("several calls are decided together, and those that changed meanwhile need another look", async () => {
  const nodes = ["night1", "night2", "a1", "a2", "a3"];
  const rule = { gate: "tool", quorum: { kind: "at_least", n: 2 } };
  const [ann, bob, cleo, address] = await three([rule], restart(...nodes));
  await batch(ann).getByText("Decide on 5 calls at once").waitFor();
  assert.deepEqual(
    await Promise.all(nodes.map((node) => tick(ann, node).isChecked())),
    [true, true, false, false, false],
    "calls of low risk are ticked",
  );
  await button(batch(ann), "Approve 2 of 5").waitFor();
  await tick(ann, "a1").check();
  await tick(ann, "a2").check();
  await button(batch(ann), "Reject 4").waitFor();
  assert.deepEqual(await faults(ann), []);

  // Cleo edits a call that Ann has ticked.
  await button(batch(cleo), /a2/).click();
  await button(gate(cleo), "Edit arguments").click();
  await gate(cleo).getByLabel("Note").fill("gently please");
  await button(gate(cleo), "Approve with these changes").click();
  await button(gate(cleo), "Approve now").click();
  await batch(ann).getByText("changed: look at it again").waitFor();
  await batch(ann).getByRole("status").getByText("is no longer ticked").waitFor();
  assert.equal(await tick(ann, "a2").isChecked(), false);

  // A call that cannot be undone is held, together with the others.
  await button(batch(ann), "Approve 3 of 5").click();
  await batch(ann).getByText("Your approval is about to be sent").waitFor();
  await ann.keyboard.press("Escape");
  await button(batch(ann), "Approve 3 of 5").click();
  await button(batch(ann), "Approve now").click();
  await batch(ann).getByText("Decide on 2 calls at once").waitFor();

  const phone = await anotherOf(bob, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await phone.goto(address);
  await button(batch(phone), "Approve 2 of 5").waitFor();
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  assert.deepEqual(await faults(phone), []);
  // The list leaves half of the screen to the conversation; a call is shown when it is selected.
  assert.equal(await gate(phone).count(), 0);
  const text = await phone.locator(".timeline").boundingBox();
  assert.ok(text.height > 844 / 3, `${text.height} px for the conversation`);
  await button(batch(phone), /a1/).tap();
  await gate(phone).getByText("a1").first().waitFor();
  await button(batch(phone), /a1/).tap();
  await gate(phone).waitFor({ state: "detached" });
  await tick(phone, "a1").check();
  await button(batch(phone), "Approve 3 of 5").click();
  await button(batch(phone), "Approve now").click();
  for (const page of [ann, phone]) {
    await batch(page).getByText("Decide on 2 calls at once").waitFor();
    for (const node of ["a2", "a3"]) await tick(page, node).check();
    await button(batch(page), "Reject 2").click();
  }
  await finished(ann);
  assert.deepEqual(await sent(), ["a1", "night1", "night2"]);
  await nothingWrong(ann, bob, cleo, phone);
});

test("one press approves the ticked calls and rejects the others, also on a phone", async () => {
  const nodes = ["night1", "night2", "a1", "a2", "a3"];
  const [ann, bob, , address] = await three([], restart(...nodes));
  await batch(ann).getByText("Decide on 5 calls at once").waitFor();
  // With the keyboard: tick one call, which implies rejecting the others.
  await tick(ann, "a1").focus();
  await ann.keyboard.press("Space");
  await batch(ann).getByRole("status").getByText("3 of 5 calls ticked.").waitFor({ state: "attached" });
  await button(batch(ann), "Approve 3, reject 2").focus();
  await ann.keyboard.press("Enter");
  await batch(ann).getByText("Your approval is about to be sent").waitFor();
  assert.deepEqual(await faults(ann), []);
  await button(batch(ann), "Approve now").click();
  await finished(ann);
  assert.deepEqual(await sent(), ["a1", "night1", "night2"]);

  const phone = await anotherOf(bob, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await phone.goto(address);
  await say(ann, restart("b1", "night3", "b2"));
  await batch(phone).getByText("Decide on 3 calls at once").waitFor();
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  assert.deepEqual(await faults(phone), []);
  const text = await phone.locator(".timeline").boundingBox();
  assert.ok(text.height > 844 / 3, `${text.height} px for the conversation`);
  await button(batch(phone), "Approve 1, reject 2").tap();
  await batch(phone).waitFor({ state: "detached" });
  await finished(phone);
  assert.deepEqual(await sent(), ["a1", "night1", "night2", "night3"]);
  await nothingWrong(ann, bob, phone);
});

test("a vote is withdrawn before it decides", async () => {
  const rule = { gate: "tool", quorum: { kind: "at_least", n: 2 } };
  const [ann, bob, cleo] = await three([rule], restart("night1"));
  await button(gate(ann), "Allow this call").click();
  await button(gate(ann), "Approve now").click();
  await gate(bob).getByText("1 of 2 approved").waitFor();
  assert.equal(await button(gate(bob), "Take back my vote").count(), 0, "it is not Bob's");
  await button(gate(ann), "Take back my vote").focus();
  await ann.keyboard.press("Enter");
  await gate(ann).getByText("Your vote is taken back.").waitFor();
  await gate(bob).getByText("No votes yet").waitFor();
  assert.deepEqual(await faults(ann), []);

  for (const page of [bob, cleo]) {
    await button(gate(page), "Allow this call").click();
    await button(gate(page), "Approve now").click();
  }
  await finished(ann);
  assert.deepEqual(await sent(), ["night1"]);
  await nothingWrong(ann, bob, cleo);
});

test("a person votes on behalf of another, so that the gate does not wait for the latter", async () => {
  const [ann, bob, cleo] = await three([{ quorum: { kind: "role", role: "reviewer" } }]);
  await button(row(bob, "Bob"), "Delegate your vote…").click();
  const dialog = bob.getByRole("dialog");
  await dialog.getByLabel("Delegate to").selectOption({ label: "Cleo (member)" });
  await dialog.getByLabel("Until").selectOption("today");
  assert.deepEqual(await faults(bob), []);
  await button(dialog, "Delegate").click();
  await row(ann, "Cleo").getByText("votes for Bob until").waitFor();
  await row(bob, "Bob").getByText("Cleo votes for you until").waitFor();

  // A member has no vote here, but votes on behalf of a reviewer.
  await say(ann, restart("night1"));
  await note(ann, "Bob delegated their vote to Cleo until").waitFor();
  await gate(ann).getByText("Can approve: Cleo (for Bob, here now)").waitFor();
  await gate(bob).getByText("Cleo votes for you. If you vote, your own vote counts.").waitFor();
  await button(gate(cleo), "Allow this call").click();
  await button(gate(cleo), "Approve now").click();
  await finished(ann);
  await ann.locator(".gate-decided", { hasText: "by Cleo (guest, member) for Bob" }).waitFor();
  assert.deepEqual(await sent(), ["night1"]);

  await button(row(bob, "Bob"), "Vote yourself again").click();
  await note(ann, "Bob votes for themselves again").waitFor();
  await button(row(bob, "Bob"), "Delegate your vote…").waitFor();
  await row(ann, "Cleo").getByText("votes for Bob").waitFor({ state: "detached" });
  await nothingWrong(ann, bob, cleo);
});

test("if nobody decides in time, others do, and the deadline says what happens then", async () => {
  const rule = {
    gate: "tool",
    quorum: { kind: "all" },
    escalation: [
      { after_seconds: 2, quorum: { kind: "at_least", n: 2 } },
      { after_seconds: 3600, quorum: { kind: "role", role: "owner" } },
    ],
    deadline_seconds: 7200,
    at_deadline: "approved",
  };
  const [ann, bob, cleo] = await three([rule]);
  await ann
    .locator(".rules")
    .getByText("after 60 min: One vote from the role owner decides · approved after 120 min")
    .waitFor();
  await say(ann, restart("night1"));
  await note(ann, "changed the rules for decisions").waitFor();
  await gate(ann).getByText("Nobody decided in time. Now: 2 approvals needed").waitFor();
  await note(ann, "Nobody decided in time. Now: 2 approvals needed").waitFor();
  await gate(ann)
    .getByText(/^At .*: One vote from the role owner decides$/)
    .waitFor();
  await gate(ann)
    .getByText(/^If no one objects by .*: approved$/)
    .waitFor();
  assert.deepEqual(await faults(ann), []);
  for (const page of [bob, cleo]) {
    await button(gate(page), "Allow this call").click();
    await button(gate(page), "Approve now").click();
  }
  await finished(ann);
  await nothingWrong(ann, bob, cleo);
});

test("an owner sets weights, and the vote of a bot counts", async () => {
  const [ann, bob, cleo, address] = await three([]);
  const headers = { authorization: `Bearer ${await server.token("Otto", "--role", "bot")}` };
  const asBot = (path, data) => ann.request.post(`${server.url}/api/v1${path}`, { headers, data });
  const { you } = await (await ann.request.get(`${server.url}/api/v1/me`, { headers })).json();
  assert.ok(await post(ann, { do: "invite", data: { participant: you.id, role: "bot" } }));
  await row(ann, "Otto").waitFor();

  await button(ann.locator(".rules"), "Settings").click();
  const dialog = ann.getByRole("dialog");
  await button(dialog, "Add a rule").click();
  const rule = dialog.getByRole("group", { name: "Rule 1" });
  await rule.locator('[name="quorum"]').selectOption("weighted");
  await rule.getByLabel("Weight that decides").fill("3");
  await rule.getByLabel("Weight of bot").fill("2");
  await rule.getByLabel("Votes of bots count too").check();
  await button(rule, "Add a step").click();
  await rule.getByRole("group", { name: "Step 1" }).getByLabel("Minutes after it opened").fill("30");
  await rule.getByLabel("Minutes until the deadline").fill("90");
  await rule.getByLabel("At the deadline").selectOption("expired");
  assert.deepEqual(await faults(ann), []);
  await button(dialog, "Save").click();
  await dialog.waitFor({ state: "detached" });
  await ann
    .locator(".rules")
    .getByText(
      "Tool call: Approvals with a weight of 3 needed (bot 2) · Bots vote too · after 30 min: One vote from the role owner decides · fails after 90 min",
    )
    .waitFor();

  await say(ann, restart("a1"));
  await button(gate(bob), "Allow this call").click();
  await button(gate(bob), "Approve now").click();
  await gate(ann).getByText("1 of 3 in weight approved").waitFor();
  const session = address.split("/").pop();
  const id = await ann.locator("[data-gate]").last().getAttribute("data-gate");
  const vote = {
    id: `c_${crypto.randomUUID()}`,
    do: "vote",
    data: { gate: id, choice: "approve" },
    expect: { rev: 1 },
  };
  assert.ok((await asBot(`/sessions/${session}/commands`, vote)).ok());
  await finished(ann);
  await ann.locator(".gate-decided", { hasText: "Otto" }).waitFor();
  assert.deepEqual(await sent(), ["a1"]);
  await nothingWrong(ann, bob, cleo);
});
