import assert from "node:assert/strict";
import { model, setStage, test } from "./support/stage.mjs";
import { alone, button, nothingWrong, toGate, until } from "./support/steps.mjs";

setStage({ each: true });

const written = (page) => page.locator("#composer-text").inputValue();

test("text typed outside a field becomes a message, and decides nothing", async () => {
  const [ann] = await alone("Write cases");
  // Directly after the start, before anything was clicked.
  await ann.keyboard.type("are you sure");
  assert.equal(await written(ann), "are you sure");
  await ann.locator("#composer-text").fill("");

  await toGate(ann);
  await ann.evaluate(() => document.activeElement.blur());
  await ann.keyboard.type("all of this looks wrong, really");
  assert.equal(await written(ann), "all of this looks wrong, really");
  await ann.locator(".timeline").focus();
  await ann.keyboard.type(" e r i n b t j k / ?");
  assert.equal(await written(ann), "all of this looks wrong, really" + "e r i n b t j k / ?");
  assert.equal(await ann.locator(".vote").count(), 0);
  assert.equal(await ann.getByRole("dialog").count(), 0);
  await button(ann.getByTestId("gate"), "Approve").waitFor();
  await nothingWrong(ann);
});

test("Alt+A moves to the approval and Enter confirms it, also from within a message", async () => {
  const [ann] = await alone("Write cases");
  await toGate(ann);
  await ann.locator("#composer-text").fill("A draft of mine");
  await ann.keyboard.press("Alt+a");
  await until(ann, () => document.activeElement.dataset.act === "approve");
  assert.equal(await ann.locator(".vote").count(), 0);
  await ann.keyboard.press("Enter");
  (await model.turn()).end("The final output.");
  await ann.locator(".gate-decided", { hasText: "Approved" }).waitFor();
  assert.equal(await written(ann), "A draft of mine");
  await nothingWrong(ann);
});

test("text typed while a rejection asks for a reason goes there, as the composer is hidden", async () => {
  const [ann] = await alone("Write cases");
  await toGate(ann);
  await button(ann.getByTestId("gate"), "Reject").click();
  const field = ann.locator(".reject textarea");
  await field.waitFor();
  await ann.locator(".timeline").focus();
  await ann.keyboard.type("refunds are missing");
  assert.equal(await field.inputValue(), "refunds are missing");
  assert.equal(await written(ann), "");
  await nothingWrong(ann);
});
