// What must never mislead, in every viewport and language: typing does not decide anything, text appears as written,
// expensive text blocks nobody, and pending decisions are announced.
import assert from "node:assert/strict";
import { forEachViewport, inViewport } from "./support/viewports.mjs";
import { model, setStage } from "./support/stage.mjs";
import { alone, connected, message, nothingWrong, reads, say, toGate, until } from "./support/steps.mjs";

setStage({ each: true });

const written = (page) => page.locator("#composer-text").inputValue();
const gate = (page) => page.getByTestId("gate");
const approve = (page) => gate(page).locator("[data-act=approve]");
const approveFocused = (page) => until(page, () => document.activeElement.dataset.act === "approve");

const DRAFT = [
  "3. three\n4. four",
  "- [x] done\n- [ ] open",
  "| a | b |\n| :- | -: |\n| 1 | 2<br>3 |",
  "The rate is $\\frac{a_1}{b}$; it costs $5 to $6.",
  "```python\nprint('one')\nprint('two')\n```",
].join("\n\n");

/** Typing does not decide anything, and text appears as written. */
async function typesAndReads(ann) {
  await ann.keyboard.type("are you sure");
  assert.equal(await written(ann), "are you sure");
  await ann.locator("#composer-text").fill("");

  (await model.turn()).end(DRAFT);
  const draft = message(ann, "three");
  await draft.locator("math mfrac").waitFor();
  assert.equal(await draft.locator("ol").getAttribute("start"), "3");
  const boxes = draft.locator("input");
  const checked = (all) => all.map((box) => [box.type, box.checked]);
  assert.deepEqual(await boxes.evaluateAll(checked), [
    ["checkbox", true],
    ["checkbox", false],
  ]);
  assert.equal(await draft.locator("td").nth(1).getAttribute("align"), "right");
  assert.equal(await draft.locator("td br").count(), 1);
  await draft.getByText("it costs $5 to $6.").waitFor();
  const code = draft.locator(".code-block");
  await code.getByText("python").waitFor();
  await ann.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await code.getByRole("button").first().click();
  const copied = await until(ann, () => navigator.clipboard.readText());
  assert.equal(await copied.jsonValue(), "print('one')\nprint('two')");

  (await model.turn()).end("A review.");
  await gate(ann).waitFor();
  // The tab shows that a decision waits, and no letter decides.
  await until(ann, () => document.title.startsWith("(1) "));
  await ann.evaluate(() => document.activeElement.blur());
  await ann.keyboard.type("all of this is wrong");
  assert.equal(await written(ann), "all of this is wrong");
  assert.equal(await ann.locator(".vote, .gate-decided").count(), 0);

  // The keyboard needs two steps, a finger one; typed text is kept.
  await ann.keyboard.press("Alt+a");
  await approveFocused(ann);
  assert.equal(await ann.locator(".vote, .gate-decided").count(), 0);
  await ann.keyboard.press("Enter");
  (await model.turn()).end("The final output.");
  await ann.locator(".gate-decided").waitFor();
  await until(ann, () => !document.title.startsWith("("));
  assert.equal(await written(ann), "all of this is wrong");
  await reads(ann, "The final output.");
  await ann.locator("#composer-text").fill("");
}

/** A text that takes very long to format blocks nobody. */
async function interrupts(ann, first) {
  const turn = await model.turn();
  turn.write("A draft that goes on");
  await reads(ann, "A draft that goes on");
  await say(first, `@people ${"_a__".repeat(15_000)}`);
  await ann.locator("article.message .as-written").first().waitFor();
  await ann.locator(".control-acts button").first().click();
  assert.equal(await turn.dropped, true);
  await gate(ann).waitFor();
}

/** Nobody decides while offline, and a decision stays where it was made. */
async function decides(ann) {
  await toGate(ann);
  await say(ann, "@people what do we think?");
  await reads(ann, "what do we think?");
  const decided = ann.locator(".vote, .gate-decided");
  const before = await decided.count();
  await ann.context().setOffline(true);
  await ann.locator('[data-connection="offline"]').first().waitFor();
  assert.ok(await approve(ann).isDisabled());
  await ann.keyboard.press("Alt+a");
  await ann.keyboard.press("Enter");
  await ann.context().setOffline(false);
  await connected(ann);
  assert.equal(await decided.count(), before);
  await approve(ann).click();
  (await model.turn()).end("Final.");
  await reads(ann, "Final.");
  await until(ann, () => {
    const top = (element) => element?.getBoundingClientRect().top;
    const said = [...document.querySelectorAll("article.message")];
    const words = (text) => top(said.find((one) => one.textContent.includes(text)));
    const fell = top([...document.querySelectorAll(".gate-decided")].at(-1));
    return words("what do we think?") < fell && fell < words("Final.");
  });
}

forEachViewport("typing decides nothing, nor does expensive text or a lost connection", async (viewport) => {
  const [first, address] = await alone("Write cases");
  const ann = await inViewport(first, address, viewport);
  await typesAndReads(ann);
  await say(ann, "Write more");
  await interrupts(ann, first);
  await say(ann, "Go on");
  await decides(ann);
  await nothingWrong(ann);
});
