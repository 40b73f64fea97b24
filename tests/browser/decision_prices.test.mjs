// The price of a decision is shown before it is made.
import assert from "node:assert/strict";
import { model, setStage, test } from "./support/stage.mjs";
import { alone, button, nothingWrong, reads, settings } from "./support/steps.mjs";
import { inSight, inViewport, PHONE } from "./support/viewports.mjs";

setStage({ each: true });

const gate = (page, kind) => page.locator(`[data-testid="gate"][data-kind="${kind}"]:visible`);
const price = (page, action) => page.getByTestId(`${action}-cost`);

/** Waits until this price can be seen and reads like this, without widening the page. */
async function seesPrice(page, action, text) {
  await price(page, action).filter({ hasText: text }).waitFor();
  await inSight(price(page, action));
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
}

/** Checks that a screen reader says this price with the button. */
async function describes(page, action, control) {
  const id = await control.getAttribute("aria-describedby");
  assert.equal(await page.locator(`[id="${id}"]`).getAttribute("data-testid"), `${action}-cost`);
}

for (const [viewport, options] of [
  ["on a desktop", {}],
  ["on a phone", PHONE],
]) {
  test(`an interrupt, a cancel, another version and a retry show their prices, ${viewport}`, async () => {
    const [first, address] = await alone("Write test cases");
    await settings(first, { max_attempts: 1 });
    const ann = await inViewport(first, address, { options });

    // Nothing is written yet, so nothing would be discarded.
    const draft = await model.turn();
    const control = ann.locator(".control");
    await button(control, "Interrupt").waitFor();
    assert.equal(await price(ann, "interrupt").count(), 0);
    await button(control, "Cancel run").click();
    const dialog = ann.getByRole("dialog");
    await dialog.getByText("The agents stop").waitFor();
    assert.equal(await price(ann, "cancel").count(), 0);
    await button(dialog, "Keep running").click();

    draft.write("word".repeat(300));
    await reads(ann, "wordword");
    await seesPrice(ann, "interrupt", /^Interrupting discards about 300 tokens \(\$\d\S*\)$/);
    await describes(ann, "interrupt", button(control, "Interrupt"));
    await button(control, "Cancel run").click();
    await seesPrice(
      dialog,
      "cancel",
      /^Ending the run discards about 300 tokens \(\$\d\S*\) of unfinished text$/,
    );
    await nothingWrong(ann);
    await button(dialog, "Keep running").click();
    await dialog.waitFor({ state: "detached" });

    // Two turns of 200 tokens each wrote what people are asked about.
    draft.end();
    (await model.turn()).end("A review.");
    const feedback = gate(ann, "feedback");
    await feedback.waitFor();
    const another = /^Another version uses about 400 tokens \(\$\d\S*\), as this one did$/;
    if (options === PHONE) assert.equal(await price(ann, "rewrite").isVisible(), false);
    else await seesPrice(ann, "rewrite", another);
    await describes(ann, "rewrite", button(feedback, "Reject"));
    assert.equal(await price(ann, "interrupt").count(), 0);
    await button(feedback, "Reject").click();
    await seesPrice(ann, "rewrite", another);
    await nothingWrong(ann);
    await button(feedback, "Cancel").click();

    // The last turn fails.
    await button(feedback, "Approve").click();
    const last = await model.turn();
    last.write("Half of");
    await reads(ann, "Half of");
    last.response.destroy();
    await button(ann, "Try again").waitFor();
    await seesPrice(ann, "retry", /^A retry uses about [\d,]+ tokens \(\$\d\S*\), as the last attempt did$/);
    await describes(ann, "retry", button(ann, "Try again"));
    await nothingWrong(ann, first);
  });
}
