// A phone while people decide: the text keeps the middle of the screen.
import assert from "node:assert/strict";
import { inSight, PHONE, rowsSeen } from "./support/viewports.mjs";
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

for (const [locale, ask] of [
  ["en-GB", "Write test cases for the payment interface"],
  ["zh-CN", "生成支付接口的测试用例"],
]) {
  test(`on a phone, half of the screen is left for the text while people decide, in ${locale}`, async () => {
    const ann = await signedIn({ locale });
    // The longest text of such a gate: the names of the people it waits for.
    const address = await begin(ann, "");
    await accept(await browser.person({ locale }), await invite(ann, "reviewer"), "Bob Lindqvist");
    await settings(ann, { approval: { kind: "at_least", n: 2 } });
    await say(ann, ask);
    await ann.getByTestId("gate").waitFor();
    const phone = await anotherOf(ann, { ...PHONE, locale });
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
    await inSight(chips.at(-1), 24);
    // The deciding buttons are in view without scrolling, and tall enough to tap.
    for (const act of await gate.locator(".dock-actions button").all())
      assert.ok((await rowsSeen(act)) >= 40);
    await nothingWrong(phone);
  });
}
