// Readers keep their position in the conversation: nothing takes them away from the end, and nothing takes them there.
import assert from "node:assert/strict";
import { forEachViewport, inViewport, scroll } from "./support/viewports.mjs";
import { model, server, setStage, test } from "./support/stage.mjs";
import { alone, anotherOf, connected, nothingWrong, reads, say, toGate, until } from "./support/steps.mjs";

setStage({ each: true, settings: { "rate_limits.chat.burst": "500", "rate_limits.chat.per_second": "500" } });

/** Pixels between the visible part and the end. */
function away(page) {
  return page.locator(".timeline").evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight);
}

/** Waits until the newest message is completely visible at the end. */
async function atEnd(page) {
  await until(page, () => {
    const list = document.querySelector(".timeline");
    if (!list || list.scrollHeight - list.scrollTop - list.clientHeight >= 2) return false;
    // And it is rendered: the middle of the last row's visible part belongs to that row.
    const row = [...list.querySelectorAll(".row")].at(-1);
    const box = row.getBoundingClientRect();
    const view = list.getBoundingClientRect();
    const y = (Math.max(box.top, view.top) + Math.min(box.bottom, view.bottom)) / 2;
    return row.contains(document.elementFromPoint(box.left + box.width / 2, y));
  });
}

/** Sends many messages of different lengths, so that their heights differ from the estimates. */
async function fill(page, count, first = 0) {
  await page.evaluate(
    async ([count, first]) => {
      const session = location.pathname.split("/").pop();
      for (let n = first; n < first + count; n++) {
        const lengths = [
          "ok",
          "A sentence that takes a line or two, and says nothing. ".repeat(4),
          "line\n\n".repeat(24),
        ];
        const data = { text: `@people number ${n}: ${lengths[n % 3]}` };
        const body = JSON.stringify({ id: `c_${crypto.randomUUID()}`, do: "say", data });
        const headers = { "content-type": "application/json" };
        const answer = await fetch(`/api/v1/sessions/${session}/commands`, { method: "POST", headers, body });
        if (!answer.ok) throw new Error(await answer.text());
      }
    },
    [count, first],
  );
}

forEachViewport(
  "a session opens at its end, shows one's own messages, and keeps the reading position",
  async (viewport) => {
    const [first, address] = await alone("", { title: "Long" });
    const ann = await inViewport(first, address, viewport);
    await fill(ann, 90);
    await atEnd(ann);
    for (let time = 0; time < 3; time++) {
      await ann.goto(server.url);
      await ann.goto(address);
      await connected(ann);
      await reads(ann, "number 89");
      await atEnd(ann);
    }

    // Older messages are loaded above while she reads. They are not new; the latest messages are.
    await scroll(ann, -2_000, viewport);
    const jump = ann.locator(".jump");
    await jump.waitFor();
    for (let page = 0; page < 4; page++) await scroll(ann, -2_000, viewport);
    assert.doesNotMatch(await jump.textContent(), /\d/);
    const before = await away(ann);
    await fill(first, 2, 90);
    await jump.getByText("2").waitFor();
    assert.ok((await away(ann)) >= before, "nobody is taken to the end");

    // Her own messages take her to the end, wherever she was reading.
    await say(ann, "@people short");
    await reads(ann, "short");
    await atEnd(ann);
    assert.equal(await jump.count(), 0);
    await nothingWrong(ann);
  },
);

test("a decision is shown where it was made, after the messages about it", async () => {
  const [ann] = await alone("Write cases");
  await toGate(ann);
  await say(ann, "@people what do we think?");
  await reads(ann, "what do we think?");
  await ann.getByTestId("gate").getByRole("button", { name: "Approve" }).click();
  (await model.turn()).end("Final.");
  await reads(ann, "Final.");
  const order = async (page) => {
    await page.locator(".gate-decided").waitFor();
    return page.evaluate(() => {
      const top = (element) => element.getBoundingClientRect().top;
      const said = [...document.querySelectorAll("article.message")];
      const words = (text) => top(said.find((one) => one.textContent.includes(text)));
      return (
        words("what do we think?") < top(document.querySelector(".gate-decided")) &&
        top(document.querySelector(".gate-decided")) < words("Final.")
      );
    });
  };
  assert.ok(await order(ann));
  const later = await anotherOf(ann);
  await later.goto(ann.url());
  await connected(later);
  assert.ok(await order(later), "for whoever comes later, too");
  await nothingWrong(ann, later);
});
