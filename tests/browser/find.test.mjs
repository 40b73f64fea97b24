import assert from "node:assert/strict";
import { faults } from "./support/axe.mjs";
import { model, setStage, test } from "./support/stage.mjs";
import { alone, begin, button, nothingWrong, reads, say, until } from "./support/steps.mjs";

setStage({ each: true });

const PHONE = { width: 375, height: 667 };
const row = (page, text) => page.locator(".session", { hasText: text });
const focused = (page) => page.evaluate(() => document.activeElement?.getAttribute("href"));

test("sessions with the same title are distinguished, and the keyboard moves through search hits", async () => {
  const [ann, first] = await alone("", { title: "Payments" });
  const other = await begin(ann, "", { team: "(brain)", title: "Payments" });
  const long = "Refunds of orders that were paid twice or in part";
  await begin(ann, "", { team: "Test case", title: long });

  // The team and the seconds distinguish them.
  await row(ann, "Write test cases").filter({ hasText: "Payments" }).waitFor();
  await row(ann, "Test design by a plan").filter({ hasText: "Payments" }).waitFor();
  for (const twin of await row(ann, "Payments").locator("time").allTextContents())
    assert.match(twin, /^\d\d:\d\d:\d\d$/);

  // A long title wraps to a second line here, in the header and on a phone.
  const whole = (selector) =>
    ann.locator(selector).evaluate((element) => element.scrollHeight <= element.clientHeight + 1);
  assert.ok(await whole(".header h1"));
  await ann.setViewportSize(PHONE);
  assert.ok(await whole(".header h1"));
  await ann.setViewportSize({ width: 1280, height: 800 });

  // From the search field through the hits and back.
  const field = ann.getByRole("searchbox", { name: "Search sessions" });
  await field.waitFor();
  await ann.keyboard.press("Alt+s");
  await ann.keyboard.type("payments");
  await row(ann, "Refunds").waitFor({ state: "detached" });
  await ann.getByText("2 sessions found.").waitFor({ state: "attached" });
  assert.deepEqual(await faults(ann), []);
  await ann.keyboard.press("ArrowDown");
  const newest = await focused(ann);
  assert.ok(other.endsWith(newest), `${newest} is first`);
  await ann.keyboard.press("ArrowDown");
  assert.ok(first.endsWith(await focused(ann)));
  await ann.keyboard.press("ArrowUp");
  assert.equal(await focused(ann), newest);
  await ann.keyboard.press("Escape");
  assert.ok(await field.evaluate((element) => element === document.activeElement));
  assert.equal(await field.inputValue(), "payments");
  await ann.keyboard.press("ArrowDown");
  await ann.keyboard.press("End");
  await ann.keyboard.press("Enter");
  await ann.waitForURL(first);

  // Typing and pressing Enter immediately opens the new hit, not the previous one.
  await ann.keyboard.press("Alt+s");
  await field.fill("refunds of");
  await ann.keyboard.press("Enter");
  await until(ann, (title) => document.querySelector(".header h1")?.textContent === title, long);
  await ann.keyboard.press("Alt+s");
  await ann.keyboard.press("Escape");
  assert.equal(await field.inputValue(), "");
  await nothingWrong(ann);
});

test("opening a session from the list moves the focus into it: Esc twice interrupts there", async () => {
  const [ann] = await alone("Write cases", { title: "Busy" });
  const opens = {
    press: () => row(ann, "Busy").click(),
    async search() {
      await ann.keyboard.press("Alt+s");
      await ann.keyboard.type("busy");
      await ann.keyboard.press("Enter");
    },
  };
  for (const open of Object.values(opens)) {
    const turn = await model.turn();
    turn.write("Working on it");
    await ann.locator("[aria-busy=true]", { hasText: "Working on it" }).waitFor();
    await ann.locator(".timeline").focus();
    await begin(ann, "", { team: "Test case", title: "Idle" });
    await open();
    await until(ann, () => document.querySelector(".header h1")?.textContent === "Busy");
    await button(ann.locator(".control"), "Interrupt").and(ann.locator(":enabled")).waitFor();
    await ann.keyboard.press("Escape");
    await ann.keyboard.press("Escape");
    assert.equal(await turn.dropped, true);
    await ann.getByTestId("gate").waitFor();
    await say(ann, "Go on");
  }
  (await model.turn()).end("A draft.");
  await reads(ann, "A draft.");
  await nothingWrong(ann);
});
