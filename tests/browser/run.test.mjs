import assert from "node:assert/strict";
import { browser, model, setStage, test } from "./support/stage.mjs";
import {
  accept,
  alone,
  invite,
  message,
  nothingWrong,
  reads,
  say,
  settings,
  toGate,
  until,
} from "./support/steps.mjs";

setStage({ each: true });

test("two people see a complete run: a join in mid-sentence, an interrupt, feedback, an approval", async () => {
  const [ann] = await alone("Write test cases for the payment interface");
  const bob = await browser.person();

  // The generator writes half a sentence; Bob joins and reads it from its first character.
  const draft = await model.turn();
  assert.match(draft.asked, /payment interface/);
  draft.write("The first case pays **exa");
  await reads(ann, "The first case pays exa");
  await accept(bob, await invite(ann, "reviewer"), "Bob");
  await reads(bob, "The first case pays exa");
  draft.write("ctly** the amount");
  for (const page of [ann, bob]) {
    await reads(page, "The first case pays exactly the amount");
    assert.equal(await message(page, "The first case").locator("strong").textContent(), "exactly");
  }
  await ann.locator('[data-person="Bob"][data-here="true"]').waitFor();
  draft.end(".");

  // Ann stops the reviewer; all three phases are shown, and the model's stream is really closed.
  const review = await model.turn();
  review.write("A long review that nobody");
  await reads(bob, "A long review that nobody");
  await ann.locator(".control").getByRole("button", { name: "Interrupt" }).click();
  assert.equal(await review.dropped, true);
  await ann
    .locator(".note", { hasText: "operator (owner) interrupted" })
    .getByText(/^stopped .* after (your|the server received the) request$/)
    .waitFor();
  for (const page of [ann, bob]) {
    await message(page, "A long review that nobody").getByText("interrupted here").waitFor();
    await page.locator(".note", { hasText: "interrupted" }).first().waitFor();
    await page.getByTestId("gate").waitFor();
  }
  assert.equal(
    await bob.getByRole("button", { name: "Pause" }).count(),
    0,
    "a reviewer does not control the run",
  );

  // Bob addresses one agent through the gate's tag; only that agent works, and the gate opens again.
  await bob.getByTestId("gate").getByRole("button", { name: "@TestCase_Generator" }).click();
  const composer = bob.locator("#composer-text");
  assert.match(await composer.inputValue(), /^@TestCase_Generator $/);
  await composer.press("End");
  await composer.pressSequentially("mind the refunds");
  await composer.press("Enter");
  const again = await model.turn();
  assert.match(again.asked, /mind the refunds/);
  // A gate that replaced another one would ignore keys at first.
  await bob.getByTestId("gate").waitFor({ state: "detached" });
  again.end("Refunds are covered now.");
  for (const page of [ann, bob]) {
    await reads(page, "Refunds are covered now.");
    await page.locator(".gate-decided", { hasText: "Answered with feedback" }).waitFor();
    await page.getByTestId("gate").waitFor();
  }

  // Bob approves with the keyboard, the optimizer writes the final output, and the card folds to one line.
  await bob.locator(".timeline").focus();
  await bob.keyboard.press("Alt+a");
  assert.equal(await bob.locator(".vote").count(), 0, "the key only leads there");
  await bob.keyboard.press("Enter");
  const last = await model.turn();
  last.end("## All cases\n\n| # | Case |\n| - | - |\n| 1 | Pay |\n");
  for (const page of [ann, bob]) {
    await page.locator("article.final", { hasText: "All cases" }).waitFor();
    await page.locator(".note", { hasText: "The run is finished" }).waitFor();
    const line = page.locator(".gate-decided", { hasText: "Approved" });
    assert.match(await line.textContent(), /by Bob/);
    assert.equal(await page.getByTestId("gate").count(), 0);
  }
  assert.equal(await ann.locator("article.final table tbody tr").count(), 1);

  // The cost, by agent and by person.
  await ann.getByRole("tab", { name: "Usage" }).click();
  await ann.locator(".usage", { hasText: "TestCase_Optimizer" }).waitFor();
  await nothingWrong(ann, bob);
});

