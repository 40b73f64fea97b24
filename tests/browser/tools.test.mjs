import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { faults } from "./support/axe.mjs";
import { CALLS, shop } from "./support/shop.mjs";
import { server, setStage, test } from "./support/stage.mjs";
import { alone, anotherOf, button, nothingWrong, pair, say, settings, until } from "./support/steps.mjs";

// A tool that changes something outside, so people are asked before each call.
const sent = () => readFile(join(server.folder, CALLS), "utf8");

setStage({ each: true, demo: { config: shop } });

const gate = (page) => page.locator('[data-testid="gate"][data-kind="tool"]:visible');
const finished = (page) => page.locator(".note", { hasText: "The run is finished" }).first().waitFor();
const told = (call) => `Do it\n/tool mcp_shop_restart ${call}`;

/** Two people in a session with an assistant that follows its instructions. */
const people = (role) => pair({ role, team: "(ReAct)" });

test("an edited call is sent exactly as people edited it, to the last digit", async () => {
  const [ann, bob] = await people("reviewer");
  await settings(ann, { approval: { kind: "at_least", n: 2 } });
  // A number that JavaScript cannot represent, and a character that would reverse the text after it.
  await say(ann, told('{"node":"a1","ticket":9007199254740993,"share":1.10,"note":"\u202esoon"}'));
  for (const page of [ann, bob]) {
    const subject = gate(page).locator(".dock-call");
    await subject.getByText('"ticket": 9007199254740993').waitFor();
    await subject.getByText('"note": "\\u202esoon"').waitFor();
  }
  await button(gate(ann), "Allow this call").click();
  await gate(bob).getByText("1 of 2 approved").waitFor();

  await bob.keyboard.press("Alt+e");
  await gate(bob).getByLabel("Node").fill("b2");
  await gate(bob).locator(".diff.new", { hasText: "b2" }).waitFor();
  assert.equal(await gate(bob).locator(".diff.new").count(), 1);
  assert.equal(await gate(bob).getByRole("spinbutton", { name: "Ticket" }).inputValue(), "9007199254740993");
  await button(gate(bob), "Approve with these changes").click();

  // Ann voted for a different revision from the current one.
  await ann
    .getByTestId("revised")
    .getByText(/Bob \([^)]+\) changed this; earlier votes no longer count/)
    .waitFor();
  await gate(ann).getByText("you have not voted").waitFor();
  await ann.getByTestId("revised").getByText("Show what changed").click();
  await ann.getByTestId("revised").locator(".diff.gone", { hasText: '"a1"' }).waitFor();
  assert.equal(await ann.getByTestId("revised").locator(".diff.new").count(), 1);
  await gate(ann).locator(".dock-call").getByText('"b2"').waitFor();
  await gate(ann).locator(".dock-call").getByText('"share": 1.10').waitFor();
  await button(gate(ann), "Allow this call").click();
  for (const page of [ann, bob]) {
    await finished(page);
    // The task that it belonged to is over, so its result is fetched.
    const line = page.locator('.message .tool[data-state="completed"]', { hasText: "mcp_shop_restart" });
    await line.locator(".tool-line").click();
    await line.getByText("restarted b2").waitFor();
    await line.getByText("edited by people (revision 2)").waitFor();
  }
  const [call, ...more] = (await sent()).trim().split("\n");
  assert.deepEqual(more, []);
  assert.match(call, /"ticket":9007199254740993\b/);
  assert.deepEqual(JSON.parse(call).params.arguments, {
    node: "b2",
    ticket: Number("9007199254740993"),
    share: 1.1,
    note: "\u202esoon",
  });
  await nothingWrong(ann, bob);
});

