// Little room: 200 % and 400 % zoom, a phone on its side. What is decided on can be read, and what decides can be reached.
import assert from "node:assert/strict";
import { browser, setStage, test } from "./support/stage.mjs";
import {
  accept,
  anotherOf,
  begin,
  connected,
  invite,
  nothingWrong,
  say,
  settings,
  signedIn,
} from "./support/steps.mjs";

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

for (const [locale, ask] of [
  ["en-GB", "Write test cases for the payment interface"],
  ["zh-CN", "生成支付接口的测试用例"],
]) {
  test(`on a phone, half of the screen is for the text while people decide, in ${locale}`, async () => {
    const ann = await signedIn({ locale });
    // The most that such a gate has to say: whom it waits for, by name.
    const address = await begin(ann, "");
    await accept(await browser.person({ locale }), await invite(ann, "reviewer"), "Bob Lindqvist");
    await settings(ann, { approval: { rule: "at_least", n: 2 } });
    await say(ann, ask);
    await ann.getByTestId("gate").waitFor();
    const phone = await anotherOf(ann, { ...ROOMS["a phone"], locale });
    await phone.goto(address);
    await connected(phone);
    const gate = phone.getByTestId("gate");
    await gate.waitFor();
    await gate.getByTestId("missing").waitFor();
    const share = () => phone.evaluate(() => document.querySelector(".timeline").clientHeight / innerHeight);
    assert.ok((await share()) >= 0.5, `the text has ${await share()} of the screen`);
    // Everybody who can be addressed is within reach, in one row.
    const chips = await gate.locator(".address .chip").all();
    const tops = await Promise.all(chips.map((chip) => chip.evaluate((one) => one.offsetTop)));
    assert.equal(new Set(tops).size, 1);
    await chips.at(-1).scrollIntoViewIfNeeded();
    assert.ok((await seen(chips.at(-1))) >= 24);
    for (const act of await gate.locator(".dock-actions button").all()) assert.ok((await seen(act)) >= 40);
    await nothingWrong(phone);
  });
}
