import assert from "node:assert/strict";
import { model, setStage, test } from "./support/stage.mjs";
import { begin, button, message, nothingWrong, reads, say, signedIn, toGate } from "./support/steps.mjs";

setStage();

test("a page shows one conversation, however often the user switches sessions", async () => {
  const ann = await signedIn();
  const topics = ["Apples", "Pears", "Plums"];
  for (const topic of topics) {
    await begin(ann, topic, { team: "Test case" });
    await toGate(ann, `A draft about ${topic}.`);
    await reads(ann, `A draft about ${topic}`);
    await alone(ann, topic);
  }
  for (const topic of ["Apples", "Plums", "Pears"]) {
    await ann.locator(".session", { hasText: topic }).click();
    await reads(ann, `A draft about ${topic}`);
    await alone(ann, topic);
  }
  await ann.goBack();
  await reads(ann, "A draft about Plums");
  await alone(ann, "Plums");

  // Nothing begun in one session carries over to the next, or reappears on return.
  const chosen = (letters) => async () => {
    await ann.locator(".timeline").focus();
    await ann.keyboard.press("Control+k");
    await ann.keyboard.type(letters);
    await ann.keyboard.press("Enter");
  };
  const dialog = ann.getByRole("dialog");
  for (const [title, ask] of [
    ["End this run", () => button(ann.locator(".control"), "Cancel run").click()],
    ["End this run", chosen("cancel run")],
    ["Leave", chosen("leave session")],
    ["Leave", () => button(ann.locator(".panel"), "Leave session").click()],
    ["Invite", chosen("invite")],
    ["Settings", () => button(ann.locator(".rules"), "Settings").click()],
  ]) {
    await ask();
    await dialog.getByRole("heading", { name: title }).waitFor();
    await ann.goBack();
    await reads(ann, "A draft about Apples");
    assert.equal(await dialog.count(), 0, title);
    await ann.goForward();
    await reads(ann, "A draft about Plums");
    assert.equal(await dialog.count(), 0, title);
  }
  await ann.goBack();
  await reads(ann, "A draft about Apples");

  // On return, the announcer is silent about the past, and announces only what is new.
  await ann.locator(".session", { hasText: "Plums" }).click();
  await reads(ann, "A draft about Plums");
  assert.equal(await ann.getByTestId("announcer").textContent(), "");
  await say(ann, "Riper, please");
  (await model.turn()).end("Ripe Plums.");
  await reads(ann, "Ripe Plums");
  assert.equal(await ann.getByRole("separator", { name: /New since you left/ }).count(), 0);
  await nothingWrong(ann);

  async function alone(page, topic) {
    for (const one of [".timeline", ".composer", ".dock", ".control", '[data-testid="announcer"]'])
      assert.equal(await page.locator(one).count(), 1, one);
    assert.match(await page.locator(".header h1").textContent(), new RegExp(topic));
    for (const other of topics.filter((one) => one !== topic))
      assert.equal(await message(page, `A draft about ${other}`).count(), 0, other);
  }
});
