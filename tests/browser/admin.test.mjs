import assert from "node:assert/strict";
import { faults } from "./support/axe.mjs";
import { server, setStage, test } from "./support/stage.mjs";
import { button, member, nothingWrong, signedIn } from "./support/steps.mjs";

setStage({ each: true });

const rows = (page) => page.locator(".admin-table tbody tr");
const participant = (page, name) => page.locator(`[data-participant="${name}"]`);

test("an administrator reads the audit log by kind, outcome and actor", async () => {
  const ann = await signedIn();
  await ann.goto(server.url);
  await ann.getByRole("link", { name: "Administration" }).click();
  await ann.getByRole("heading", { name: "Administration" }).waitFor();
  await rows(ann).first().waitFor();
  assert.deepEqual(await faults(ann), []);
  await ann.getByLabel("Kind").selectOption("sign_in");
  await ann.locator('[data-action="sign_in"]').first().waitFor();
  await ann.locator('tr[data-action]:not([data-action="sign_in"])').first().waitFor({ state: "detached" });
  assert.match(await rows(ann).first().textContent(), /127\.0\.0\.1|::1/, "with the address");

  // The keyboard alone reaches a name, and then that person's entries.
  const name = rows(ann).getByRole("button", { name: "Show only actions by operator" }).first();
  await name.focus();
  await ann.keyboard.press("Enter");
  await ann.getByText("Only by operator").waitFor();
  await ann.getByLabel("Outcome").selectOption("denied");
  await ann.getByText("No matching entries.").waitFor();
  await button(ann, "Clear filters").click();
  await rows(ann).first().waitFor();
  await nothingWrong(ann);
});

test("an administrator disables a person, enables them again and revokes their credentials", async () => {
  const ann = await signedIn();
  const bea = await member("Bea");
  await ann.goto(`${server.url}/admin`);
  await button(ann, "Participants").click();
  const row = participant(ann, "Bea");
  await row.waitFor();
  assert.equal(await row.getAttribute("data-disabled"), "false");
  assert.deepEqual(await faults(ann), []);
  const me = async () => (await bea.request.get(`${server.url}/api/v1/me`)).status();
  assert.equal(await me(), 200);

  // First only people with a certain role, then only disabled ones.
  await ann.getByLabel("Server role").selectOption("admin");
  await row.waitFor({ state: "detached" });
  await participant(ann, "operator").waitFor();
  await ann.getByLabel("Server role").selectOption("member");
  await row.waitFor();
  await ann.getByLabel("State").selectOption("true");
  await ann.getByText("No matching participants.").waitFor();
  await ann.getByLabel("State").selectOption("");
  await row.waitFor();

  // Lists what Bea is signed in with, and revokes all of it.
  await row.getByRole("button", { name: /^Devices and tokens/ }).click();
  const devices = ann.getByRole("region", { name: "Devices and tokens of Bea" });
  await devices.locator("li").first().waitFor();
  assert.deepEqual(await faults(ann), []);
  await ann.keyboard.press("Escape");

  await row.getByRole("button", { name: /^Disable/ }).click();
  const dialog = ann.getByRole("dialog");
  await button(dialog, "Disable").click();
  await dialog.waitFor({ state: "detached" });
  await row.and(ann.locator('[data-disabled="true"]')).waitFor();
  assert.equal(await me(), 401);
  await row.getByRole("button", { name: /^Enable/ }).click();
  await row.and(ann.locator('[data-disabled="false"]')).waitFor();

  await row.getByRole("button", { name: /^Revoke/ }).click();
  await button(dialog, "Revoke credentials").click();
  await dialog.waitFor({ state: "detached" });
  assert.equal(await me(), 401);
  await nothingWrong(ann);
});

test("somebody who is not an administrator is told so, and sees no link to the page", async () => {
  const bea = await member("Bea");
  await bea.goto(`${server.url}/admin`);
  await bea.getByText("This page is for administrators.").waitFor();
  assert.equal(await bea.getByRole("link", { name: "Administration" }).count(), 0);
  await nothingWrong(bea);
});