test("after an interrupt, the first option is to say how to continue, in every round", async () => {
  const [ann] = await alone("Write cases");
  const first = ann.locator(".dock-actions button").first();
  for (const words of ["Only the happy path", "Only refunds"]) {
    (await model.turn()).end("A draft.");
    (await model.turn()).write("Too much");
    await ann.locator("[aria-busy=true]", { hasText: "Too much" }).waitFor();
    await ann.locator(".control").getByRole("button", { name: "Interrupt" }).click();
    await ann.getByTestId("gate").waitFor();
    assert.match(await first.textContent(), /Say how to continue/);
    assert.equal(await ann.locator(".dock-actions .primary").count(), 1);
    await ann.getByRole("button", { name: "Approve as it is" }).waitFor();
    // The dock asks the question; the timeline only points to it.
    await ann.locator(".timeline").getByText("Waiting for a decision below").waitFor();
    assert.equal(await ann.locator(".timeline").getByText("Say what to do instead").count(), 0);
    await first.click();
    await until(ann, () => document.activeElement?.id === "composer-text");
    await ann.keyboard.type(words);
    await ann.keyboard.press("Enter");
  }
  // The gate of the previous round stays until the message that decides it has arrived.
  await ann.locator(".gate-decided").nth(1).waitFor();
  await toGate(ann);
  assert.match(await first.textContent(), /^Approve/, "nobody interrupted this round");
  assert.equal(await ann.locator(".gate-decided").count(), 2);
  await nothingWrong(ann);
});

test("a person whose vote arrives after the decision is told that it did not count, and why", async () => {
  const [ann] = await alone("Write cases");
  const bob = await browser.person();
  await toGate(ann);
  // The server's frames reach Bob only when the test lets them through.
  await bob.addInitScript(() => {
    const heard = [];
    let holds = false;
    let hear;
    window.hold = () => (holds = true);
    window.release = () => {
      holds = false;
      for (const event of heard.splice(0)) hear(event);
    };
    window.WebSocket = class extends WebSocket {
      set onmessage(listener) {
        hear = listener;
        super.onmessage = (event) => (holds ? heard.push(event) : hear(event));
      }
    };
  });
  await accept(bob, await invite(ann, "reviewer"), "Bob");
  await bob.getByTestId("gate").waitFor();
  await bob.evaluate(() => window.hold());
  await ann.getByRole("button", { name: "Approve" }).click();
  await ann.locator(".gate-decided", { hasText: "Approved" }).waitFor();
  await bob.getByRole("button", { name: "Approve" }).click();
  await bob.getByText("Approving…").waitFor();
  await bob.evaluate(() => window.release());
  const told = bob.getByTestId("lost-vote");
  await told.getByText(/Your vote did not count\. .+ had already approved at \d\d:\d\d:\d\d\./).waitFor();
  await until(bob, () =>
    /did not count/.test(document.querySelector('[data-testid="announcer"]').textContent),
  );
  await told.getByRole("button", { name: "Dismiss" }).click();
  await told.waitFor({ state: "detached" });
  await nothingWrong(ann, bob);
});

test("a message to a busy run waits, can be withdrawn, or goes in immediately", async () => {
  const [ann] = await alone("Write cases");
  const draft = await model.turn();
  draft.write("Working");
  await reads(ann, "Working");

  await say(ann, "Also refunds, after this step");
  const waiting = ann.locator(".inbox li[data-waiting]");
  await waiting.filter({ hasText: "Also refunds" }).waitFor();
  await ann.setViewportSize({ width: 390, height: 844 });
  const words = await waiting.locator(".waiting-text").boundingBox();
  assert.ok(words.width > 250 && words.height > 14, `on a phone the words have ${JSON.stringify(words)}`);
  await ann.setViewportSize({ width: 1360, height: 860 });
  assert.equal(await message(ann, "Also refunds").count(), 0, "it is not in the conversation yet");
  await say(ann, "A thought that I regret");
  await waiting.filter({ hasText: "regret" }).getByRole("button", { name: "Withdraw" }).click();
  await waiting.filter({ hasText: "regret" }).waitFor({ state: "detached" });

  await ann.locator(".segment", { hasText: "now, in the current step" }).click();
  await ann.getByText("Enter: agents read it before the next model request").waitFor();
  await say(ann, "Use euros, at once");
  await waiting.filter({ hasText: "Use euros" }).waitFor();
  draft.end(" on it.");
  const next = await model.turn();
  assert.match(next.asked, /Use euros, at once/);
  assert.doesNotMatch(next.asked, /regret/);
  await reads(ann, "Use euros, at once");
  next.end("Done.");
  await settle(ann);
  await reads(ann, "Also refunds, after this step");
  assert.equal(await waiting.count(), 0);
  await nothingWrong(ann);
});

