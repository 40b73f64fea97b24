import assert from "node:assert/strict";
import { model, setStage, test } from "./support/stage.mjs";
import { alone, button, message, nothingWrong, pair, post, reads } from "./support/steps.mjs";

setStage({ each: true });

test("lists, tables and formulas look as they were written", async () => {
  const [ann] = await alone("Write cases");
  const text = [
    "3. three\n4. four",
    "- [x] done\n- [ ] open",
    "| a | b |\n| :- | -: |\n| 1 | 2<br>3 |",
    "The rate is $\\frac{a_1}{b}$, or \\[ \\sum_{i=1}^{n} x_i \\] in all; it costs $5 to $6.",
  ];
  (await model.turn()).end(text.join("\n\n"));
  const draft = message(ann, "three");
  await draft.locator("math").nth(1).waitFor();
  assert.equal(await draft.locator("ol").getAttribute("start"), "3");
  assert.deepEqual(
    await draft.locator("input").evaluateAll((boxes) => boxes.map(({ type, checked }) => [type, checked])),
    [
      ["checkbox", true],
      ["checkbox", false],
    ],
  );
  assert.equal(await draft.locator("td").nth(1).getAttribute("align"), "right");
  assert.equal(await draft.locator("td br").count(), 1);
  assert.equal(await draft.locator("math mfrac").count(), 1);
  assert.equal(await draft.locator(".formula.display math").count(), 1);
  await draft.getByText("it costs $5 to $6.").waitFor();
  await nothingWrong(ann);
});

test("a message that takes for ever to format is shown as it was written, and the controls answer", async () => {
  const [ann, bob] = await pair({ text: "Write cases" });
  const turn = await model.turn();
  turn.write("A draft that goes on");
  await reads(ann, "A draft that goes on");
  const spiteful = "_a__".repeat(15_000);
  await bob.locator("#composer-text").fill(`@people ${spiteful}`);
  await bob.keyboard.press("Enter");
  const shown = ann.locator("article.message", { hasText: "_a___a__" });
  await shown.first().waitFor();
  await button(ann.locator(".control"), "Interrupt").click();
  assert.equal(await turn.dropped, true);
  await ann.getByTestId("gate").waitFor();
  assert.equal(await shown.locator(".as-written").count(), 1);
  // What would take long to draw, too, however quickly it is read.
  const line = await ann.context().newCDPSession(ann);
  // By the processor's time: how long it takes in all depends on what else the machine does.
  await line.send("Performance.enable", { timeDomain: "threadTicks" });
  const spent = async () => {
    const { metrics } = await line.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration").value;
  };
  const pieces = ["a\n\n", "# a\n", "a\\(\n\n", "- a\n", "*a* "];
  for (const [at, piece] of pieces.entries()) {
    const text = `@people Text ${at}\n\n${piece.repeat(64_000 / piece.length)}`;
    const before = await spent();
    assert.ok(await post(bob, { do: "say", data: { text } }));
    await ann
      .locator("article.message", { hasText: `Text ${at}` })
      .locator(".as-written")
      .waitFor();
    const took = (await spent()) - before;
    assert.ok(took < 1, `${JSON.stringify(piece)} held the page up for ${took} s`);
  }
  // What is merely long is formatted, a little later.
  const long = Array.from({ length: 400 }, (_, i) => `**word${i}** and \`code${i}\``).join(" ");
  await ann.locator("#composer-text").fill(`@people ${long}`);
  await ann.keyboard.press("Enter");
  await bob.locator("article.message strong", { hasText: "word399" }).waitFor();
  await nothingWrong(ann, bob);
});
