import assert from "node:assert/strict";
import { faults } from "./support/axe.mjs";
import { shop } from "./support/shop.mjs";
import { setStage, test } from "./support/stage.mjs";
import {
  alone,
  anotherOf,
  begin,
  button,
  connected,
  nothingWrong,
  say,
  settings,
  signedIn,
  until,
} from "./support/steps.mjs";

// What the page says next to a decision: the effect of a message, the remaining time, and, once, that it waits.
setStage({ each: true, demo: { config: shop } });

const PHONE = { viewport: { width: 375, height: 667 }, hasTouch: true, isMobile: true };
const gate = (page, kind) => page.locator(`[data-testid="gate"][data-kind="${kind}"]:visible`);
const composer = (page) => page.locator("#composer-text");
const assistant = { team: "(ReAct)" };

test("a message next to a form does not claim to answer it, and a title of two lines is not shown as a writer", async () => {
  const [ann] = await alone('Restart it\n/tool mcp_shop_restart {"node":"clerk"}', assistant);
  await button(gate(ann, "tool"), "Allow this call").click();
  const question = gate(ann, "question");
  await question.waitFor();
  await question.getByTestId("origin").getByText("read by the agents' models").waitFor();
  await ann.getByTestId("progress").getByText("looked at the shop").waitFor();
  assert.match(await composer(ann).getAttribute("placeholder"), /form above/);
  const unheard = ann.locator(".unheard");
  assert.equal(await unheard.count(), 0);
  await composer(ann).fill("Tomorrow");
  await unheard.getByText("does not answer the question").waitFor();
  await unheard.getByText("for people only are sent at once").waitFor();
  assert.deepEqual(await faults(ann), []);
  await composer(ann).press("Enter");
  await ann.locator(".inbox", { hasText: "Tomorrow" }).waitFor();
  await question.getByLabel("Day").fill("Friday");
  // A writer without a name is never shown.
  await ann.evaluate(() => {
    window.lines = [];
    const look = () => window.lines.push(document.querySelector(".session-line")?.textContent ?? "");
    new MutationObserver(look).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
    });
  });
  await button(question, "Answer").click();
  await ann.locator(".note", { hasText: "The run is finished" }).first().waitFor();
  for (const line of await ann.evaluate(() => window.lines)) assert.doesNotMatch(line, /^\s*and |^ writing/);
  await nothingWrong(ann);
});

test("a link from a server is shown with its host, and opened by the person who agrees", async () => {
  const [ann] = await alone('Restart it\n/tool mcp_shop_restart {"node":"vault"}', assistant);
  await ann.context().route("https://vault.example.org/**", (route) => route.fulfill({ body: "a vault" }));
  await button(gate(ann, "tool"), "Allow this call").click();
  const question = gate(ann, "question");
  await question.getByText("stays between you and that page").waitFor();
  await question.locator("strong", { hasText: "vault.example.org" }).waitFor();
  await question.getByText("https://vault.example.org/connect?id=1").waitFor();
  assert.deepEqual(await faults(ann), []);
  assert.equal(ann.context().pages().length, 1, "nothing is opened before somebody agrees");
  const opened = ann.context().waitForEvent("page");
  await button(question, "Open the page").click();
  const page = await opened;
  await page.waitForURL("https://vault.example.org/connect?id=1");
  assert.equal(await page.evaluate(() => window.opener), null);
  await page.close();
  await ann.locator(".note", { hasText: "The run is finished" }).first().waitFor();
  await ann.getByText("on no day, accept").first().waitFor();
  await nothingWrong(ann);
});

test("a question that a message answers says so, and one that needs a form does not", async () => {
  const ask = (question) => `Ask\n/tool ask_people ${JSON.stringify(question)}`;
  const [ann] = await alone(ask({ question: "Which colour?" }), assistant);
  await gate(ann, "question").waitFor();
  assert.match(await composer(ann).getAttribute("placeholder"), /in your own words/);
  await say(ann, "Blue");
  await ann.locator(".note", { hasText: "The run is finished" }).first().waitFor();
  await say(ann, ask({ question: "How many?", schema: { type: "integer" } }));
  await gate(ann, "question").waitFor();
  assert.match(await composer(ann).getAttribute("placeholder"), /form above/);
  await nothingWrong(ann);
});

