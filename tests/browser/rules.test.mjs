import assert from "node:assert/strict";
import { faults } from "./support/axe.mjs";
import { nightShift, restart } from "./support/night.mjs";
import { setStage, test } from "./support/stage.mjs";
import {
  alone,
  anotherOf,
  begin,
  button,
  connected,
  member,
  nothingWrong,
  post,
  say,
  settings,
} from "./support/steps.mjs";

// People keep allowing the same kind of call: the server proposes a rule, with its effect on past calls.
setStage({ each: true, demo: { config: nightShift } });

const gate = (page, kind) => page.locator(`[data-testid="gate"][data-kind="${kind}"]:visible`);
/** Waits until the run that restarts this node is over. */
async function ended(page, node) {
  await page.locator('.tool[data-state="completed"]', { hasText: node }).waitFor();
  await page.waitForFunction(() =>
    /run is finished/.test([...document.querySelectorAll(".note")].at(-1)?.textContent),
  );
}

/** Ann, who owns the session, and Bob, a reviewer who has signed in; and the address. */
async function reviewers() {
  const [ann, address] = await alone("", { team: "Night shift" });
  const bob = await member("Bob");
  const me = await (await bob.request.get(`${new URL(address).origin}/api/v1/me`)).json();
  assert.ok(await post(ann, { do: "invite", data: { participant: me.you.id, role: "reviewer" } }));
  await bob.goto(address);
  await connected(bob);
  return [ann, bob, address];
}

test("a rule is proposed when two reviewers keep allowing calls, and is used and revoked", async () => {
  const [ann, bob, address] = await reviewers();
  await settings(ann, { learning: { min_decisions: 3 } });
  // The tool's result is a source of the later calls, so the first call is not evidence for them.
  const people = [ann, bob, ann, bob];
  for (const [at, node] of ["night1", "night2", "night3", "night4"].entries()) {
    await say(ann, restart(node));
    await button(gate(people[at], "tool"), "Allow this call").click();
    await button(gate(people[at], "tool"), "Approve now").click();
    await ended(ann, node);
  }
  // The proposal outlives the run, and shows its effect on past calls.
  const proposal = gate(bob, "rule");
  await proposal.getByText("Should calls like these of").waitFor();
  await proposal.getByText("allowed 4 of 4 such calls").waitFor();
  await proposal
    .getByText("As a rule, it would have allowed 4 past calls, none of which was refused")
    .waitFor();
  await proposal.locator("summary", { hasText: "Show 4 past calls" }).click();
  assert.equal(await proposal.locator('.rule-subject li[data-outcome="allowed"]').count(), 4);
  await proposal.locator("summary", { hasText: "Past calls in your other sessions" }).click();
  await proposal.getByText("Found no other session of yours with this team.").waitFor();
  assert.deepEqual(await faults(bob), []);

  const phone = await anotherOf(bob, {
    viewport: { width: 360, height: 640 },
    hasTouch: true,
    isMobile: true,
  });
  await phone.goto(address);
  await gate(phone, "rule").waitFor();
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  assert.deepEqual(await faults(phone), []);

  await button(proposal, "Add the rule").click();
  for (const page of [ann, bob])
    await page.locator(".note", { hasText: "as a rule learned from votes" }).waitFor();
  await say(ann, restart("night5"));
  await ended(ann, "night5");
  assert.equal(await gate(ann, "tool").count(), 0, "nobody is asked");
  const list = ann.getByTestId("permissions");
  await list.getByText("rule learned from votes").waitFor();
  await list.getByText("used 1 time").waitFor();
  await list.getByRole("button", { name: /^Revoke/ }).click();
  await list.waitFor({ state: "detached" });
  await say(ann, restart("night6"));
  await gate(bob, "tool").waitFor();
  await nothingWrong(ann, bob, phone);
});

test("people propose a suggested rule themselves, and decline it", async () => {
  const [ann, bob] = await reviewers();
  await settings(ann, { learning: { mode: "manual", min_decisions: 2 } });
  for (const [at, node] of ["night1", "night2", "night3"].entries()) {
    const page = [ann, bob, ann][at];
    await say(ann, restart(node));
    await button(gate(page, "tool"), "Allow this call").click();
    await button(gate(page, "tool"), "Approve now").click();
    await ended(ann, node);
  }
  assert.equal(await gate(ann, "rule").count(), 0, "the server proposes nothing");
  await button(ann, "Suggested rules").click();
  const dialog = ann.getByRole("dialog", { name: "Suggested rules" });
  await dialog.getByText("allowed 3 of 3 such calls").waitFor();
  assert.deepEqual(await faults(ann), []);
  await dialog.getByRole("button", { name: /^Propose/ }).click();
  await dialog.getByRole("button", { name: /^Propose/ }).waitFor({ state: "detached" });
  await ann.keyboard.press("Escape");
  const proposal = gate(bob, "rule");
  await proposal.getByText(/^Proposed by /).waitFor();
  await button(proposal, "Keep asking").click();
  await button(proposal.locator("form"), "Keep asking").click();
  await proposal.waitFor({ state: "detached" });
  await button(ann, "Suggested rules").click();
  await dialog.getByText("Declined or revoked before").waitFor();
  await ann.keyboard.press("Escape");

  // In another session with the team, the rule would have allowed a call that was refused.
  const first = ann.url();
  await begin(ann, restart("night4"), { team: "Night shift" });
  await button(gate(ann, "tool"), "Do not allow").click();
  await button(gate(ann, "tool").locator("form"), "Do not allow").click();
  await gate(ann, "tool").waitFor({ state: "detached" });
  await ann.goto(first);
  await connected(ann);
  await button(ann, "Suggested rules").click();
  await dialog.locator("summary", { hasText: "Past calls in your other sessions" }).click();
  await dialog
    .getByText("In your 1 other session with this team, it would have allowed 1 past call, which was refused")
    .waitFor();
  assert.deepEqual(await faults(ann), []);
  await dialog.getByTestId("rule-forecast").getByRole("link").click();
  await ann.waitForURL((url) => url.href !== first);
  await connected(ann);
  await nothingWrong(ann, bob);
});
