import assert from "node:assert/strict";
import { faults } from "./support/axe.mjs";
import { setStage, test } from "./support/stage.mjs";
import { button, connected, message, nothingWrong, pair, reads, say } from "./support/steps.mjs";

setStage({ each: true });

const SECRET = "hunter2";

test("an owner redacts a message, and nobody can read it any more", async () => {
  const [ann, bob] = await pair({ role: "member", name: "Bob", title: "Plans" });
  await say(bob, `@people the password is ${SECRET}`);
  await reads(ann, SECRET);
  // A person who does not manage the session has no button for it.
  assert.equal(await button(message(bob, SECRET), "Redact this message…").count(), 0);
  await message(ann, SECRET).hover();
  await button(message(ann, SECRET), "Redact this message…").click();
  const dialog = ann.getByRole("dialog");
  await dialog.getByText("This cannot be undone.").waitFor();
  assert.deepEqual(await faults(ann), []);
  await dialog.getByRole("textbox").fill("a password");
  await button(dialog, "Redact the message").click();
  await dialog.waitFor({ state: "detached" });
  for (const page of [ann, bob]) {
    await page.locator("article.message").getByText("Redacted by operator").waitFor();
    assert.equal(await page.getByText(SECRET).count(), 0);
  }
  await bob.reload();
  await connected(bob);
  await bob.locator("article.message").getByText("Redacted by operator").waitFor();
  assert.ok(!(await bob.content()).includes(SECRET));
  await nothingWrong(ann, bob);
});

test("an owner redacts a person and their messages", async () => {
  const [ann, bob] = await pair({ role: "member", name: "Bob", title: "Plans" });
  await say(bob, `@people it is ${SECRET}`);
  await reads(ann, SECRET);
  await button(ann.locator(".people"), "Redact Bob and what they wrote…").click();
  const dialog = ann.getByRole("dialog");
  await dialog.getByText("This cannot be undone.").waitFor();
  assert.equal(await dialog.getByRole("textbox").count(), 0, "no reason is kept of it");
  assert.deepEqual(await faults(ann), []);
  await button(dialog, "Redact the person").click();
  await dialog.waitFor({ state: "detached" });
  for (const page of [ann, bob]) {
    await page.locator("article.message").getByText("Redacted by operator").waitFor();
    await page.locator('.people [data-person="[redacted]"]').waitFor();
    assert.equal(await page.getByText(SECRET).count(), 0);
  }
  await say(bob, "@people still here");
  await reads(ann, "still here");
  await nothingWrong(ann, bob);
});

test("an owner redacts a whole session", async () => {
  const [ann, bob] = await pair({ role: "member", name: "Bob", title: `About ${SECRET}` });
  await say(bob, `@people it is ${SECRET}`);
  await reads(ann, SECRET);
  await button(ann.locator(".rules"), "Redact session…").click();
  const dialog = ann.getByRole("dialog");
  await button(dialog, "Redact the session").click();
  await dialog.waitFor({ state: "detached" });
  for (const page of [ann, bob]) {
    await page.locator("article.message").getByText("Redacted by").first().waitFor();
    await page.getByText("This session is closed.").waitFor();
  }
  await bob.reload();
  await bob.getByText("This session is closed.").waitFor();
  assert.ok(!(await bob.content()).includes(SECRET));
  await nothingWrong(ann, bob);
});

test("an owner sets how long a session is kept", async () => {
  const [ann, bob] = await pair({ role: "member", name: "Bob", title: "Plans" });
  await button(ann.locator(".rules"), "Settings").click();
  const dialog = ann.getByRole("dialog");
  await dialog.locator('[name="days"]').fill("30");
  await button(dialog, "Save").click();
  await dialog.waitFor({ state: "detached" });
  await bob.locator(".rules").getByText("after 30 days without activity").waitFor();
  await nothingWrong(ann, bob);
});
