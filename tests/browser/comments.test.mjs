import assert from "node:assert/strict";
import { faults } from "./support/axe.mjs";
import { nightShift, restart } from "./support/night.mjs";
import { setStage, test } from "./support/stage.mjs";
import { anotherOf, button, nothingWrong, pair, say, settings } from "./support/steps.mjs";

// Comments on the arguments of a call hold its gate until they are resolved.
setStage({ each: true, demo: { config: nightShift } });

const gate = (page) => page.locator('[data-testid="gate"]:visible');
const comments = (page) => gate(page).getByTestId("comments");
// The accessible label also contains the current text.
const field = (page) => comments(page).locator(".comment-form").last().locator("textarea");
const thread = (page) => comments(page).getByTestId("thread");

/** Opens the comments; before the first one there is only a button. */
async function show(page) {
  const list = comments(page).locator("details");
  await list.waitFor();
  if (!(await list.evaluate((one) => one.open))) await list.locator("summary").click();
}

test("a comment on an argument holds the call until it is resolved, also on a phone", async () => {
  const [ann, bob, address] = await pair({ role: "reviewer", team: "Night shift" });
  await settings(ann, { approval_rules: [{ gate: "tool", quorum: { kind: "any" }, comments_hold: true }] });
  await say(ann, restart("a1"));
  // With the keyboard: open the form, choose the argument, write and send.
  await button(gate(bob), "Comment on a part").focus();
  await bob.keyboard.press("Enter");
  await comments(bob).getByLabel("About").waitFor();
  const options = await comments(bob).getByLabel("About").locator("option").allTextContents();
  const about = options.find((one) => one.includes("a1"));
  assert.ok(about, options.join(", "));
  await comments(bob).getByLabel("About").selectOption(about);
  await field(bob).fill("Why this one?");
  await bob.keyboard.press("Tab");
  await field(bob).press("Control+Enter");
  await thread(bob).getByText("Why this one?").waitFor();
  assert.equal(await field(bob).inputValue(), "");
  assert.deepEqual(await faults(bob), []);

  await ann.getByTestId("held").waitFor();
  await button(gate(ann), "Allow this call").click();
  await button(gate(ann), "Approve now").click();
  await gate(ann).getByText(/1 of/).first().waitFor();
  assert.equal(await gate(ann).count(), 1, "an approval does not pass it");

  const phone = await anotherOf(ann, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await phone.goto(address);
  await show(phone);
  await thread(phone).getByText("Why this one?").waitFor();
  await button(thread(phone), "Reply").tap();
  await thread(phone).getByLabel("Reply").fill("It is the oldest.");
  await button(thread(phone), "Send comment").tap();
  await thread(phone).getByText("It is the oldest.").waitFor();
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  assert.deepEqual(await faults(phone), []);

  await show(bob);
  await thread(bob).getByText("It is the oldest.").waitFor();
  await button(thread(bob), "Resolve").click();
  await ann.locator(".note", { hasText: "The run is finished" }).first().waitFor();
  await nothingWrong(ann, bob, phone);
});

test("a comment on text that was edited since is marked as outdated, and stays", async () => {
  const [ann, bob] = await pair({ role: "reviewer", team: "Night shift" });
  await settings(ann, {
    approval_rules: [{ gate: "tool", quorum: { kind: "at_least", n: 2 }, comments_hold: true }],
  });
  await say(ann, restart("a1"));
  await button(gate(bob), "Comment on a part").click();
  await field(bob).fill("Say why.");
  await button(comments(bob), "Send comment").click();
  await thread(bob).getByText("Say why.").waitFor();
  await button(gate(ann), "Edit arguments").click();
  await gate(ann).getByLabel("Note").fill("it hangs");
  await button(gate(ann), "Approve with these changes").click();
  await button(gate(ann), "Approve now").click();
  await thread(bob).getByText("outdated: about version 1").waitFor();
  await button(thread(bob), "Resolve").click();
  await thread(bob)
    .getByText(/resolved by/)
    .waitFor();
  await button(thread(bob), "Open again").click();
  await ann.getByTestId("held").waitFor();
  // Nobody else has a delete button.
  assert.equal(await button(thread(ann), "Delete").count(), 0);
  await button(thread(bob), "Delete").click();
  await thread(ann).getByText("This comment was deleted.").waitFor({ state: "attached" });
  await ann.getByTestId("held").waitFor({ state: "detached" });
  await nothingWrong(ann, bob);
});

test("a line of a file is commented on in its preview, with the mouse and with the keyboard", async () => {
  const [ann, bob] = await pair({ role: "reviewer", team: "Night shift" });
  await settings(ann, { approval_rules: [{ gate: "tool", quorum: { kind: "any" }, comments_hold: true }] });
  const rules = {
    name: "rules.md",
    mimeType: "text/markdown",
    buffer: Buffer.from("# Rules\n\nPay once.\nRefund twice.\n"),
  };
  await ann.locator(".composer input[type=file]").setInputFiles([rules]);
  await ann.locator('.enclosed [data-chosen="rules.md"]').waitFor();
  await say(ann, restart("a1"));
  await gate(bob).waitFor();
  await bob.locator('[data-file="rules.md"]').first().click();
  const preview = bob.getByTestId("preview");
  await button(preview, "Comment").click();
  await button(preview, "Comment on line 4").click();
  const form = preview.locator(".comment-form").last();
  assert.equal(await form.getByLabel("Line").inputValue(), "4");
  await form.locator("textarea").fill("Only once.");
  await form.locator("textarea").press("Control+Enter");
  await preview.getByTestId("thread").getByText("Only once.").waitFor();
  await preview.locator("q", { hasText: "Refund twice." }).waitFor();
  assert.equal(await form.getByLabel("Line").inputValue(), "");
  assert.deepEqual(await faults(bob), []);
  await bob.keyboard.press("Escape");

  // At the gate, the thread names the file, and the form offers it.
  await ann.getByTestId("held").waitFor();
  await show(ann);
  await button(thread(ann), "rules.md").click();
  await ann.getByTestId("preview").waitFor();
  await ann.keyboard.press("Escape");
  await comments(ann).getByLabel("About").selectOption({ label: "rules.md" });
  await comments(ann).getByLabel("Line").fill("9");
  await field(ann).fill("And this?");
  await field(ann).press("Control+Enter");
  await comments(ann).getByText("has no such line").waitFor();
  await comments(ann).getByLabel("Line").fill("3");
  await field(ann).press("Control+Enter");
  await thread(ann).locator("q", { hasText: "Pay once." }).waitFor();

  const phone = await anotherOf(bob, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await phone.goto(bob.url());
  await show(phone);
  assert.equal(await thread(phone).count(), 2);
  await button(thread(phone), "rules.md").first().tap();
  await button(phone.getByTestId("preview"), "Comment").tap();
  await phone.getByTestId("preview").getByText("And this?").waitFor();
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  await nothingWrong(ann, bob, phone);
});