test("a deadline is shown above the decision, and counted down when it is near; a waiting run can be paused", async () => {
  const [ann, address] = await alone("", assistant);
  await settings(ann, { gate_seconds: 3600 });
  await say(ann, 'Restart it\n/tool mcp_shop_restart {"node":"a1"}');
  const deadline = (page) => gate(page, "tool").getByRole("timer");
  await deadline(ann).getByText("open until").waitFor();

  const phone = await anotherOf(ann, PHONE);
  await phone.goto(address);
  await connected(phone);
  await deadline(phone).waitFor();
  const subject = await gate(phone, "tool").locator(".dock-call").boundingBox();
  assert.ok((await deadline(phone).boundingBox()).y < subject.y, "it stands above what is decided on");

  await button(ann.locator(".control"), "Pause").click();
  await button(ann.locator(".control"), "Resume").click();
  await button(ann.locator(".control"), "Pause").waitFor();

  await button(gate(ann, "tool"), "Do not allow").click();
  await button(gate(ann, "tool"), "Do not allow").click();
  await ann.locator(".note", { hasText: "The run is finished" }).first().waitFor();

  await settings(ann, { gate_seconds: 250 });
  await say(ann, 'Again\n/tool mcp_shop_restart {"node":"a1"}');
  await deadline(ann)
    .getByText(/^[34]:\d\d left$/)
    .waitFor();
  const before = await deadline(ann).textContent();
  await ann.keyboard.press("Escape");
  await ann.keyboard.press("Alt+e");
  await gate(ann, "tool").getByLabel("Node").waitFor();
  await until(ann, (before) => document.querySelector('[role="timer"]').textContent !== before, before);
  assert.equal(await deadline(ann).getAttribute("aria-live"), "off");
  assert.deepEqual(await faults(ann), []);
  await button(gate(ann, "tool"), "Cancel").click();
  await nothingWrong(ann, phone);
});

test("several waiting decisions are announced once", async () => {
  const restart = (node) => `/tool mcp_shop_restart {"node":"${node}"}`;
  const [ann] = await alone(["Do it", restart("a1"), restart("b2")].join("\n"), assistant);
  await ann.locator(".gates", { hasText: "2 decisions are open" }).waitFor();
  await ann.locator(".note.waits").nth(1).waitFor();
  assert.equal(await ann.getByText("Waiting for a decision below").count(), 1);
  await nothingWrong(ann);
});

test("a sent message is shown, even if a decision answers it immediately", async () => {
  const ann = await signedIn();
  const address = await begin(ann, `Say much\n${"one more line\n".repeat(60)}`, assistant);
  await ann.locator(".note", { hasText: "The run is finished" }).first().waitFor();
  await ann.goto(new URL("/", address).href);
  await ann.goto(address);
  await connected(ann);
  const restart = (node) => `/tool mcp_shop_restart {"node":"${node}"}`;
  await say(ann, ["Do them all", restart("a1"), restart("b2"), restart("c3")].join("\n"));
  await ann.locator(".gates", { hasText: "3 decisions are open" }).waitFor();
  await until(ann, () => {
    const list = document.querySelector(".timeline");
    return list.scrollHeight - list.scrollTop - list.clientHeight < 60;
  });
  assert.equal(await ann.locator(".jump").count(), 0);
  await nothingWrong(ann);
});

test("the panel keeps its tab while the window is as narrow as a phone", async () => {
  const [ann] = await alone("", assistant);
  const usage = ann.getByRole("tab", { name: "Usage" });
  await usage.click();
  await ann.setViewportSize(PHONE.viewport);
  await usage.waitFor({ state: "detached" });
  await ann.setViewportSize({ width: 1360, height: 860 });
  await usage.waitFor();
  assert.equal(await usage.getAttribute("aria-selected"), "true");
  await nothingWrong(ann);
});
