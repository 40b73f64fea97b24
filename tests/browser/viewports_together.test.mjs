// The first minute and collaboration, in every viewport and language: prompt starters, plans that two people change,
// the cost of a run, and right-to-left text.
import assert from "node:assert/strict";
import { forEachViewport } from "./support/viewports.mjs";
import { browser, server, setStage } from "./support/stage.mjs";
import {
  accept,
  anotherOf,
  begin,
  connected,
  invite,
  nothingWrong,
  reads,
  say,
  settings,
  signedIn,
  until,
} from "./support/steps.mjs";

setStage({ each: true, demo: {} });

forEachViewport(
  "a prompt starter is chosen and sent, and says once that it is scripted",
  async ({ options }) => {
    const ann = await anotherOf(await signedIn(), options);
    await ann.goto(server.url);
    await ann.locator(".sidebar").waitFor();
    await ann.keyboard.press("Alt+n");
    const dialog = ann.getByRole("dialog");
    const starter = dialog.locator(".starter").first();
    const words = (await starter.textContent()).trim();
    await starter.click();
    const field = dialog.locator('[name="message"]');
    assert.equal(await field.inputValue(), words);
    await ann.keyboard.press("Enter");
    await ann.waitForURL(/\/s\/s_/);
    await connected(ann);
    await reads(ann, words);
    await ann.getByTestId("gate").waitFor();
    // The title comes from the story, in the tab, too.
    await until(ann, (words) => !document.title.includes(words) && /\(1\) \S/.test(document.title), words);
    await say(ann, "@people مرحبا بالعالم");
    await reads(ann, "مرحبا");
    const bidi = ann.locator(".markdown p", { hasText: "مرحبا" }).first();
    assert.equal(await bidi.evaluate((p) => getComputedStyle(p).unicodeBidi), "plaintext");
    await ann.locator(".spent", { hasText: "$" }).or(ann.locator(".control")).first().waitFor();
    await nothingWrong(ann);
  },
);

forEachViewport("people who edit one plan see each other and the changes", async ({ options }) => {
  const ann = await signedIn();
  await begin(ann, "", { team: "(brain)" });
  const bob = await browser.person(options);
  await accept(bob, await invite(ann, "member"), "Bob");
  // A gate keeps the rule that was in force when it opened.
  await settings(ann, { approval: { kind: "all" } });
  await say(ann, "Why is the payment slow?");
  const gate = (page) => page.getByTestId("gate");
  await gate(ann).waitFor();
  await gate(bob).waitFor();
  await gate(ann).locator('[aria-keyshortcuts="Alt+E"]').last().click();
  await gate(bob).getByTestId("editing").waitFor();
  await gate(ann).locator(".plan-editor textarea").first().fill("Look at all of the logs");
  await gate(ann).locator(".editor [type=submit]").click();
  await gate(bob).getByTestId("revised").waitFor();
  await until(bob, () => !document.querySelector('[data-testid="editing"]'));
  await gate(bob).getByText("Look at all of the logs").first().scrollIntoViewIfNeeded();
  await gate(bob).locator("[data-act=approve]").click();
  await bob.locator(".gate-decided").first().waitFor();
  await nothingWrong(ann, bob);
});
