import assert from "node:assert/strict";
import { faults } from "./support/axe.mjs";
import { shop } from "./support/shop.mjs";
import { browser, setStage, test } from "./support/stage.mjs";
import { accept, alone, anotherOf, button, invite, nothingWrong, say } from "./support/steps.mjs";

// A call shows whose messages led to it, and a rule can depend on that.
setStage({ each: true, demo: { config: shop } });

const gate = (page) => page.locator('[data-testid="gate"][data-kind="tool"]:visible');
const sources = (place) => place.getByTestId("sources");

test("a call caused by a guest says so, with links, and waits for the stricter gate", async () => {
  const [ann, address] = await alone("", { team: "(ReAct)" });
  const bob = await browser.person();
  await accept(bob, await invite(ann, "member"), "Bob");

  // With the keyboard: a rule for calls that guests or the web led to.
  await button(ann.locator(".rules"), "Settings").click();
  const dialog = ann.getByRole("dialog");
  await button(dialog, "Add a rule").click();
  const rule = dialog.getByRole("group", { name: "Rule 1" });
  const causes = rule.getByRole("group", { name: "Only for calls caused by" });
  await causes.getByLabel("guests").focus();
  await ann.keyboard.press("Space");
  await ann.keyboard.press("Tab");
  await ann.keyboard.press("Space");
  await rule.getByLabel("Someone else must approve").check();
  assert.deepEqual(await faults(ann), []);
  await button(dialog, "Save").click();
  await dialog.waitFor({ state: "detached" });
  await ann.locator(".rules").getByText("Tool call, caused by guests and the web: The first vote").waitFor();

  await say(bob, 'Do it\n/tool mcp_shop_restart {"node":"a1"}');
  await gate(bob).getByText("You cannot approve this").waitFor();
  const shown = sources(gate(ann));
  await shown.getByText("From guests").click();
  const link = button(shown, "Message of Bob (guest)");
  await link.waitFor();
  assert.deepEqual(await faults(ann), []);
  await link.click();
  await ann.locator(".message.current", { hasText: "Do it" }).waitFor();

  // The same on a phone, in Chinese.
  const phone = await anotherOf(ann, {
    viewport: { width: 360, height: 640 },
    hasTouch: true,
    isMobile: true,
    locale: "zh-CN",
  });
  await phone.goto(address);
  await sources(gate(phone)).getByText("来自：访客").click();
  await button(sources(gate(phone)), "Bob（访客） 的消息").waitFor();
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  assert.deepEqual(await faults(phone), []);

  await button(gate(ann), "Allow this call").click();
  await button(gate(ann), "Approve now").click();
  const call = ann.locator('.tool[data-state="completed"]', { hasText: "a1" });
  await call.waitFor();
  await ann.locator(".note", { hasText: "The run is finished" }).first().waitFor();
  await call.locator(".tool-line").click();
  await sources(call).getByText("From guests").waitFor();

  // The result is a source of the next call.
  await say(ann, 'Again\n/tool mcp_shop_restart {"node":"b2"}');
  await sources(gate(ann))
    .getByText(/^From people, guests, agents, the web,? and external tools$/)
    .click();
  await button(sources(gate(ann)), /^Result of mcp_shop_restart( \(.*\))?, read by Assistant$/).waitFor();
  await button(sources(gate(ann)), "Message of operator").waitFor();
  await nothingWrong(ann, bob, phone);
});
