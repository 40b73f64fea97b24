import assert from "node:assert/strict";
import { faults } from "./support/axe.mjs";
import { setStage, test } from "./support/stage.mjs";
import { alone, anotherOf, button, nothingWrong, say } from "./support/steps.mjs";

setStage({ each: true, demo: {} });

const gate = (page) => page.locator('[data-testid="gate"][data-kind="budget"]:visible');

async function setBudget(page, tokens) {
  await button(page.locator(".rules"), "Settings").click();
  const dialog = page.getByRole("dialog");
  const budget = dialog.getByRole("group", { name: "Budget" });
  await budget.getByLabel("Tokens of the whole session").fill(tokens);
  assert.deepEqual(await faults(page), []);
  await button(dialog, "Save").click();
  await dialog.waitFor({ state: "detached" });
}

test("a spent budget stops the run until somebody raises the limit or ends the run", async () => {
  const [ann, address] = await alone("");
  await setBudget(ann, "1");
  await say(ann, "Write test cases for refunds");
  await gate(ann).getByRole("heading", { name: "The budget of the session is spent" }).waitFor();
  const subject = gate(ann).getByTestId("budget-subject");
  await subject.getByText(/[\d,]+ of 1 used/).waitFor();
  await subject.getByText(/Raising sets the limit to [\d,]+\./).waitFor();
  assert.deepEqual(await faults(ann), []);

  const phone = await anotherOf(ann, {
    viewport: { width: 360, height: 640 },
    hasTouch: true,
    isMobile: true,
  });
  await phone.goto(address);
  await gate(phone)
    .getByText(/Raising sets the limit to/)
    .waitFor();
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  await button(gate(phone), "Set another limit").click();
  const field = gate(phone).getByLabel("New limit in tokens");
  const send = button(gate(phone), "Approve with these changes");
  await field.fill("1");
  assert.ok(await send.isDisabled(), "it is spent already");
  await field.fill("1000000");
  await send.click();
  await phone.locator('[data-testid="gate"][data-kind="feedback"]:visible').waitFor();
  await ann
    .locator(".gate-row", { hasText: "Budget raised" })
    .or(ann.getByText("Budget raised"))
    .first()
    .waitFor();

  await ann.getByRole("tab", { name: "Usage" }).click();
  const panel = ann.getByTestId("budget");
  await panel.getByText(/of 1,000,000 used/).waitFor();
  await panel.getByText(/[\d,]+ left/).waitFor();
  assert.deepEqual(await faults(ann), []);

  // The other person sees it in their own language.
  const li = await anotherOf(ann, { locale: "zh-CN" });
  await li.goto(address);
  await li.getByRole("tab", { name: "用量" }).click();
  await li
    .getByTestId("budget")
    .getByText(/上限 1,000,000/)
    .waitFor();
  await nothingWrong(ann, phone, li);
});