test("a reader who scrolls back keeps their position, and can jump to the end", async () => {
  const [ann] = await alone("Write many cases");
  const draft = await model.turn();
  const line = (n) => `${n}. Case number ${n}\n`;
  for (let n = 1; n <= 60; n++) draft.write(line(n));
  await reads(ann, "Case number 60");
  const away = () => {
    const list = document.querySelector(".timeline");
    return list.scrollHeight - list.scrollTop - list.clientHeight;
  };
  await until(ann, `(${away})() < 60`);

  // While reading back, new text does not move anything.
  await ann.locator(".timeline").hover();
  await ann.mouse.wheel(0, -400);
  await ann.locator(".jump").waitFor();
  const place = () => document.querySelectorAll(".markdown li")[40].getBoundingClientRect().top;
  const before = await ann.evaluate(place);
  for (let n = 61; n <= 90; n++) draft.write(line(n));
  await reads(ann, "Case number 90");
  assert.equal(await ann.evaluate(place), before);

  // Back at the end, it follows again, also when the space for it shrinks.
  await ann.locator(".jump").click();
  await until(ann, `(${away})() < 60`);
  draft.end(line(91));
  (await model.turn()).end("Good.");
  await ann.getByTestId("gate").waitFor();
  await until(ann, `(${away})() < 60`);
  assert.equal(await ann.locator(".jump").count(), 0);
  await nothingWrong(ann);
});

/** Answers everything that the run still asks until it waits for people. */
async function settle(page) {
  const gate = page.getByTestId("gate").waitFor();
  for (;;) {
    const turn = await Promise.race([model.turn(), gate]);
    if (!turn) break;
    turn.end("Done.");
  }
  model.forget();
}

test("a failed run is retried with a key or a press, with the same message and files", async () => {
  const [ann] = await alone();
  const eve = await browser.person();
  await accept(eve, await invite(ann, "viewer"), "Eve");
  await settings(ann, { max_attempts: 1 });
  await ann
    .locator(".composer input[type=file]")
    .setInputFiles([{ name: "rules.txt", mimeType: "text/plain", buffer: Buffer.from("Pay twice") }]);
  await ann.locator('.enclosed [data-chosen="rules.txt"]').waitFor();
  await say(ann, "@TestCase_Generator mind the rules");
  const again = (page) => page.getByRole("button", { name: "Try again" });
  const fails = async (words) => {
    const turn = await model.turn();
    assert.match(turn.asked, /mind the rules/);
    turn.write(words);
    await reads(ann, words);
    turn.response.destroy();
    await again(ann).waitFor();
  };
  await fails("Half of");
  await eve.locator(".note.bad", { hasText: "The run failed" }).waitFor();
  assert.equal(await again(eve).count(), 0, "whoever only watches begins nothing");
  await ann.locator(".timeline").focus();
  await ann.keyboard.press("Alt+t");
  await again(ann).waitFor({ state: "detached" });
  await fails("A part of");
  await until(ann, () => document.querySelectorAll(".note.bad").length === 2);
  assert.equal(await again(ann).count(), 1, "only the newest run is begun again");
  await again(ann).click();
  const turn = await model.turn();
  await again(ann).waitFor({ state: "detached" });
  turn.end("The cases.");
  await reads(ann, "The cases.");
  assert.equal(await ann.locator('.message [data-file="rules.txt"]').count(), 3);
  assert.equal(await message(ann, "mind the rules").locator(".addressees").count(), 3);
  await nothingWrong(ann, eve);
});
