// What several people see of each other, and of the cost of their run.
import assert from "node:assert/strict";
import { model, setStage, test } from "./support/stage.mjs";
import {
  alone,
  button,
  connected,
  nothingWrong,
  pair,
  reads,
  say,
  settings,
  signedIn,
  toGate,
  until,
} from "./support/steps.mjs";

setStage({ each: true });

const PLAN = JSON.stringify({
  steps: [
    { agent: "requirement", action: "Read the rules", reason: "first" },
    { agent: "testcase", action: "Write the cases", reason: "then" },
  ],
  estimated_time: "5 minutes",
  risks: ["none"],
});

test("people who change the same plan see each other, and those who have not voted are named", async () => {
  const [ann, bob] = await pair({ team: "(brain)", text: "Test the login" });
  await settings(ann, { approval: { kind: "all" } });
  (await model.turn()).end(PLAN);
  const gate = (page) => page.getByTestId("gate");
  await gate(ann).getByText("Waiting for you and Bob (here now)").waitFor();
  await gate(bob).getByText("Waiting for operator (here now) and you").waitFor();

  await button(gate(bob), /^Edit plan/).click();
  await gate(ann).getByText("Bob (guest, member) is editing this now").waitFor();
  assert.equal(await gate(bob).getByTestId("editing").count(), 0, "nobody is told of themselves");
  await button(gate(ann), /^Edit plan/).click();
  await gate(bob).getByText("operator (owner) is editing this now").waitFor();
  await nothingWrong(ann, bob);

  // Bob's plan arrives first; Ann sees what changed before she continues.
  await gate(bob).locator(".plan-editor textarea").first().fill("Read all the rules");
  await gate(bob).locator(".editor [type=submit]").click();
  await gate(ann).getByTestId("revised").waitFor();
  assert.equal(await gate(ann).getByTestId("editing").count(), 0, "Bob is done");
  await gate(ann).getByTestId("revised").getByText("What changed").click();
  await gate(ann).getByTestId("revised").getByText("Read all the rules").first().waitFor();
  await nothingWrong(ann, bob);
});

test("costs have a currency and add up, and agents show their model", async () => {
  const [ann] = await alone("Write cases");
  await toGate(ann);
  await ann.getByRole("tab", { name: "People" }).click();
  assert.equal(await ann.locator(".agent-model", { hasText: "hand/by-hand" }).count(), 3);
  await ann.getByRole("tab", { name: "Usage" }).click();
  // The total of the session differs from that of the latest run, and each table is labelled.
  const sections = ann.locator(".panel section", { has: ann.locator(".usage") });
  await sections.nth(2).waitFor();
  assert.deepEqual(await sections.getByRole("heading").allTextContents(), [
    "This run",
    "Whole session, by agent",
    "Whole session, on behalf of",
  ]);
  const figures = await ann
    .locator(".usage")
    .nth(1)
    .evaluate((table) => {
      const numbers = (row) =>
        [...row.querySelectorAll("td")].map((cell) => Number(cell.textContent.replace(/[^\d.]/g, "")));
      const parts = [...table.tBodies[0].rows].map(numbers);
      return {
        parts,
        sum: numbers(table.tFoot.rows[0]),
        cost: table.tFoot.rows[0].lastElementChild.textContent,
      };
    });
  assert.deepEqual(
    figures.sum,
    figures.parts.reduce((a, b) => a.map((n, i) => n + b[i])),
  );
  assert.match(figures.cost, /^\$\d/);
  await ann.locator(".spent", { hasText: "$" }).waitFor();
  await nothingWrong(ann);
});

test("the first person to sign in is asked for a name, once", async () => {
  const ann = await signedIn();
  const asks = ann.getByTestId("first-name");
  await asks.getByRole("textbox").fill("Ann");
  await nothingWrong(ann);
  await button(asks, "Save name").click();
  await ann.locator(".account-name", { hasText: "Ann" }).waitFor();
  await connected(ann);
  assert.equal(await asks.count(), 0);
});

test("right-to-left text is shown that way, next to left-to-right text", async () => {
  const [ann] = await alone();
  await say(ann, "@people مرحبا بالعالم");
  await say(ann, "@people hello world");
  await reads(ann, "مرحبا");
  await reads(ann, "hello world");
  const sides = await until(ann, () => {
    const side = (text) => {
      const p = [...document.querySelectorAll(".markdown p")].find((one) => one.textContent.includes(text));
      const range = document.createRange();
      range.selectNodeContents(p);
      const [box, words] = [p.getBoundingClientRect(), range.getBoundingClientRect()];
      return Math.round(words.left - box.left) <= Math.round(box.right - words.right) ? "left" : "right";
    };
    return {
      rtl: getComputedStyle(document.querySelector(".markdown p")).unicodeBidi,
      hello: side("hello world"),
    };
  });
  assert.deepEqual(await sides.jsonValue(), { rtl: "plaintext", hello: "left" });
  await ann.locator("#composer-text").fill("שלום");
  assert.equal(
    await ann.locator("#composer-text").evaluate((field) => getComputedStyle(field).direction),
    "rtl",
  );
  await nothingWrong(ann);
});
