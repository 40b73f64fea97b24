import assert from "node:assert/strict";
import { keeper } from "./support/shop.mjs";
import { setStage, test } from "./support/stage.mjs";
import { alone, button, nothingWrong, pair, say, settings } from "./support/steps.mjs";

setStage({ each: true, demo: { config: keeper } });

const gate = (page) => page.locator('[data-testid="gate"]:visible');

test("a multi-line text is shown, edited and compared line by line", async () => {
  const note = "import os\nfor n in range(3):\n    os.stat('a')";
  const [ann] = await alone(`Do it\n/tool mcp_shop_restart ${JSON.stringify({ node: "a1", note })}`, {
    team: "Shop keeper",
  });
  const text = gate(ann).locator(".text-argument");
  await text.getByText("note").first().waitFor();
  assert.equal((await text.locator("pre").innerText()).trim(), note);
  await gate(ann).locator(".dock-call > .pre", { hasText: '"node": "a1"' }).waitFor();

  await button(gate(ann), "Edit arguments").click();
  const field = gate(ann).getByRole("textbox", { name: "Note" });
  assert.equal(await field.inputValue(), note, "line breaks stay");
  await field.fill(note.replace("range(3)", "range(30)"));
  const changes = gate(ann).locator(".changes");
  await changes.locator(".diff.new", { hasText: "range(30)" }).waitFor();
  assert.deepEqual(
    (await changes.locator(".diff").allInnerTexts()).map((line) => line.trim()),
    ["import os", "− for n in range(3):", "+ for n in range(30):", "os.stat('a')"],
  );
  await button(gate(ann), "Approve with these changes").click();
  await button(gate(ann), "Approve now").click();
  await ann.locator(".gate-decided", { hasText: "Call allowed" }).waitFor();
  await nothingWrong(ann);
});

test("nested programs are highlighted and complete at a gate, and so are edits of them", async () => {
  const [ann, bob] = await pair({ role: "reviewer", team: "Shop keeper" });
  await settings(ann, { approval: { kind: "at_least", n: 2 } });
  const content = Array.from({ length: 400 }, (_, i) => `value_${i} = ${i}`).join("\n");
  const call = {
    node: "a1",
    note: "soon\nor later",
    sql: "select name from nodes",
    edits: [{ path: "shop.py", old: "def open():\n    return None", new: content }],
  };
  await say(ann, `Do it\n/tool mcp_shop_restart ${JSON.stringify(call)}`);
  const text = (page, name) => gate(page).locator(".dock-call .text-argument", { hasText: name });
  await text(ann, "sql").locator(".hljs-keyword", { hasText: "select" }).waitFor();
  await text(ann, "edits[0].old").locator(".hljs-keyword", { hasText: "def" }).waitFor();
  const program = text(ann, "edits[0].new").locator("pre");
  await program.locator(".hljs-number", { hasText: "399" }).waitFor();
  assert.equal((await program.innerText()).trim(), content, "nothing of it hides");
  assert.equal(await button(gate(ann), "Show all").count(), 0);
  await gate(ann).locator(".dock-call > .pre", { hasText: '"new": …' }).waitFor();
  await nothingWrong(ann);

  await button(gate(bob), "Edit arguments").click();
  await gate(bob).getByRole("textbox", { name: "Note" }).fill("soon\nor never");
  await button(gate(bob), "Approve with these changes").click();
  await button(gate(bob), "Approve now").click();
  const revised = ann.getByTestId("revised");
  await revised.getByText("Show what changed").click();
  await revised.locator(".diff.new", { hasText: "or never" }).waitFor();
  const lines = await revised.locator(".diff").allInnerTexts();
  assert.deepEqual(
    lines.map((line) => line.trim()),
    ["soon", "− or later", "+ or never"],
  );
  await nothingWrong(ann, bob);
});
