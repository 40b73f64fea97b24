import assert from "node:assert/strict";
import { model, server, setStage, test } from "./support/stage.mjs";
import { alone, button, message, nothingWrong, pair, until } from "./support/steps.mjs";

setStage({ each: true });

test("the browser tab shows that a decision waits for me, whichever session is open", async () => {
  const [ann, bob] = await pair({ text: "Write cases" });
  await ann.goto(server.url);
  await until(ann, () => document.title === "Roundtable");
  (await model.turn()).end("A draft.");
  (await model.turn()).end("A review.");
  await until(ann, () => document.title === "(1) Roundtable");
  const icon = await ann.locator('link[rel="icon"]').getAttribute("href");
  assert.match(await (await ann.request.get(new URL(icon, server.url).href)).text(), /^<svg/);
  await button(bob.getByTestId("gate"), "Approve").click();
  await until(ann, () => document.title === "Roundtable");
  assert.notEqual(await ann.locator('link[rel="icon"]').getAttribute("href"), icon);
  (await model.turn()).end("The answer.");
  await nothingWrong(ann, bob);
});

test("code shows its language, is copied unchanged, and folds if it is long", async () => {
  const [ann] = await alone("Write cases");
  const code = Array.from({ length: 60 }, (_, i) => `print("line ${i}")`).join("\n");
  (await model.turn()).end(`See:\n\n\`\`\`python\n${code}\n\`\`\`\n\nDone.`);
  // Not while it is written: the complete message replaces it, and with it the button that says "Copied".
  const written = message(ann, "Done.").and(ann.locator('[aria-busy="false"]'));
  const block = written.locator(".code-block");
  await block.getByText("python").waitFor();
  await ann.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await button(block, "Copy").click();
  await button(block, "Copied").waitFor();
  assert.equal(await ann.evaluate(() => navigator.clipboard.readText()), code);
  await button(block, "Show all 60 lines").click();
  await button(block, "Show less").waitFor();
  await nothingWrong(ann);
});
