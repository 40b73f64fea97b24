// The page without a session: first what needs my attention, then recent activity.
import assert from "node:assert/strict";
import { setStage, test } from "./support/stage.mjs";
import { alone, begin, nothingWrong } from "./support/steps.mjs";

setStage({ each: true, demo: {} });

const finished = (page) => page.locator(".note", { hasText: "The run is finished" }).waitFor();

for (const locale of ["en-GB", "zh-CN"]) {
  const words = {
    "en-GB": { needs: "Needs you", recent: "Recent", decide: "Your decision is needed", done: "Finished" },
    "zh-CN": { needs: "待你处理", recent: "最近", decide: "轮到你处理", done: "已完成" },
  }[locale];
  test(`home shows what needs me, then recent activity, in ${locale}`, async () => {
    const [ann, address] = await alone("Write test cases for the refund endpoint", { title: "Refunds" });
    await ann.getByTestId("gate").waitFor();
    await begin(ann, "Compare two ways to cache", { team: "Plan a task", title: "Caches" });
    await finished(ann);
    await begin(ann, "", { title: "Nothing said yet" });
    await ann.evaluate(
      (locale) => localStorage.setItem("roundtable.locale", JSON.stringify(locale)),
      locale.slice(0, 2),
    );
    await ann.goto(new URL("/", address).href);
    const home = ann.locator(".home-sessions");
    const part = (title) =>
      home.locator("section", { has: ann.getByRole("heading", { name: title, exact: true }) });
    await part(words.needs).locator(".session", { hasText: "Refunds" }).getByText(words.decide).waitFor();
    assert.equal(await part(words.needs).locator(".session").count(), 1);
    const recent = part(words.recent).locator(".session");
    assert.deepEqual(await recent.locator(".session-title").allTextContents(), [
      "Nothing said yet",
      "Caches",
    ]);
    // First its state, with an icon, and then the last message.
    const line = recent.last().locator(".session-line");
    assert.match(await line.textContent(), new RegExp(`^ ${words.done} · \\S`));
    await line.locator("svg").waitFor();
    await nothingWrong(ann);
    await recent.last().click();
    await ann.getByRole("heading", { level: 1, name: "Caches" }).waitFor();
    await nothingWrong(ann);
  });
}
