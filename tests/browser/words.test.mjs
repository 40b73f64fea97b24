import assert from "node:assert/strict";
import { model, setStage, test } from "./support/stage.mjs";
import {
  alone,
  button,
  connected,
  message,
  nothingWrong,
  pair,
  reads,
  toGate,
  until,
} from "./support/steps.mjs";

setStage({ each: true });

const unsaid = (page) => page.getByTestId("unsaid");
const gate = (page) => page.getByTestId("gate");

/** Two people at the same gate. */
async function atGate() {
  const [ann, bob] = await pair({ text: "Write cases" });
  await toGate(ann);
  await gate(bob).waitFor();
  return [ann, bob];
}

test("my draft survives a decision by somebody else, and the next letters are not treated as shortcuts", async () => {
  const [ann, bob] = await atGate();
  await button(gate(bob), "Reject").click();
  await bob.keyboard.type("The refunds are miss");
  await button(gate(ann), "Approve").click();
  await unsaid(bob).getByText("operator (owner) approved while you were writing.").waitFor();
  await gate(bob).waitFor({ state: "detached" });
  await bob.keyboard.type("ing, and");
  const field = unsaid(bob).getByRole("textbox");
  assert.equal(await field.inputValue(), "The refunds are missing, and");
  assert.equal(await bob.getByRole("dialog").count(), 0, "no letter was a key");

  // The text survives a reload, and can be moved into a message.
  await bob.reload();
  await connected(bob);
  assert.equal(await field.inputValue(), "The refunds are missing, and");
  await button(unsaid(bob), "Move it to a message").click();
  await unsaid(bob).waitFor({ state: "detached" });
  assert.equal(await bob.locator("#composer-text").inputValue(), "The refunds are missing, and");
  await nothingWrong(ann, bob);
});

test("a discarded or sent draft is not offered again", async () => {
  const [ann, bob] = await atGate();
  await button(gate(bob), "Reject").click();
  await bob.keyboard.type("Never mind");
  await bob.keyboard.press("Escape");
  await button(gate(bob), "Reject").click();
  assert.equal(await gate(bob).getByRole("textbox").inputValue(), "");
  await bob.keyboard.type("Mind the refunds");
  await bob.keyboard.press("Enter");
  await bob.locator(".gate-decided").getByText("Mind the refunds").waitFor();
  assert.equal(await unsaid(bob).count(), 0);
  await nothingWrong(ann, bob);
});

test("typing continues in the composer if an empty field disappears with its gate", async () => {
  const [ann, bob] = await atGate();
  await button(gate(bob), "Reject").click();
  await gate(bob).getByRole("textbox").waitFor();
  await button(gate(ann), "Approve").click();
  await gate(bob).waitFor({ state: "detached" });
  await until(bob, () => document.activeElement.id === "composer-text");
  assert.equal(await unsaid(bob).count(), 0);
  await nothingWrong(ann, bob);
});

test("a message keeps its line breaks, also while it waits", async () => {
  const [ann] = await alone("Write cases");
  const draft = await model.turn();
  draft.write("Working");
  await reads(ann, "Working");
  const lines = async (text) => {
    await ann.locator("#composer-text").focus();
    for (const [i, line] of text.entries()) {
      if (i > 0) await ann.keyboard.press("Shift+Enter");
      await ann.keyboard.type(line);
    }
    await ann.keyboard.press("Enter");
  };
  await lines(["@people first", "second", "third"]);
  await reads(ann, "second");
  const height = (locator) =>
    locator.evaluate((box) => box.getClientRects()[0].height / parseFloat(getComputedStyle(box).lineHeight));
  assert.equal(Math.round(await height(message(ann, "second").locator(".markdown p"))), 3);
  await lines(["one", "two"]);
  const waiting = ann.locator(".inbox li[data-waiting] .waiting-text");
  assert.equal(Math.round(await height(waiting)), 2);
  await nothingWrong(ann);
});

test("the page never scrolls sideways, whatever is opened in the panel", async () => {
  const [ann] = await atGate();
  for (const width of [1100, 1280, 1440]) {
    await ann.setViewportSize({ width, height: 800 });
    for (const tab of await ann.getByRole("tab").all()) {
      await tab.click();
      await tab.focus();
      const [left, right] = await ann.evaluate(() => {
        const { left, right } = document.querySelector(".shell").getBoundingClientRect();
        return [left, right];
      });
      assert.deepEqual([left, right], [0, width], `${await tab.textContent()} at ${width}`);
    }
    assert.equal(await ann.evaluate(() => document.documentElement.scrollWidth), width);
  }
  await nothingWrong(ann);
});
