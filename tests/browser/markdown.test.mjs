import assert from "node:assert/strict";
import { model, setStage, test } from "./support/stage.mjs";
import { alone, button, message, nothingWrong, pair, post, reads, say } from "./support/steps.mjs";

setStage({ each: true });

test("lists, tables and formulas are rendered as written", async () => {
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

test("a message that takes too long to format is shown as plain text, and the controls stay responsive", async () => {
  const [ann, bob] = await pair({ text: "Write cases" });
  const line = await ann.context().newCDPSession(ann);
  // Measured in CPU time, because elapsed time depends on the load of the machine. Whole tasks would include
  // Playwright's own searches in the long text.
  await line.send("Performance.enable", { timeDomain: "threadTicks" });
  const spent = async () => {
    const { metrics } = await line.send("Performance.getMetrics");
    const page = ["ScriptDuration", "LayoutDuration", "RecalcStyleDuration"];
    return metrics.reduce((sum, { name, value }) => sum + (page.includes(name) ? value : 0), 0);
  };
  // Text that takes long to parse, and text that is parsed quickly but would take long to render.
  const pieces = ["_a__", "a\n\n", "# a\n", "a\\(\n\n", "- a\n", "*a* "];
  for (const [at, piece] of pieces.entries()) {
    const turn = await model.turn();
    turn.write(`Draft ${at} goes on`);
    await reads(ann, `Draft ${at} goes on`);
    const text = `@people Text ${at}\n\n${piece.repeat(60_000 / piece.length)}`;
    const before = await spent();
    assert.ok(await post(bob, { do: "say", data: { text } }));
    const costly = ann.locator("article.message", { hasText: `Text ${at}` });
    await costly.first().waitFor();
    await button(ann.locator(".control"), "Interrupt").click();
    assert.equal(await turn.dropped, true);
    await ann.getByTestId("gate").waitFor();
    await costly.locator(".as-written").waitFor();
    const took = (await spent()) - before;
    assert.ok(took < 1, `${JSON.stringify(piece)} held the page up for ${took} s`);
    await say(ann, "Go on");
  }
  // Text that is only long is formatted a little later.
  const long = Array.from({ length: 400 }, (_, i) => `**word${i}** and \`code${i}\``).join(" ");
  await ann.locator("#composer-text").fill(`@people ${long}`);
  await ann.keyboard.press("Enter");
  await bob.locator("article.message strong", { hasText: "word399" }).waitFor();
  await nothingWrong(ann, bob);
});
