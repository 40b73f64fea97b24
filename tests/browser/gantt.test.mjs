// The timeline: work to scale, waiting folded, and each bar and row leads to its source.
import assert from "node:assert/strict";
import { setStage, test } from "./support/stage.mjs";
import {
  alone,
  anotherOf,
  begin,
  connected,
  message,
  nothingWrong,
  say,
  toGate,
  until,
} from "./support/steps.mjs";

setStage({ each: true, settings: { "rate_limits.chat.burst": "500", "rate_limits.chat.per_second": "500" } });

const DRAFT = Array.from({ length: 80 }, (_, i) => `${i + 1}. Case number ${i + 1}`).join("\n");
const WAITED = 52 * 60_000;

/** Opens the timeline as a person who returns to an open gate after 52 minutes. */
async function afterAnHour(page) {
  await page.clock.setFixedTime(Date.now() + WAITED);
  await page.getByRole("tab", { name: "Timeline" }).click();
  await page.locator(".folds", { hasText: /waited 5[23]:\d\d/ }).waitFor();
}

const inSight = (page, id) =>
  until(
    page,
    (id) => {
      const list = document.querySelector(".timeline")?.getBoundingClientRect();
      const row = document
        .querySelector(`[data-message="${id}"], [data-gate="${id}"]`)
        ?.getBoundingClientRect();
      return row && row.top >= list.top - 1 && row.top < list.top + list.height / 2;
    },
    id,
  );

test("an hour at a gate leaves the width to the work, and each bar leads to its message", async () => {
  const [ann] = await alone("Write test cases");
  await toGate(ann, DRAFT);
  await message(ann, "A review.").waitFor();
  await afterAnHour(ann);
  const width = (locator) => locator.evaluate((bar) => bar.offsetWidth / bar.parentElement.offsetWidth);
  // How much of the rest is writing depends on the time that the machine needs between two turns.
  const writes = await Promise.all((await ann.locator(".lane-spans .span.turn").all()).map(width));
  const gate = await width(ann.locator(".lane-spans .span.gate"));
  assert.ok(gate < 0.2, `the gate takes ${gate} of the width`);
  assert.ok(writes.reduce((sum, one) => sum + one, 0) > gate, `work takes ${writes}, the gate ${gate}`);

  const first = ann.locator("article.message", { hasText: "Case number 1" }).first();
  await ann
    .getByRole("button", { name: /^writes, .*: show it in the conversation$/ })
    .first()
    .click();
  await first.waitFor();
  const id = await first.getAttribute("data-message");
  await inSight(ann, id);
  await ann.locator(`.current[data-message="${id}"]`).waitFor();

  // With the keyboard: one tab stop per lane, and arrow keys between its bars.
  await ann.locator(".timeline").hover();
  await ann.mouse.wheel(0, 100_000);
  await ann.getByText("As a table").click();
  const row = ann.locator(".span-table tbody tr").first().getByRole("button");
  await row.focus();
  await ann.keyboard.press("Enter");
  await inSight(ann, id);
  const decided = await ann.locator("[data-gate]").last().getAttribute("data-gate");
  await ann.locator(".lane-spans .span.gate").press("Enter");
  await ann.locator(`.gate-row.current[data-gate="${decided}"]`).waitFor();
  await nothingWrong(ann);
});

test("a message that is not loaded yet is fetched first", async () => {
  const [ann, address] = await alone("Write test cases");
  await toGate(ann, DRAFT);
  const first = await ann
    .locator("article.message", { hasText: "Case number 1" })
    .first()
    .getAttribute("data-message");
  const talk = await ann.evaluate(async () => {
    const session = location.pathname.split("/").pop();
    const headers = { "content-type": "application/json" };
    for (let n = 1; n <= 230; n++) {
      const data = { text: `@operator aside ${n}` };
      const body = JSON.stringify({ id: `c_${crypto.randomUUID()}`, do: "say", data });
      const told = await fetch(`/api/v1/sessions/${session}/commands`, { method: "POST", headers, body });
      if (!told.ok) return told.text();
    }
    return "";
  });
  assert.equal(talk, "");
  const late = await anotherOf(ann);
  await late.goto(address);
  await connected(late);
  await message(late, "aside 230").waitFor();
  assert.equal(await late.locator(`[data-message="${first}"]`).count(), 0);
  await late.getByRole("tab", { name: "Timeline" }).click();
  await late
    .getByRole("button", { name: /^writes, / })
    .first()
    .click();
  await inSight(late, first);
  await nothingWrong(late);
});

test("on a phone, a row of the timeline leads to the conversation", async () => {
  const [ann, address] = await alone("Write test cases");
  await toGate(ann, DRAFT);
  const phone = await anotherOf(ann, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await phone.goto(address);
  await phone.getByTestId("gate").waitFor();
  await phone.locator(".regions button").last().click();
  await phone.getByRole("tab", { name: "Timeline" }).click();
  await phone.getByText("As a table").click();
  await phone.locator(".span-table tbody tr").first().getByRole("button").click();
  const first = phone.locator("article.message", { hasText: "Case number 1" }).first();
  await inSight(phone, await first.getAttribute("data-message"));
  await nothingWrong(phone);
});
