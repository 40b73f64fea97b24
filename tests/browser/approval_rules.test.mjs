import assert from "node:assert/strict";
import { faults } from "./support/axe.mjs";
import { shop } from "./support/shop.mjs";
import { browser, setStage, test } from "./support/stage.mjs";
import {
  accept,
  acceptSignedIn,
  alone,
  anotherOf,
  button,
  invite,
  member,
  nothingWrong,
  say,
} from "./support/steps.mjs";

// The shop's tool changes something outside, so people are asked before each call.
setStage({ each: true, demo: { config: shop } });

const gate = (page) => page.locator('[data-testid="gate"][data-kind="tool"]:visible');

test("the owner sets a rule for tool calls, cannot approve their own call, and somebody else approves it", async () => {
  const [ann, address] = await alone("", { team: "(ReAct)" });
  await button(ann.locator(".rules"), "Settings").click();
  const dialog = ann.getByRole("dialog");
  await button(dialog, "Add a rule").click();
  const rule = dialog.getByRole("group", { name: "Rule 1" });
  await rule.locator('[name="kind"]').selectOption("tool");
  await rule.locator('[name="quorum"]').selectOption("at_least");
  await rule.getByRole("spinbutton", { name: "Number of approvals" }).fill("1");
  await rule.getByLabel("Someone else must approve").check();
  assert.deepEqual(await faults(ann), []);
  await button(dialog, "Save").click();
  await dialog.waitFor({ state: "detached" });
  await ann.locator(".rules").getByText("Tool call: 1 approval needed · Someone else must approve").waitFor();

  await say(ann, 'Do it\n/tool mcp_shop_restart {"node":"a1"}');
  const approve = button(gate(ann), "Allow this call");
  await approve.waitFor();
  assert.ok(await approve.isDisabled());
  await gate(ann).getByText("You cannot approve this").waitFor();
  await gate(ann).getByText("No one in this session can approve this").waitFor();
  assert.ok(await button(gate(ann), "Do not allow").isEnabled());
  assert.ok(await button(gate(ann), "Edit arguments").isEnabled());
  assert.deepEqual(await faults(ann), []);

  const phone = await anotherOf(ann, {
    viewport: { width: 360, height: 640 },
    hasTouch: true,
    isMobile: true,
  });
  await phone.goto(address);
  await gate(phone).getByText("You cannot approve this").waitFor();
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);

  // A guest can be anybody, including Ann.
  const eve = await browser.person();
  await accept(eve, await invite(ann, "reviewer"), "Eve");
  await gate(eve).getByText("You are here as a guest").waitFor();
  await gate(ann).getByText("No one in this session can approve this").waitFor();

  const bob = await member("Bob");
  await acceptSignedIn(bob, await invite(ann, "reviewer"));
  await gate(ann).getByText("Waiting for Bob (here now)").waitFor();
  await gate(bob).getByText("Someone who did not start or steer this run").waitFor();
  await bob.goto("about:blank");
  await gate(ann).getByText("No one who can approve is here. Ask Bob.").waitFor();
  await bob.goto(address);
  await button(gate(bob), "Allow this call").click();
  await button(gate(bob), "Approve now").click();
  for (const page of [ann, bob, eve])
    await page.locator(".note", { hasText: "The run is finished" }).first().waitFor();
  await nothingWrong(ann, bob, eve, phone);
});
