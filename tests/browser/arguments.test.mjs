import assert from "node:assert/strict";
import { keeper } from "./support/shop.mjs";
import { setStage, test } from "./support/stage.mjs";
import { alone, button, nothingWrong } from "./support/steps.mjs";

setStage({ each: true, demo: { config: keeper } });

const gate = (page) => page.locator('[data-testid="gate"]:visible');

test("a text of several lines is read, changed and compared line by line", async () => {
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
