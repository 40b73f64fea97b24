import assert from "node:assert/strict";
import { browser, model, server, setStage, test } from "./support/stage.mjs";
import { begin, connected, message, nothingWrong, reads, say, signIn } from "./support/steps.mjs";

setStage({ each: true });

/**
 * While `away` is set, commands do not reach the server: they are dropped, or refused as by a server without its
 * database.
 */
function stand() {
  const Real = window.WebSocket;
  window.away = null;
  window.refused = 0;
  window.WebSocket = class extends Real {
    send(text) {
      const frame = JSON.parse(text);
      if (frame.type !== "command" || !window.away) return super.send(text);
      if (window.away === "silent") return;
      window.refused++;
      const data = {
        type: "error",
        id: frame.id,
        code: "store_unavailable",
        message: "not now",
        retryable: true,
        retry_after_ms: 50,
      };
      setTimeout(() => this.onmessage({ data: JSON.stringify(data) }));
    }
  };
}

async function running() {
  const ann = await browser.person();
  await ann.addInitScript(stand);
  await signIn(ann, server);
  await begin(ann, "Write cases", { team: "Test case" });
  const draft = await model.turn();
  draft.write("Working");
  await reads(ann, "Working");
  return { ann, draft };
}

test("a server that cannot save says so, and messages are kept until it recovers by itself", async () => {
  const { ann } = await running();
  await ann.evaluate(() => (window.away = "refusing"));
  await say(ann, "@people are you there?");
  await ann.locator('[data-connection="held"]', { hasText: "Cannot save" }).waitFor();
  await ann.getByTestId("held").getByText("cannot reach its database").waitFor();
  assert.equal(await ann.locator('[data-connection="live"]').count(), 0);
  // Longer than the client retries a control of the run: messages wait for as long as it takes.
  await ann.waitForFunction(() => window.refused > 8);
  assert.equal(await ann.getByText("Not sent:").count(), 0);

  // A late pause would not apply to the intended moment, so the client gives it up and says why.
  await ann.locator(".control").getByRole("button", { name: "Pause" }).click();
  await ann.locator(".control .refusal", { hasText: "not now" }).waitFor();

  await ann.evaluate(() => (window.away = null));
  await connected(ann);
  await reads(ann, "are you there?");
  await ann.getByTestId("held").waitFor({ state: "detached" });
  assert.equal(await message(ann, "are you there?").count(), 1);
  await nothingWrong(ann);
});

test("a server that does not answer is not shown as live", async () => {
  const { ann } = await running();
  await ann.evaluate(() => (window.away = "silent"));
  await say(ann, "@people hello?");
  await ann.locator('[data-connection="held"]', { hasText: "No response yet" }).waitFor();
  await ann.getByTestId("held").getByText("has not responded").waitFor();
  await nothingWrong(ann);
});
