// Little room: 200 % and 400 % zoom, a phone on its side. What is decided on can be read, and what decides can be reached.
import assert from "node:assert/strict";
import { setStage, test } from "./support/stage.mjs";
import { anotherOf, begin, connected, nothingWrong, signedIn } from "./support/steps.mjs";

setStage({ each: true, demo: {} });

const ROOMS = {
  "200 % zoom": { viewport: { width: 680, height: 430 } },
  "400 % zoom": { viewport: { width: 340, height: 215 } },
  "a phone on its side": { viewport: { width: 844, height: 390 }, hasTouch: true, isMobile: true },
  "a phone": { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};

/** How much of it is in sight, and not below something else. */
function seen(locator) {
  return locator.evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const x = (left + right) / 2;
    let rows = 0;
    for (let y = Math.max(0, Math.ceil(top)); y < Math.min(bottom, innerHeight); y++)
      if (element.contains(document.elementFromPoint(x, y))) rows++;
    return rows;
  });
}

for (const locale of ["en-GB", "zh-CN"]) {
  for (const [room, options] of Object.entries(ROOMS)) {
    test(`a plan is read whole and confirmed at ${room}, in ${locale}`, async () => {
      const ann = await signedIn();
      const address = await begin(ann, "Why is the payment slow?", { team: "(brain)" });
      await ann.getByTestId("gate").waitFor();
      const small = await anotherOf(ann, { ...options, locale });
      await small.goto(address);
      await connected(small);
      const gate = small.getByTestId("gate");
      await gate.waitFor();
      const approve = gate.locator("[data-act=approve]");
      // Each step can be brought into sight, with its line in full.
      for (const step of await gate.locator(".plan-steps .plan-what").all()) {
        await step.evaluate((element) => element.scrollIntoView({ block: "nearest" }));
        assert.ok((await seen(step)) >= 12, await step.textContent());
      }
      const heading = gate.getByRole("heading").first();
      await heading.scrollIntoViewIfNeeded();
      assert.ok((await seen(heading)) >= 12);
      assert.ok(
        await small.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        "nothing is cut at the side",
      );
      // Folded, it leaves the room to the conversation; unfolded it is as it was.
      const fold = gate.locator(".dock-fold");
      await fold.click();
      assert.ok(!(await approve.isVisible()));
      await fold.click();
      await nothingWrong(small);
      await approve.scrollIntoViewIfNeeded();
      assert.ok((await seen(approve)) >= 12);
      await approve.click();
      await gate.waitFor({ state: "detached" });
    });
  }
}
