// Every kind of gate, in every room and language: what is decided on can be read whole, and what decides can be reached.
import assert from "node:assert/strict";
import { forEachRoom, inRoom } from "./support/rooms.mjs";
import { shop } from "./support/shop.mjs";
import { server, setStage } from "./support/stage.mjs";
import { begin, connected, nothingWrong, say, signedIn, until } from "./support/steps.mjs";

setStage({ each: true, demo: { config: shop } });

const NOTE = "import os\nfor n in range(3):\n    os.stat('a')";
const CALL = JSON.stringify({ node: "clerk", note: NOTE });
const gate = (page, kind) => page.locator(`[data-testid="gate"][data-kind="${kind}"]:visible`);

/** It can be brought into sight, and lies below nothing else. */
async function inSight(locator) {
  await locator.scrollIntoViewIfNeeded();
  const rows = await locator.evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2;
    let rows = 0;
    for (let y = Math.max(0, Math.ceil(top)); y < Math.min(bottom, innerHeight); y++)
      if (element.contains(document.elementFromPoint(x, y))) rows++;
    return rows;
  });
  assert.ok(rows >= 12, `${rows} rows of pixels of ${await locator.textContent()}`);
}

forEachRoom("a call is read, changed and held, and a form of a tool is answered", async (room) => {
  const first = await signedIn();
  const address = await begin(first, `Do it\n/tool mcp_shop_restart ${CALL}`, { team: "(ReAct)" });
  const ann = await inRoom(first, address, room);
  const call = gate(ann, "tool");
  await call.waitFor();
  // Line breaks are line breaks.
  const text = call.locator(".text-argument pre").first();
  assert.equal((await text.innerText()).trim(), NOTE);
  await inSight(call.locator(".call-name"));
  await inSight(text);
  assert.ok(
    await ann.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
    "nothing is cut at the side",
  );

  await call.locator('[aria-keyshortcuts="Alt+E"]').last().click();
  const field = call.locator("textarea").first();
  assert.equal(await field.inputValue(), NOTE);
  await field.fill(NOTE.replace("range(3)", "range(30)"));
  await call.locator(".diff.new", { hasText: "range(30)" }).first().waitFor();
  const submit = call.locator(".editor [type=submit]");
  await inSight(submit);
  await submit.click();
  // It is held for some seconds; taken back, the form is there as it was.
  const held = call.locator(".dock-held");
  await held.waitFor();
  await ann.keyboard.press("Escape");
  await held.waitFor({ state: "detached" });
  await submit.click();
  await held.waitFor();
  assert.equal(await ann.locator(".gate-decided").count(), 0);
  await call.locator(".dock-held ~ button, .dock-actions:has(.dock-held) button").last().click();

  const question = gate(ann, "question");
  await question.waitFor();
  await inSight(question.getByTestId("origin"));
  await question.locator("input").first().fill("Friday");
  const answer = question.locator("[type=submit]");
  await inSight(answer);
  await answer.click();
  await question.waitFor({ state: "detached" });
  await ann.locator(".note.good").first().waitFor();
  await nothingWrong(ann);
});

forEachRoom(
  "a call of which nobody knows whether it happened is asked about after a restart",
  async (room) => {
    const first = await signedIn();
    const address = await begin(first, 'Do it\n/tool mcp_shop_restart {"node":"endless"}', {
      team: "(ReAct)",
    });
    const ann = await inRoom(first, address, room);
    await gate(ann, "tool").locator("[data-act=approve]").click();
    await until(ann, () => document.querySelector(".dock-held"));
    await gate(ann, "tool").locator(".dock-actions:has(.dock-held) button").last().click();
    await ann.locator('.tool[data-state="started"]').waitFor();
    await server.kill();
    await ann.locator('[data-connection="offline"]').first().waitFor();
    await server.restart();
    await connected(ann);
    const uncertain = gate(ann, "uncertain");
    await uncertain.waitFor();
    await inSight(uncertain.getByRole("heading").first());
    await inSight(uncertain.locator(".dock-call"));
    const reject = uncertain.locator('[aria-keyshortcuts="Alt+R"]');
    await inSight(reject);
    await reject.click();
    await ann.keyboard.type("It was not restarted");
    await ann.keyboard.press("Enter");
    await uncertain.waitFor({ state: "detached" });
    await ann.locator(".gate-decided").first().waitFor();
    await nothingWrong(ann);
  },
);

forEachRoom("a run that was interrupted is decided about", async (room) => {
  const first = await signedIn();
  const address = await begin(first, 'Do it\n/tool mcp_shop_restart {"node":"endless"}', { team: "(ReAct)" });
  const ann = await inRoom(first, address, room);
  await gate(ann, "tool").locator("[data-act=approve]").click();
  await gate(ann, "tool").locator(".dock-actions:has(.dock-held) button").last().click();
  await ann.locator('.tool[data-state="started"]').waitFor();
  await ann.locator(".control-acts button").first().and(ann.locator(":enabled")).click();
  const stopped = gate(ann, "feedback");
  await stopped.waitFor();
  await inSight(stopped.getByRole("heading").first());
  await inSight(stopped.getByRole("button").last());
  await say(ann, "Go on without it");
  await stopped.waitFor({ state: "detached" });
  await ann.locator(".note.good, .gate-decided").first().waitFor();
  await nothingWrong(ann);
});
