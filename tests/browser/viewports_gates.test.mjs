// Every kind of gate, in every viewport and language, also in landscape and at 400 % zoom: its subject can be read
// completely, and its buttons can be reached.
import assert from "node:assert/strict";
import { forEachViewport, inViewport, inSight, readable } from "./support/viewports.mjs";
import { shop } from "./support/shop.mjs";
import { server, setStage } from "./support/stage.mjs";
import { begin, connected, nothingWrong, say, signedIn } from "./support/steps.mjs";

setStage({ each: true, demo: { config: shop } });

const NOTE = "import os\nfor n in range(3):\n    os.stat('a')";
const CALL = `Do it\n/tool mcp_shop_restart ${JSON.stringify({ node: "clerk", note: NOTE })}`;
const ENDLESS = 'Do it\n/tool mcp_shop_restart {"node":"endless"}';
const gate = (page, kind) => page.locator(`[data-testid="gate"][data-kind="${kind}"]:visible`);
const acts = (gate) => gate.locator(".dock-actions button:visible");
const sendNow = (gate) => gate.locator(".dock-actions:has(.dock-held) button").last();

/** Waits until the call that never ends is in progress. */
async function underWay(page) {
  const call = gate(page, "tool");
  await call.locator("[data-act=approve]").click();
  await sendNow(call).click();
  await page.locator('.tool[data-state="started"]').waitFor();
}

async function finished(page) {
  await page.locator(".control").waitFor({ state: "detached" });
}

/** Reads, edits, holds, withdraws and sends a call. */
async function changesCall(page, viewport) {
  const call = gate(page, "tool");
  await call.waitFor();
  // Line breaks are preserved.
  const text = call.locator(".text-argument pre").first();
  assert.equal((await text.innerText()).trim(), NOTE);
  await readable(page, viewport, call.getByRole("heading"), call.locator(".call-name"), text, acts(call));
  await call.locator('[aria-keyshortcuts="Alt+E"]').last().click();
  const field = call.locator("textarea").first();
  assert.equal(await field.inputValue(), NOTE);
  await field.fill(NOTE.replace("range(3)", "range(30)"));
  const changed = call.locator(".diff.new", { hasText: "range(30)" }).first();
  await changed.waitFor();
  const submit = call.locator(".editor [type=submit]");
  await readable(page, viewport, changed, submit);
  await submit.click();
  const held = call.locator(".dock-held");
  await held.waitFor();
  await inSight(held);
  await page.keyboard.press("Escape");
  await held.waitFor({ state: "detached" });
  await submit.click();
  await held.waitFor();
  assert.equal(await page.locator(".gate-decided").count(), 0);
  await sendNow(call).click();
}

/** Answers the form of a tool. */
async function answersForm(page, viewport) {
  const question = gate(page, "question");
  await question.waitFor();
  const field = question.locator("input").first();
  const answer = question.locator("[type=submit]");
  const labels = question.locator(".form-field");
  await readable(
    page,
    viewport,
    question.getByRole("heading"),
    question.getByTestId("origin"),
    labels,
    answer,
  );
  await field.fill("Friday");
  await answer.click();
  await question.waitFor({ state: "detached" });
}

/** After a restart, people are asked about a call whose outcome is unknown. */
async function settlesUncertain(page, viewport) {
  await server.kill();
  await page.locator('[data-connection="offline"]').first().waitFor();
  await server.restart();
  await connected(page);
  const uncertain = gate(page, "uncertain");
  await uncertain.waitFor();
  await readable(
    page,
    viewport,
    uncertain.getByRole("heading").first(),
    uncertain.locator(".dock-call"),
    acts(uncertain),
  );
  await uncertain.locator('[aria-keyshortcuts="Alt+R"]').click();
  await page.keyboard.type("It was not restarted");
  await page.keyboard.press("Enter");
  await uncertain.waitFor({ state: "detached" });
}

/** Decides how an interrupted run continues. */
async function goesOn(page, viewport) {
  await page.locator(".control-acts button").first().and(page.locator(":enabled")).click();
  const stopped = gate(page, "feedback");
  await stopped.waitFor();
  await readable(page, viewport, stopped.getByRole("heading").first(), acts(stopped));
  await say(page, "Go on without it");
  await stopped.waitFor({ state: "detached" });
}

/** Reads, folds, unfolds and confirms a plan. */
async function confirmsPlan(page, viewport) {
  const plan = gate(page, "plan");
  await plan.waitFor();
  const approve = plan.locator("[data-act=approve]");
  const lines = plan.locator(".plan-items .plan-what");
  await readable(page, viewport, plan.getByRole("heading").first(), lines, acts(plan));
  // Folded, it leaves the space to the conversation; unfolded, it looks as before.
  const fold = plan.locator(".dock-fold");
  await fold.click();
  assert.ok(!(await approve.isVisible()));
  await fold.click();
  await approve.click();
  await plan.waitFor({ state: "detached" });
}

forEachViewport("every kind of gate can be read, reached and decided", async (viewport) => {
  const first = await signedIn();
  const ann = await inViewport(first, await begin(first, CALL, { team: "(ReAct)" }), viewport);
  await changesCall(ann, viewport);
  await answersForm(ann, viewport);
  await finished(ann);
  await say(ann, ENDLESS);
  await underWay(ann);
  await settlesUncertain(ann, viewport);
  await finished(ann);
  await say(ann, ENDLESS);
  await underWay(ann);
  await goesOn(ann, viewport);
  await finished(ann);
  await ann.goto(await begin(first, "Why is the payment slow?", { team: "(brain)" }));
  await connected(ann);
  await confirmsPlan(ann, viewport);
  await nothingWrong(ann);
});
