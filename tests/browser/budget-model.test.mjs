import assert from "node:assert/strict";
import { faults } from "./support/axe.mjs";
import { model, setStage, test } from "./support/stage.mjs";
import { alone, anotherOf, button, nothingWrong, say } from "./support/steps.mjs";

setStage({
  each: true,
  config: () =>
    ["[[providers.named.hand.models]]", 'name = "small"', "prices = { input = 1.0, output = 2.0 }", ""].join(
      "\n",
    ),
});

const gate = (page) => page.locator('[data-testid="gate"][data-kind="budget"]:visible');

async function setUp(page, fill) {
  await button(page.locator(".rules"), "Settings").click();
  const dialog = page.getByRole("dialog");
  await fill(dialog);
  assert.deepEqual(await faults(page), []);
  await button(dialog, "Save").click();
  await dialog.waitFor({ state: "detached" });
}

test("people continue with a cheaper model, and an owner reverts to the original one", async () => {
  const [ann, address] = await alone("");
  await setUp(ann, (dialog) => dialog.getByLabel("Tokens of the whole session").fill("1"));
  await say(ann, "Write test cases for refunds");
  const first = await model.turn();
  assert.equal(first.question.model, "by-hand");
  first.end("A first draft.");
  await gate(ann).getByText("Cheaper: hand/small").waitFor();
  assert.deepEqual(await faults(ann), []);

  const phone = await anotherOf(ann, {
    viewport: { width: 360, height: 640 },
    hasTouch: true,
    isMobile: true,
  });
  await phone.goto(address);
  await button(gate(phone), "Use a cheaper model").click();
  const chosen = gate(phone).getByLabel("Model for all agents from then on");
  await gate(phone).getByRole("row", { name: "Model As set by the team hand/small" }).waitFor();
  assert.equal(await chosen.inputValue(), "hand/small");
  await gate(phone).getByLabel("New limit in tokens").fill("1000000");
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  assert.deepEqual(await faults(phone), []);
  await button(gate(phone), "Approve with these changes").click();
  const second = await model.turn();
  assert.equal(second.question.model, "small");
  second.end("A review.");
  for (const page of [ann, phone]) {
    await page.locator(".gate-decided").getByText("all agents now use hand/small").waitFor();
  }

  // The agents return to the models of their team.
  await setUp(ann, async (dialog) => {
    const field = dialog.getByLabel("Model for all agents");
    assert.equal(await field.inputValue(), "hand/small");
    await field.selectOption("");
  });
  await nothingWrong(ann, phone);
});
