import assert from "node:assert/strict";
import { faults } from "./support/axe.mjs";
import { setStage, test } from "./support/stage.mjs";
import { button, nothingWrong, signedIn, until } from "./support/steps.mjs";

setStage({ each: true, demo: {} });

test("a prompt starter is chosen, inserted and sent, and leads to presentable work", async () => {
  const ann = await signedIn();
  await button(ann, "New session").first().click();
  const dialog = ann.getByRole("dialog", { name: "New session" });
  await dialog.getByText("Assistant with tools (ReAct)").click();
  await button(dialog, "Clean up the customer accounts that nobody has used for years").click();
  const field = dialog.getByLabel("What should the team work on?");
  assert.equal(await field.inputValue(), "Clean up the customer accounts that nobody has used for years");
  // Choosing a starter sends nothing, and another team has different starters.
  await dialog.getByText("Code investigation").click();
  await button(dialog, /sign-in codes just after midnight/).click();
  assert.equal(await field.inputValue(), "Why does our shop refuse sign-in codes just after midnight?");
  assert.ok(
    await field.evaluate((node) => node === document.activeElement),
    "what was chosen can be changed at once",
  );
  assert.deepEqual(await faults(ann), []);
  await ann.keyboard.press("Enter");
  await ann
    .getByText("Were the refused codes sent before midnight and entered after midnight?")
    .first()
    .waitFor();
  await nothingWrong(ann);
});

test("an empty session offers prompt starters, too", async () => {
  const ann = await signedIn();
  await button(ann, "New session").first().click();
  const dialog = ann.getByRole("dialog", { name: "New session" });
  await button(dialog, "Start").click();
  // Until the session is created, the dialog has a button with the same text.
  await dialog.waitFor({ state: "detached" });
  await button(ann, "Write test cases for the refund endpoint of our payment API").click();
  const text = "Write test cases for the refund endpoint of our payment API";
  await until(ann, (text) => document.activeElement?.value === text, text);
  await ann.keyboard.press("Enter");
  await ann.getByText("Verdict: adopt after changes.").first().waitFor();
  // The title comes from the story, and nobody is shown as having set it.
  await ann.getByRole("heading", { level: 1, name: "Refund endpoint: test cases" }).waitFor();
  assert.equal(await ann.locator(".note", { hasText: "Refund endpoint: test cases" }).count(), 0);
  await nothingWrong(ann);
});
