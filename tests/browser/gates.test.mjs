import assert from "node:assert/strict";
import { keeper } from "./support/shop.mjs";
import { server, setStage, test } from "./support/stage.mjs";
import { alone, button, connected, nothingWrong, until } from "./support/steps.mjs";

// An agent whose calls people decide on, and whose rules forbid one of them.
setStage({ each: true, demo: { config: keeper } });

const gate = (page) => page.locator('[data-testid="gate"]:visible');
const told = (...calls) => `Do it\n${calls.map((call) => `/tool mcp_shop_restart ${call}`).join("\n")}`;
const focused = (page, selector) =>
  until(page, (selector) => document.activeElement.matches(selector), selector);

test("an edit that the rules refuse stays in the form, with the reason next to it, until one is accepted", async () => {
  const [ann] = await alone(told('{"node":"a1"}', '{"node":"a2"}', '{"node":"main"}'), {
    team: "Shop keeper",
  });
  await ann.locator('.tool[data-state="failed"]', { hasText: "main" }).getByText("Denied").waitFor();
  await button(gate(ann), "Edit arguments").click();
  await gate(ann).getByLabel("Node").fill("main");
  // An action that cannot be undone is held for some seconds, also after an edit.
  await button(gate(ann), "Approve with these changes").click();
  await gate(ann).getByText("Your approval is about to be sent").waitFor();
  await ann.keyboard.press("Escape");
  await focused(ann, ".editor [type=submit]");
  await ann.keyboard.press("Enter");
  await button(gate(ann), "Approve now").click();
  const refusal = gate(ann).getByRole("alert");
  await refusal.getByText("The rules of this session do not allow").waitFor();
  assert.equal(await gate(ann).getByLabel("Node").inputValue(), "main");
  await gate(ann).locator(".diff.new", { hasText: "main" }).waitFor();

  await gate(ann).getByLabel("Node").fill("b2");
  await button(gate(ann), "Approve with these changes").click();
  await button(gate(ann), "Approve now").click();
  await ann.locator(".gate-decided", { hasText: "Call allowed" }).waitFor();
  await gate(ann).locator(".dock-call", { hasText: "a2" }).waitFor();
  assert.equal(await ann.getByText("The rules of this session").count(), 0, "what was refused is settled");
  assert.equal(await ann.getByTestId("unsaid").count(), 0);
  await nothingWrong(ann);
});

test("the press that approves one of several calls does not approve the next one, too", async () => {
  const [ann] = await alone(told('{"node":"a1"}', '{"node":"a2"}', '{"node":"a3"}'), { team: "Shop keeper" });
  const asks = (node) => gate(ann).locator(".dock-call", { hasText: node }).waitFor();
  const decided = (count) =>
    until(ann, (count) => document.querySelectorAll(".gate-decided").length === count, count);
  await asks("a1");
  const tabs = ann.getByRole("region", { name: "Decide on 3 calls at once" }).locator(".gate-chip");
  for (const [at, node] of ["a1", "a2", "a3"].entries()) {
    assert.equal(await tabs.nth(at).innerText(), `mcp_shop_restart node: ${node}`);
    assert.match(await tabs.nth(at).getAttribute("title"), /Keeper asks to call a tool/);
  }
  // The first press leads to the button, the second approves, and there is time to undo it.
  await ann.locator(".timeline").focus();
  await ann.keyboard.press("Alt+a");
  await ann.keyboard.press("Enter");
  await focused(ann, "button");
  await ann.keyboard.press("Enter");
  await button(gate(ann), "Allow this call").waitFor();
  await button(gate(ann), "Allow this call").press("Enter");
  await button(gate(ann), "Approve now").click();
  await asks("a2");
  await decided(1);

  // The second press of a double click is meant for the previous button.
  await button(gate(ann), "Allow this call").dblclick();
  await button(gate(ann), "Approve now").click();
  await asks("a3");
  await decided(2);
  await focused(ann, ".dock");
  await button(gate(ann), "Allow this call").click();
  await gate(ann).getByText("Your approval is about to be sent.").waitFor();
  await ann.locator(".note", { hasText: "The run is finished" }).waitFor();
  await nothingWrong(ann);
});

test("an approval whose undo period is cut short is not sent, and says so", async () => {
  const [ann] = await alone(told('{"node":"a1"}', '{"node":"a2"}'), { team: "Shop keeper" });
  const held = gate(ann).getByText("Your approval is about to be sent");
  const unsent = ann.getByTestId("unsent");
  const allow = () => button(gate(ann), "Allow this call").click();
  await allow();
  await held.waitFor();
  await server.kill();
  await unsent.getByText("the connection was lost").waitFor();
  assert.equal(await held.count(), 0);
  await server.restart();
  await connected(ann);
  await button(gate(ann), "Allow this call").and(ann.locator(":enabled")).waitFor();
  await nothingWrong(ann);

  // Starting to reject or edit the call cancels the held approval.
  await allow();
  await held.waitFor();
  assert.equal(await unsent.count(), 0);
  await ann.keyboard.press("Alt+r");
  await gate(ann).locator(".reject textarea").waitFor();
  await ann.keyboard.press("Escape");
  await button(gate(ann), "Allow this call").waitFor();
  assert.equal(await held.count(), 0);

  // A person who has moved to another call no longer sees a way to undo the approval.
  await allow();
  await held.waitFor();
  await ann.locator(".gate-chip").nth(1).click();
  await unsent.getByText("you moved to something else").waitFor();
  await ann.locator(".gate-chip").first().click();
  await button(gate(ann), "Allow this call").waitFor();
  await button(unsent, "Dismiss").click();

  await allow();
  await held.waitFor();
  await ann.keyboard.press("Alt+b");
  await unsent.getByText("you moved to something else").waitFor();
  await nothingWrong(ann);
  await unsent.getByRole("link").click();
  await button(gate(ann), "Allow this call").waitFor();
  await unsent.waitFor();
  assert.equal(await ann.locator(".gate-decided").count(), 0);
  await nothingWrong(ann);
});

test("an edit that is typed and undone while an approval is held cancels the approval", async () => {
  const [ann] = await alone(told('{"node":"a1"}'), { team: "Shop keeper" });
  await button(gate(ann), "Edit arguments").click();
  const node = gate(ann).getByLabel("Node");
  await node.fill("b2");
  await button(gate(ann), "Approve with these changes").click();
  const held = gate(ann).getByText("Your approval is about to be sent");
  await held.waitFor();
  await node.press("End");
  await node.press("3");
  await ann.getByTestId("unsent").getByText("the content changed").waitFor();
  await node.press("Backspace");
  assert.equal(await node.inputValue(), "b2");
  assert.equal(await held.count(), 0, "it has to be sent again");
  await nothingWrong(ann);
  await button(gate(ann), "Approve with these changes").click();
  await button(gate(ann), "Approve now").click();
  await ann.locator(".gate-decided", { hasText: "Call allowed" }).waitFor();
  assert.equal(await ann.getByTestId("unsent").count(), 0);
  await nothingWrong(ann);
});
