import assert from "node:assert/strict";
import { shop } from "./support/shop.mjs";
import { server, setStage, test } from "./support/stage.mjs";
import { button, nothingWrong, pair, say, until } from "./support/steps.mjs";

// A person's text is copied into calls, gates and rows of the page. It disappears from all of them without a reload.
const SECRET = "hunter2";

setStage({ each: true, demo: { config: shop } });

const gate = (page) => page.locator('[data-testid="gate"][data-kind="tool"]:visible');
const line = (page) =>
  page.locator('.message .tool[data-state="completed"]', {
    hasText: "mcp_shop_restart",
  });

test("a redacted person's edits of a call leave the page immediately", async () => {
  const [ann, bob] = await pair({
    role: "reviewer",
    name: "Bob",
    team: "(ReAct)",
  });
  await say(ann, 'Do it\n/tool mcp_shop_restart {"node":"a1"}');
  await gate(bob).waitFor();
  await bob.keyboard.press("Alt+e");
  await gate(bob).getByLabel("Node").fill(SECRET);
  await button(gate(bob), "Approve with these changes").click();
  await button(gate(bob), "Approve now").click();
  await ann.locator(".note", { hasText: "The run is finished" }).first().waitFor();
  await line(ann).locator(".tool-line").click();
  await line(ann).getByText(`restarted ${SECRET}`).waitFor();

  const session = new URL(ann.url()).pathname.split("/").pop();
  const { state } = await (await ann.request.get(`${server.url}/api/v1/sessions/${session}`)).json();
  const { id } = state.participants.find(({ name }) => name === "Bob");
  const path = `${server.url}/api/v1/participants/${id}/redact`;
  const answer = await ann.request.post(path, { data: { content: true } });
  assert.equal(answer.status(), 202, await answer.text());
  await ann.locator(".note", { hasText: "redacted" }).first().waitFor();
  const gone = (secret) =>
    ![...document.querySelectorAll(".tool, .gate-decided, .note")].some((part) =>
      part.textContent.includes(secret),
    );
  await until(ann, gone, SECRET);
  await ann.locator(".message .tool", { hasText: "mcp_shop_restart" }).waitFor();
  await nothingWrong(ann);
});
