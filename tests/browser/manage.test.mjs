import assert from "node:assert/strict";
import { faults } from "./support/axe.mjs";
import { browser, server, setStage, test } from "./support/stage.mjs";
import {
  accept,
  alone,
  button,
  connected,
  invite,
  message,
  nothingWrong,
  reads,
  say,
  signedIn,
  toGate,
} from "./support/steps.mjs";

setStage({ each: true });

/** An owner and a guest who has taken the same name. */
async function namesakes(role = "member") {
  const [ann, address] = await alone("", { title: "Settings" });
  const headers = { "content-type": "application/json" };
  const how = { method: "PATCH", headers, body: JSON.stringify({ name: "Sam" }) };
  assert.equal(await ann.evaluate(async (how) => (await fetch("/api/v1/me", how)).status, how), 200);
  await ann.locator('[data-person="Sam"]').waitFor();
  const bob = await browser.person();
  await accept(bob, await invite(ann, role), "Sam");
  return [ann, bob, address];
}

test("an owner sets how many votes are enough, everybody sees it, and the next gate uses it", async () => {
  const [ann, bob] = await namesakes("reviewer");
  await bob.locator(".rules").getByText("The first vote decides").waitFor();
  assert.equal(await button(bob.locator(".rules"), "Settings").count(), 0);
  await button(ann.locator(".rules"), "Settings").click();
  const dialog = ann.getByRole("dialog");
  await dialog.locator('[name="quorum"]').selectOption("at_least");
  await dialog.getByRole("spinbutton", { name: "Number of approvals" }).fill("2");
  await dialog.locator('[name="minutes"]').fill("90");
  await dialog.getByText("More limits").click();
  await dialog.getByLabel("Messages that can wait").fill("7");
  assert.deepEqual(await faults(ann), []);
  await button(dialog, "Save").click();
  await dialog.waitFor({ state: "detached" });
  for (const page of [ann, bob]) {
    await page.locator(".rules").getByText("2 approvals needed").waitFor();
    await page.locator(".rules").getByText("1:30:00").waitFor();
  }
  // Untouched settings keep their values.
  await button(ann.locator(".rules"), "Settings").click();
  assert.equal(await dialog.getByLabel("Messages per run").inputValue(), "20");
  assert.equal(await dialog.getByLabel("Messages that can wait").inputValue(), "7");
  await ann.keyboard.press("Escape");
  await say(ann, "Write cases");
  await toGate(ann);
  await ann.getByTestId("gate").getByText("2 approvals needed").waitFor();

  // The session cannot be closed while a run is in progress.
  await ann.locator(".rules").getByText("You can close it when the run is over").waitFor();
  assert.ok(await button(ann.locator(".rules"), "Close session").isDisabled());
  await button(ann.locator(".control"), "Cancel run").click();
  await button(dialog, "End the run").click();
  await ann.locator(".control").waitFor({ state: "detached" });
  await button(ann.locator(".rules"), "Close session").click();
  await button(dialog, "Close the session").click();
  await bob.getByText("This session is closed.").waitFor();
  assert.equal(await button(ann.locator(".rules"), "Settings").count(), 0);
  await nothingWrong(ann, bob);
});

test("a guest is marked as a guest, whatever name they chose", async () => {
  const [ann, bob] = await namesakes();
  await say(bob, "@people it is me");
  await reads(ann, "it is me");
  await message(ann, "it is me").getByText("guest", { exact: true }).waitFor();
  const people = ann.locator('[data-person="Sam"]');
  assert.equal(await people.count(), 2);
  assert.equal(await people.filter({ hasText: "guest" }).count(), 1);
  // Two people with the same name are distinguished by the ends of their ids.
  const shown = await people.locator(".person-name").allTextContents();
  assert.equal(new Set(shown.map((name) => /^Sam …[0-9a-f]{6}/.exec(name)?.[0])).size, 2, shown.join());
  await say(ann, "@people no, me");
  await reads(bob, "no, me");
  assert.equal(await message(bob, "no, me").getByText("guest", { exact: true }).count(), 0);

  // A removed person keeps their name in past rows, and their mark, also for a person who joins later.
  await ann.getByRole("button", { name: "Remove Sam" }).click();
  await button(ann.getByRole("dialog"), "Remove").click();
  await ann.locator(".note", { hasText: /Sam …\w{6} \(owner\) removed Sam …\w{6}/ }).waitFor();
  await ann.reload();
  await ann.locator(".note", { hasText: /Sam …\w{6} \(owner\) removed Sam …\w{6}/ }).waitFor();
  await message(ann, "it is me").getByText("guest", { exact: true }).waitFor();
  assert.equal(await message(ann, "no, me").getByText("guest", { exact: true }).count(), 0);
  await nothingWrong(ann, bob);
});

test("an open link is listed and can be revoked", async () => {
  const [ann] = await namesakes();
  await button(ann.locator(".panel"), "Invite").click();
  const dialog = ann.getByRole("dialog");
  // The guest joined by a single-use link, which is used up.
  await button(dialog, "Create link").click();
  await dialog.getByText("Open links (1)").click();
  await button(dialog, "Create link").click();
  await dialog.getByText("Open links (2)").waitFor();
  const link = await dialog.locator('input[name="link"]').inputValue();
  await button(dialog, "Revoke the link for a member").first().click();
  await dialog.getByText("Open links (1)").waitFor();
  await button(dialog, "Revoke the link for a member").first().click();
  await dialog.getByText("Open links").waitFor({ state: "detached" });
  const stranger = await browser.person();
  await stranger.goto(link);
  await stranger.getByRole("heading", { name: "This invitation cannot be used" }).waitFor();
  await nothingWrong(ann, stranger);
});

test("an owner renames the session; people change their own name, and sign out", async () => {
  const [ann, bob, address] = await namesakes();
  await button(ann, "Rename session").click();
  // The page keeps its heading while the title is edited.
  await nothingWrong(ann);
  await ann.keyboard.type("Refunds in parts");
  await ann.keyboard.press("Enter");
  await bob.getByRole("heading", { level: 1, name: "Refunds in parts" }).waitFor();
  await button(bob, "You are Sam").click();
  const dialog = bob.getByRole("dialog");
  await dialog.getByText("You are a guest").waitFor();
  await dialog.locator('[name="name"]').fill("Bob");
  await button(dialog, "Save name").click();
  await button(bob, "You are Bob").waitFor();
  await connected(bob);
  await say(bob, "@people now as Bob");
  assert.match(await message(bob, "now as Bob").locator(".message-name").textContent(), /^Bob$/);
  await button(bob, "You are Bob").click();
  await dialog.getByRole("button", { name: "Sign out", exact: true }).click();
  await bob.getByRole("heading", { name: "Sign in" }).waitFor();
  await bob.goto(address);
  await bob.getByRole("heading", { name: "Sign in" }).waitFor();
  await nothingWrong(bob);
});

test("an unknown address says so, and links back", async () => {
  const ann = await signedIn();
  const answer = await ann.goto(`${server.url}/nonsense`);
  assert.equal(answer.status(), 404);
  await ann.getByRole("heading", { name: "Page not found" }).waitFor();
  await button(ann, "Back to your sessions").click();
  await ann.getByRole("heading", { name: "What should we work on?" }).waitFor();
  assert.equal(
    await button(ann, "New session").count(),
    2,
    "a small one that is always there, and a plain one",
  );
  await nothingWrong(ann);
});
