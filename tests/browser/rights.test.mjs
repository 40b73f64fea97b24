import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser } from "./support/browser.mjs";
import { startModel } from "./support/model.mjs";
import { startServer } from "./support/server.mjs";
import {
  accept,
  begin,
  connected,
  invite,
  message,
  nothingWrong,
  reads,
  say,
  signIn,
} from "./support/steps.mjs";

let model, server, browser, ann, address;
before(async () => {
  model = await startModel();
  [server, browser] = await Promise.all([startServer({ model }), startBrowser()]);
  ann = await browser.person();
  await signIn(ann, server);
  address = await begin(ann, "", { team: "Test case", title: "Who may what" });
});
after(async () => {
  await browser?.close();
  await server?.stop();
  model?.close();
});

test("an empty session teaches, and a viewer may only watch until somebody lets them speak", async () => {
  await ann.getByRole("heading", { name: "Say what you need" }).waitFor();
  const eve = await browser.person();
  await accept(eve, await invite(ann, "viewer"), "Eve");
  await eve.getByText("You may watch this session, not speak in it.").waitFor();
  assert.equal(await eve.locator("#composer-text").count(), 0);
  assert.equal(await eve.getByRole("button", { name: "New session" }).count(), 0, "guests begin no sessions");

  await ann.locator('[data-person="Eve"] select').selectOption("member");
  await eve.locator("#composer-text").waitFor();
  await say(eve, "@people now I may");
  await reads(ann, "now I may");

  await ann.getByRole("button", { name: "Remove Eve" }).click();
  await ann.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await eve.getByText("This session is no longer shown to you").waitFor();
  await ann.locator('[data-person="Eve"]').waitFor({ state: "detached" });
  assert.equal(await eve.locator("#composer-text").count(), 0);
  nothingWrong(ann, eve);
});

test("a refused message stays on screen with the server's words, and can be mended", async () => {
  await say(ann, `too long ${"x".repeat(70_000)}`);
  const refused = ann.locator("article.pending.refused");
  await refused.getByText("Not sent:").waitFor();
  await refused.getByText("at most 65536 are accepted").waitFor();
  await refused.getByRole("button", { name: "Edit and send again" }).click();
  await refused.waitFor({ state: "detached" });
  assert.match(await ann.locator("#composer-text").inputValue(), /^too long x/);
  await say(ann, "@people short enough");
  await reads(ann, "short enough");
  assert.equal(await message(ann, "too long").count(), 0);
  nothingWrong(ann);
});

test("a session that is not there, a link that is spent, a browser that nobody knows: each says what to do", async () => {
  await ann.goto(`${server.url}/s/s_${"0".repeat(32)}`);
  await ann.getByRole("alert").waitFor();
  assert.match(await ann.getByRole("alert").textContent(), /session/);

  const stranger = await browser.person();
  await stranger.goto(server.link);
  await stranger.getByText("This link did not work.").waitFor();
  await stranger.goto(`${server.url}/invite#nonsense`);
  await stranger.getByText("This invitation cannot be used.").waitFor();
  await stranger.goto(address);
  await stranger.getByRole("heading", { name: "Sign in" }).waitFor();
  nothingWrong(ann, stranger);
});

test("pausing and ending a run", async () => {
  await ann.goto(address);
  await connected(ann);
  await say(ann, "Write cases");
  const draft = await model.turn();
  draft.write("Working");
  await reads(ann, "Working");
  const control = ann.locator(".control");
  await control.getByRole("button", { name: "Pause" }).click();
  await control.getByRole("button", { name: "Resume" }).waitFor();
  draft.end(" on it.");
  await ann.locator('[data-verb="pause"][data-phase="effective"]').waitFor();
  await control.getByRole("button", { name: "Resume" }).click();
  const review = await model.turn();
  review.write("Reviewing");
  await reads(ann, "Reviewing");
  await control.getByRole("button", { name: "Cancel run" }).click();
  const dialog = ann.getByRole("dialog");
  await dialog.getByRole("textbox").fill("wrong question");
  await dialog.getByRole("button", { name: "End the run" }).click();
  assert.equal(await review.dropped, true);
  await ann.locator(".note", { hasText: "cancelled the run" }).getByText("Reason: wrong question").waitFor();
  await control.waitFor({ state: "detached" });
  nothingWrong(ann);
});
