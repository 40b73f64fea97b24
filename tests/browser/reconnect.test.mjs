import assert from "node:assert/strict";
import { browser, model, server, setStage, test } from "./support/stage.mjs";
import {
  alone,
  anotherOf,
  begin,
  button,
  connected,
  message,
  nothingWrong,
  reads,
  say,
  signIn,
  toGate,
} from "./support/steps.mjs";

setStage({ each: true });

test("the server is killed in mid-sentence and restarted: the page resumes by itself and the run continues", async () => {
  const [ann] = await alone("Write cases");
  const draft = await model.turn();
  draft.write("Half a sen");
  await reads(ann, "Half a sen");

  await server.kill();
  await ann.locator('[data-connection="offline"]').waitFor();
  await ann.getByTestId("offline").waitFor();
  const acts = ann.locator(".control-acts button");
  assert.equal(await acts.count(), 3);
  for (const button of await acts.all()) assert.ok(await button.isDisabled(), await button.textContent());
  // Text typed while offline is kept, and sent once.
  await say(ann, "Typed while offline");
  await ann.getByText("Typed while offline").first().waitFor();

  await server.restart();
  const again = await model.turn();
  assert.match(again.asked, /Write cases/);
  await connected(ann);
  await ann.getByTestId("resumed").getByText("Unfinished text was lost").waitFor();
  const lost = message(ann, "Half a sen");
  await lost.getByText("Unfinished text of the previous attempt.").waitFor();
  again.write("A whole sentence.");
  await reads(ann, "A whole sentence.");
  assert.equal(await message(ann, "Half a sen").count(), 0, "the text of the attempt that died is gone");
  again.end();

  const review = await model.turn();
  review.end("Reviewed.");
  // The message typed offline began another round or went into the review: it counted once.
  for (;;) {
    const next = await Promise.race([model.turn(), ann.getByTestId("gate").waitFor()]);
    if (!next) break;
    next.end("Once more.");
  }
  model.forget();
  assert.equal(await message(ann, "Typed while offline").count(), 1);
  await nothingWrong(ann);
});

test("a page that loses its socket repeatedly ends up with what everybody else sees", async () => {
  const [ann, address] = await alone("Write cases");
  const cut = await anotherOf(ann);
  await cut.addInitScript(() => {
    const Real = window.WebSocket;
    window.sockets = [];
    window.WebSocket = class extends Real {
      constructor(...given) {
        super(...given);
        window.sockets.push(this);
      }
    };
  });
  await cut.goto(address);
  await connected(cut);
  const draft = await model.turn();
  const words = Array.from({ length: 10 }, (_, i) => `word${i} `);
  for (const word of words) {
    draft.write(word);
    await reads(ann, word.trim());
    const before = await cut.evaluate(() => window.sockets.length);
    await cut.evaluate(() => window.sockets.at(-1).close());
    await cut.waitForFunction((n) => window.sockets.length > n, before);
    await connected(cut);
    await reads(cut, word.trim());
  }
  draft.end("end");
  const whole = `${words.join("")}end`;
  for (const page of [ann, cut]) {
    await reads(page, whole);
    assert.equal((await message(page, "word0").locator(".markdown").textContent()).trim(), whole);
  }
  await nothingWrong(ann, cut);
});

test("nobody decides while offline, because the decision would be about a past state", async () => {
  const [ann] = await alone("Write cases");
  await toGate(ann);
  await server.kill();
  await ann.locator('[data-connection="offline"]').waitFor();
  const decide = ann.locator(".dock-actions button");
  assert.equal(await decide.count(), 2);
  for (const button of await decide.all()) assert.ok(await button.isDisabled(), await button.textContent());
  await ann.locator(".timeline").focus();
  await ann.keyboard.press("Alt+a");
  await ann.keyboard.press("Enter");
  assert.ok(await ann.locator("#composer-text").isEditable(), "words are kept, so they can be written");
  await server.restart();
  await connected(ann);
  await ann.getByRole("button", { name: "Approve" }).and(ann.locator(":enabled")).waitFor();
  assert.equal(await ann.locator(".vote").count(), 0);
  await nothingWrong(ann);
});

test("a draft survives a reload", async () => {
  const [ann] = await alone();
  await ann.locator("#composer-text").fill("half a thought");
  await ann.reload();
  await connected(ann);
  assert.equal(await ann.locator("#composer-text").inputValue(), "half a thought");
  await nothingWrong(ann);
});

test("an interrupt that was lost with its socket stops no later step when it is resent", async () => {
  const ann = await browser.person();
  // The press is lost, and no other socket opens until the next step has begun.
  let away = false;
  await ann.routeWebSocket(/\/api\/v1\/ws/, (here) => {
    if (away) return void here.close();
    const there = here.connectToServer();
    here.onMessage((frame) => {
      if (!String(frame).includes('"do":"interrupt"') || sent > 0) return there.send(frame);
      sent++;
      away = true;
      void here.close();
      void there.close();
    });
  });
  let sent = 0;
  await signIn(ann, server);
  await begin(ann, "Write cases", { team: "Test case" });
  const draft = await model.turn();
  draft.write("A draft");
  await reads(ann, "A draft");
  await button(ann.locator(".control"), "Interrupt").click();
  await ann.locator('[data-connection="offline"]').waitFor();
  assert.equal(sent, 1);
  draft.end(" of cases.");
  const review = await model.turn();
  review.write("A review");
  away = false;
  await connected(ann);
  await ann.locator(".control").getByText("had already ended").waitFor();
  review.end(" that nobody stopped.");
  await reads(ann, "A review that nobody stopped.");
  await ann.getByTestId("gate").waitFor();
  await nothingWrong(ann);
});