test("a rejected call is not made, and a text can replace its result", async () => {
  const [ann, bob] = await people("viewer");
  await say(ann, told('{"node":"never"}'));
  await gate(ann).waitFor();
  await gate(bob).getByText("You can watch").waitFor();
  await ann.locator(".timeline").focus();
  await ann.keyboard.press("Alt+r");
  // The key decides nothing before there is a comment, and the comment can have line breaks.
  await ann.keyboard.press("Enter");
  await ann.keyboard.type("Not at night:");
  await ann.keyboard.press("Shift+Enter");
  await ann.keyboard.type("people sleep");
  assert.equal(await gate(ann).locator(".reject textarea").inputValue(), "Not at night:\npeople sleep");
  await gate(ann).getByText("Shift+Enter starts a new line").waitFor();
  await ann.keyboard.press("Enter");
  for (const page of [ann, bob]) {
    await page.locator(".gate-decided", { hasText: "Call not allowed" }).waitFor();
    await page.locator('.tool[data-state="failed"]').getByText("Not allowed").waitFor();
    await finished(page);
  }

  await say(ann, told('{"node":"never"}'));
  await gate(ann).waitFor();
  await ann.locator(".timeline").focus();
  await ann.keyboard.press("Alt+i");
  await ann.keyboard.type("It was restarted by hand");
  await ann.keyboard.press("Enter");
  for (const page of [ann, bob]) {
    await page.locator(".gate-decided", { hasText: "Answered for the tool" }).waitFor();
    await until(page, () => document.querySelectorAll(".note.good").length >= 2);
    const line = page.locator('.tool[data-state="completed"]', { hasText: "never" });
    await line.getByText("Answered by operator").waitFor();
    await line.locator(".tool-line").click();
    await line.getByText(/given by operator \(owner\) in place of the tool/).waitFor();
    await line.getByText("It was restarted by hand").waitFor();
  }
  await ann.reload();
  await ann.locator(".tool").getByText("Answered by operator").waitFor();
  await assert.rejects(sent(), { code: "ENOENT" });
  await nothingWrong(ann, bob);
});

test("a running call can be interrupted with the keyboard", async () => {
  const [ann] = await alone(told('{"node":"endless"}'), { team: "(ReAct)" });
  await button(gate(ann), "Allow this call").click();
  await ann.locator('.tool[data-state="started"]').waitFor();
  const control = ann.locator(".control");
  await control.getByText("Assistant using tools").waitFor();
  await button(control, "Interrupt").and(ann.locator(":enabled")).waitFor();
  await ann.locator(".timeline").focus();
  await ann.keyboard.press("Escape");
  await ann.keyboard.press("Escape");
  const stopped = ann.locator(".tool.interrupted");
  await stopped.getByText("Interrupted").waitFor();
  await stopped.locator(".tool-line").click();
  await stopped.getByText("it may have taken effect").waitFor();
  await ann.locator(".note", { hasText: "operator (owner) interrupted" }).waitFor();
  await ann.locator('[data-testid="gate"][data-kind="feedback"]').waitFor();
  await nothingWrong(ann);
});

test("on a phone, the deciding buttons stay in view while a call is edited, and are labelled", async () => {
  const size = { width: 360, height: 640 };
  const call = told('{"node":"a1","gently":true,"ticket":1,"note":"soon"}');
  const [ann, address] = await alone(call, { team: "(ReAct)" });
  const phone = await anotherOf(ann, { viewport: size, hasTouch: true, isMobile: true, colorScheme: "dark" });
  await phone.goto(address);
  await gate(phone).waitFor();
  assert.deepEqual(await faults(phone), []);
  await button(gate(phone), "Edit arguments").click();
  await gate(phone).getByLabel("Node").fill("b2");
  const send = button(gate(phone), "Approve with these changes");
  const { y, height } = await send.boundingBox();
  assert.ok(height >= 44 && y + height < size.height, `the button is at ${y}`);
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  assert.deepEqual(await faults(phone), []);

  // With the keyboard: into the form, out of it, and back to the previous place.
  await gate(ann).waitFor();
  await ann.locator(".timeline").focus();
  await ann.keyboard.press("Alt+e");
  await until(ann, () => document.activeElement.matches(".form-fields input"));
  assert.deepEqual(await faults(ann), []);
  await ann.keyboard.press("Escape");
  await until(ann, () => document.activeElement.matches(".dock"));
  await send.click();
  for (const page of [ann, phone]) await finished(page);
  await nothingWrong(ann, phone);
});

test("the output of a program is shown while it runs, and its result when it has ended", async () => {
  const [ann] = await people("viewer");
  const code = "import time\nprint('half way', flush=True)\ntime.sleep(4)\nprint('there')";
  await say(ann, `Run it\n/tool python ${JSON.stringify({ code })}`);
  const output = ann.getByTestId("output");
  await output.getByText("half way").waitFor();
  assert.equal(await output.getByText("there").count(), 0);
  assert.deepEqual(await faults(ann), []);
  await finished(ann);
  assert.equal(await output.count(), 0, "the result has all of it");
  await ann.locator(".tool", { hasText: "python" }).locator(".tool-line").click();
  await ann.locator(".tool", { hasText: "python" }).getByText("there").first().waitFor();
  await nothingWrong(ann);
});
