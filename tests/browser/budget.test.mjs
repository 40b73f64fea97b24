import assert from "node:assert/strict";
import { faults } from "./support/axe.mjs";
import { setStage, test } from "./support/stage.mjs";
import { alone, anotherOf, button, nothingWrong, pair, say, settings } from "./support/steps.mjs";

setStage({ each: true, demo: { settings: { "quotas.max_month_tokens": "2000000" } } });

const gate = (page) => page.locator('[data-testid="gate"][data-kind="budget"]:visible');

const difference = (page, text) => gate(page).getByTestId("budget-diff").filter({ hasText: text });

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
  await difference(ann, /Tokens\s*1\s*→ [\d,]+/).waitFor();
  await button(gate(ann), /^Raise the budget to [\d,]+ tokens/).waitFor();
  assert.deepEqual(await faults(ann), []);

  const phone = await anotherOf(ann, {
    viewport: { width: 360, height: 640 },
    hasTouch: true,
    isMobile: true,
  });
  await phone.goto(address);
  await button(gate(phone), "Finish with what is there").waitFor();
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  await button(gate(phone), "Set another limit").click();
  const field = gate(phone).getByLabel("New limit in tokens");
  const send = button(gate(phone), "Approve with these changes");
  await field.fill("1");
  assert.ok(await send.isDisabled(), "it is spent already");
  await field.fill("1000000");
  await difference(phone, /Tokens\s*1\s*→ 1,000,000/).waitFor();
  assert.deepEqual(await faults(phone), []);
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

  // A limit is removed by the keyboard alone, which can be undone.
  await button(panel, "Remove the limit: Tokens").focus();
  await ann.keyboard.press("Enter");
  await panel.getByText("Limit removed: Tokens, 1,000,000").waitFor();
  assert.deepEqual(await faults(ann), []);
  await panel.locator("button:focus", { hasText: "Undo" }).waitFor();
  await ann.keyboard.press("Enter");
  await panel.getByText(/of 1,000,000 used/).waitFor();
  await panel.getByText("Limit removed").waitFor({ state: "detached" });

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

test("the other voters see what somebody changes in the proposed budget", async () => {
  const [ann, bob] = await pair({ role: "reviewer", text: "" });
  await settings(ann, {
    budget: { max_tokens: 1 },
    approval_rules: [{ gate: "budget", quorum: { kind: "all" } }],
  });
  await say(ann, "Write test cases for refunds");
  for (const page of [ann, bob]) await difference(page, /Tokens\s*1\s*→/).waitFor();
  await button(gate(ann), "Set another limit").click();
  await gate(ann).getByLabel("New limit in tokens").fill("500000");
  await button(gate(ann), "Approve with these changes").click();
  const revised = gate(bob).getByTestId("revised");
  await revised.getByText(/changed this; earlier votes no longer count/).waitFor();
  await revised.getByRole("row", { name: /Tokens [\d,]+ 500,000/ }).waitFor();
  await difference(bob, /Tokens\s*1\s*→ 500,000/)
    .last()
    .waitFor();
  assert.deepEqual(await faults(bob), []);
  await button(gate(bob), "Raise the budget to 500,000 tokens").click();
  await ann.locator('[data-testid="gate"][data-kind="feedback"]:visible').waitFor();
  await nothingWrong(ann, bob);
});

test("people finish with the existing results, or cancel the run", async () => {
  const [ann] = await alone("");
  await setBudget(ann, "1");
  await say(ann, "Write test cases for refunds");
  await button(gate(ann), "Finish with what is there").click();
  await button(gate(ann), "Finish the run").click();
  await ann.getByText("The run ended: its budget is spent").waitFor();

  await say(ann, "Write test cases for payments");
  await button(gate(ann), "Cancel the run").click();
  assert.deepEqual(await faults(ann), []);
  const dialog = ann.getByRole("dialog");
  await button(dialog, "End the run").click();
  await gate(ann).waitFor({ state: "detached" });
  await nothingWrong(ann);
});

test("people see their monthly quota, and an administrator sees everybody's", async () => {
  const [ann] = await alone("Write test cases for refunds");
  await ann.locator('[data-testid="gate"][data-kind="feedback"]:visible').waitFor();
  await ann.getByRole("tab", { name: "Usage" }).click();
  const quotas = ann.getByTestId("quotas");
  await quotas.getByText(/[\d,]+ of 2,000,000 used/).waitFor();
  await button(ann, "Your name, signing out").click();
  const dialog = ann.getByRole("dialog");
  await dialog.getByRole("meter", { name: "Your runs: Tokens" }).waitFor();
  assert.deepEqual(await faults(ann), []);
  await ann.keyboard.press("Escape");

  await ann.getByRole("link", { name: "Administration" }).click();
  await button(ann, "Quotas").click();
  const row = ann.locator('[data-quota="operator"]');
  await row.getByText(/[\d,]+ of 2,000,000 used/).waitFor();
  assert.deepEqual(await faults(ann), []);
  await ann.getByLabel("Quotas of").selectOption("session");
  await row.waitFor({ state: "detached" });
  await ann
    .locator("[data-quota]")
    .getByText(/used, without a limit/)
    .waitFor();
  await nothingWrong(ann);
});
