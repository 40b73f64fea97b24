import assert from "node:assert/strict";
import { faults } from "./support/axe.mjs";
import { setStage, test } from "./support/stage.mjs";
import { alone, anotherOf, button, connected, nothingWrong, until } from "./support/steps.mjs";

// A question whose form is taller than the space for it, with every feature that a schema can have.
setStage({ each: true, demo: {} });

const form = {
  question: "Where and when is the party?",
  schema: {
    type: "object",
    properties: {
      day: { type: "string", format: "date", title: "Day" },
      at: { type: "string", format: "date-time", title: "Begins" },
      ends: { type: "string", format: "time", title: "Ends" },
      mail: { type: "string", format: "email", title: "Mail" },
      page: { type: "string", format: "uri", title: "Page" },
      guests: { type: "integer", minimum: 2, maximum: 40, title: "Guests" },
      room: {
        type: "string",
        enum: ["r1", "r2"],
        enumNames: ["Large hall", "Garden"],
        title: "Room",
      },
      food: {
        type: "array",
        maxItems: 1,
        items: {
          anyOf: [
            { const: "v", title: "Vegetables" },
            { const: "f", title: "Fish" },
          ],
        },
        title: "Food",
      },
      code: { type: "string", minLength: 3, maxLength: 8, title: "Code" },
    },
    required: ["day", "mail", "room"],
  },
};
const asked = `A party\n/tool ask_people ${JSON.stringify(form)}`;
const gate = (page) => page.locator('[data-testid="gate"]:visible');
const field = (page, name) => gate(page).locator(".form-field", { hasText: name });
const input = (page, name) => gate(page).getByLabel(name, { exact: true });
const inSight = (page, selector) =>
  until(
    page,
    (selector) => {
      const { top, bottom } = document.querySelector(selector).getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    },
    selector,
  );

test("a form describes its fields, and shows errors next to the field before anything is sent", async () => {
  const [ann] = await alone(asked, { team: "(ReAct)" });
  await field(ann, "Day").getByText("required").waitFor();
  await field(ann, "Page").getByText("optional").waitFor();
  await field(ann, "Guests").getByText("2 to 40").waitFor();
  await field(ann, "Code").getByText("3 to 8 characters").waitFor();
  assert.deepEqual(await faults(ann), []);

  // An error appears when the field loses focus, and disappears when it is fixed.
  const mail = input(ann, "Mail");
  await mail.fill("nobody");
  await input(ann, "Page").focus();
  const wrong = field(ann, "Mail").getByText("Enter an email address");
  await wrong.waitFor();
  assert.equal(
    await gate(ann).getByText("This field is required.").count(),
    0,
    "nobody has tried to send it",
  );
  await mail.fill("ann@example.org");
  await wrong.waitFor({ state: "detached" });

  // Submitting moves to the first invalid field, however far up it is.
  await input(ann, "Code").fill("ab");
  await input(ann, "Guests").fill("41");
  await button(gate(ann), "Answer").click();
  await field(ann, "Guests").getByText("At most 40.").waitFor();
  await field(ann, "Code").getByText("At least 3 characters.").waitFor();
  await field(ann, "Room").getByText("This field is required.").waitFor();
  await until(ann, () => document.activeElement.matches('input[type="date"]'));
  await inSight(ann, 'input[type="date"]');
  assert.deepEqual(await faults(ann), []);

  // A partial date is not a date, although the browser's own field does not report it.
  await ann.keyboard.type("12");
  await field(ann, "Day").getByText("Enter a date.").waitFor();
  await input(ann, "Day").fill("2026-12-24");
  await input(ann, "Begins").fill("2026-12-24T18:30");
  await input(ann, "Ends").fill("23:15");
  await input(ann, "Code").fill("abc");
  await input(ann, "Guests").fill("40");
  await field(ann, "Room").getByText("Garden").click();
  await field(ann, "Food").getByText("Fish").click();
  await field(ann, "Food").getByText("Vegetables").click();
  await field(ann, "Food").getByText("At most 1 item.").waitFor();
  await field(ann, "Food").getByText("Fish").click();
  await button(gate(ann), "Answer").click();
  const answer = ann.locator(".answer").first();
  await answer.waitFor();
  const said = await answer.textContent();
  for (const part of ["day: 2026-12-24", "mail: ann@example.org", "guests: 40", "room: r2", 'food: ["v"]'])
    assert.ok(said.includes(part), said);
  assert.match(said, /at: 2026-12-24T18:30:00[+-]\d\d:\d\d/);
  assert.match(said, /ends: 23:15:00[+-]\d\d:\d\d/);
  await nothingWrong(ann);
});

test("a form that is taller than its box says so, also on a phone, and in Chinese", async () => {
  const [ann, address] = await alone(asked, { team: "(ReAct)" });
  const size = { width: 375, height: 667 };
  const phone = await anotherOf(ann, {
    viewport: size,
    hasTouch: true,
    isMobile: true,
    locale: "zh-CN",
  });
  await phone.goto(address);
  await connected(phone);
  for (const [page, words] of [
    [ann, /more below$/],
    [phone, /^下面还有 \d 项$/],
  ]) {
    const further = button(gate(page), words);
    const before = Number.parseInt(/\d/.exec(await further.innerText())[0], 10);
    assert.ok(before > 2, `${before} are out of sight`);
    await further.click();
    await until(page, (before) => !document.querySelector(".form-below")?.innerText.includes(before), before);
    await gate(page).locator(".form-field").last().scrollIntoViewIfNeeded();
    await input(page, "Code").focus();
    await further.waitFor({ state: "detached" });
  }
  await input(phone, "Mail").fill("nobody");
  await input(phone, "Page").focus();
  await field(phone, "Mail").getByText("请输入电子邮件地址").waitFor();
  assert.deepEqual(await faults(phone), []);
  await nothingWrong(ann, phone);
});

test("the keyboard moves on to fields below, even past a field that is taller than the box", async () => {
  const text = (title, more) => ({ type: "string", title, ...more });
  const properties = {
    ...Object.fromEntries(["One", "Two"].map((name) => [name, text(name)])),
    Long: text("Long", { description: "What is to be read before. ".repeat(200) }),
    ...Object.fromEntries(["Four", "Five", "Six"].map((name) => [name, text(name)])),
  };
  const question = { question: "How?", schema: { type: "object", properties } };
  const [ann] = await alone(`A party\n/tool ask_people ${JSON.stringify(question)}`, { team: "(ReAct)" });
  const further = button(gate(ann), "3 more below");
  const intoLong = async () => {
    await field(ann, "Long").evaluate((long) => {
      const box = long.closest(".form-scroll");
      box.scrollTop = long.offsetTop - box.offsetTop + 40;
    });
    await further.waitFor();
  };
  await button(gate(ann), /more below$/).waitFor();
  await intoLong();
  await further.press("Enter");
  await until(ann, () => document.activeElement.closest(".form-field")?.textContent.includes("Four"));
  await ann.keyboard.type("a");
  assert.equal(await input(ann, "Four").inputValue(), "a", "letters are no keys of the page");

  // The button disappears once everything has been seen; the focus then moves into the form.
  await intoLong();
  await further.click();
  await further.waitFor({ state: "detached" });
  await until(ann, () => document.activeElement.closest(".form-field")?.textContent.includes("Four"));
  await nothingWrong(ann);
});
