// Where a reader is in the conversation is theirs: nothing takes them away from the end, and nothing takes them there.
import assert from "node:assert/strict";
import { forEachViewport, inViewport, scroll } from "./support/viewports.mjs";
import { model, server, setStage, test } from "./support/stage.mjs";
import { alone, anotherOf, connected, nothingWrong, reads, say, toGate, until } from "./support/steps.mjs";

setStage({ each: true, settings: { "rate_limits.chat.burst": "500", "rate_limits.chat.per_second": "500" } });

/** Pixels between what is shown and the end. */
function away(page) {
  return page.locator(".timeline").evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight);
}

/** Until the newest words are the last that is shown, whole. */
async function atEnd(page) {
  await until(page, () => {
    const list = document.querySelector(".timeline");
    if (!list || list.scrollHeight - list.scrollTop - list.clientHeight >= 2) return false;
    // And it is drawn: what is in the middle of the last row's visible part is that row.
    const row = [...list.querySelectorAll(".row")].at(-1);
    const box = row.getBoundingClientRect();
    const view = list.getBoundingClientRect();
    const y = (Math.max(box.top, view.top) + Math.min(box.bottom, view.bottom)) / 2;
    return row.contains(document.elementFromPoint(box.left + box.width / 2, y));
  });
}

/** Says many things of all lengths, so that heights turn out other than they were guessed. */
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
  "a session opens at its end, own words are in view, and reading stays where it is",
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

    // Older messages come in above while she reads: they are not new, and the last ones said are.
    await scroll(ann, -2_000, viewport);
    const jump = ann.locator(".jump");
    await jump.waitFor();
    for (let page = 0; page < 4; page++) await scroll(ann, -2_000, viewport);
    assert.doesNotMatch(await jump.textContent(), /\d/);
    const before = await away(ann);
    await fill(first, 2, 90);
    await jump.getByText("2").waitFor();
    assert.ok((await away(ann)) >= before, "nobody is taken to the end");

    // Her own words are, from wherever she was reading.
    await say(ann, "@people short");
    await reads(ann, "short");
    await atEnd(ann);
    assert.equal(await jump.count(), 0);
    await nothingWrong(ann);
  },
);

test("a decision stands where it fell, after what was said about it", async () => {
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
