import assert from "node:assert/strict";
import { faults } from "./support/axe.mjs";
import { browser, server, setStage, test } from "./support/stage.mjs";
import {
  accept,
  alone,
  anotherOf,
  button,
  connected,
  invite,
  member,
  nothingWrong,
  pair,
  reads,
  say,
  settings,
} from "./support/steps.mjs";

import { incidentTeam, makeTeam } from "./support/topology.mjs";
import { PHONE } from "./support/viewports.mjs";

setStage({ each: true });

/** Creates an invite link that requires a knock. */
async function knockLink(ann) {
  await button(ann.locator(".panel"), "Invite").click();
  const dialog = ann.getByRole("dialog");
  await dialog.getByLabel("An owner admits each person").check();
  assert.deepEqual(await faults(ann), []);
  await button(dialog, "Create link").click();
  const link = await dialog.locator('input[name="link"]').inputValue();
  await dialog.getByText("Open links (1)").click();
  await dialog.getByText("an owner must admit each person").waitFor();
  await ann.keyboard.press("Escape");
  return link;
}

/** A person who asks to join. */
async function knocks(link, name) {
  const page = await browser.person();
  await page.goto(link);
  await page.locator('input[name="name"]').fill(name);
  await button(page, "Ask to join").click();
  await page.getByRole("heading", { name: "You asked to join" }).waitFor();
  return page;
}

test("a person sees where they are signed in, ends one sign-in, and then all of them", async () => {
  const ann = await member("Ann");
  await ann.goto(server.url);
  await connected(ann);
  await button(ann, "You are Ann").click();
  const devices = ann.getByRole("region", { name: "Where you are signed in" });
  await devices.getByText("this device").waitFor();
  assert.deepEqual(await faults(ann), []);
  await button(devices, "Revoke: Token").waitFor();

  const twin = await anotherOf(ann);
  await twin.goto(server.url);
  await connected(twin);
  await button(devices, "Sign out everywhere").click();
  await ann.getByRole("heading", { name: "Sign in" }).waitFor();
  await twin.getByText("The server no longer recognizes this browser.").waitFor();
  await nothingWrong(ann);
});

test("a person creates a limited token, sees it once and then in the list, and revokes it", async () => {
  const ann = await member("Ann");
  await ann.goto(server.url);
  await connected(ann);
  await button(ann, "You are Ann").click();
  await button(ann.getByRole("dialog"), "Create a token").click();
  const dialog = ann.getByRole("dialog", { name: "Create a token" });
  await dialog.getByLabel("Name").fill("Nightly report");
  await dialog.getByLabel("Accept only from").fill("127.0.0.1 ::1");
  assert.deepEqual(await faults(ann), []);
  await button(dialog, "Create").click();
  const created = ann.getByRole("dialog", { name: "Token created" });
  const token = await created.getByLabel("Token", { exact: false }).first().inputValue();
  assert.match(token, /^rt_token_[0-9a-f]{64}$/);
  assert.deepEqual(await faults(ann), []);
  const call = (method, path, data) =>
    fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(data && { body: JSON.stringify(data) }),
    });
  assert.equal((await call("GET", "/api/v1/me")).status, 200);
  assert.equal((await (await call("POST", "/api/v1/sessions", {})).json()).code, "token_scope");

  await created.getByRole("button", { name: "Close" }).last().click();
  const row = ann.locator(".devices li", { hasText: "Nightly report" });
  await row.getByText("read only, from 127.0.0.1/32, ::1/128").waitFor();
  await button(row, "Revoke: Token Nightly report").click();
  await row.waitFor({ state: "detached" });
  assert.equal((await call("GET", "/api/v1/me")).status, 401);
  await nothingWrong(ann);
});

for (const [viewport, options] of [
  ["on a desktop", {}],
  ["on a phone", PHONE],
]) {
  test(`a token is limited to teams, ${viewport}`, async () => {
    const ann = await member("Ann", options);
    await ann.goto(server.url);
    const [team, other] = [
      await makeTeam(ann, incidentTeam("Shop")),
      await makeTeam(ann, incidentTeam("Depot")),
    ];
    await ann
      .locator("button.account")
      .first()
      .evaluate((element) => element.click());
    await button(ann.getByRole("dialog"), "Create a token").click();
    const dialog = ann.getByRole("dialog", { name: "Create a token" });
    await dialog.getByLabel("Name").fill("Shop only");
    const teams = dialog.getByRole("group", { name: "Teams" });
    await teams.getByLabel("Shop").focus();
    await ann.keyboard.press("Space");
    await teams.getByText("starts none").waitFor();
    await dialog.getByLabel("Rights").selectOption("member");
    await teams.getByText("starts none").waitFor({ state: "detached" });
    assert.ok(await ann.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.deepEqual(await faults(ann), []);
    await button(dialog, "Create").click();
    const created = ann.getByRole("dialog", { name: "Token created" });
    const token = await created.getByLabel("Token", { exact: false }).first().inputValue();
    const status = async (path) =>
      (await fetch(`${server.url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
    assert.equal(await status(`/teams/${team}`), 200);
    assert.equal(await status(`/teams/${other}`), 403);
    await created.getByRole("button", { name: "Close" }).last().click();
    await ann
      .locator(".devices li", { hasText: "Shop only" })
      .getByText("one team, at most member")
      .waitFor();
    await nothingWrong(ann);
  });
}

test("a person's profile is visible to everybody, with their rights in the session", async () => {
  const [ann, bob] = await pair({ role: "reviewer" });
  await ann.locator('[data-person="Bob"] .person-open').focus();
  await ann.keyboard.press("Enter");
  const profile = ann.getByRole("dialog", { name: "Bob" });
  await profile.getByText("guest, joined through an invite link").waitFor();
  await profile.getByText("here now").waitFor();
  await profile.getByText("decide").waitFor();
  assert.equal(await profile.getByText("control the run").count(), 0);
  assert.deepEqual(await faults(ann), []);
  await settings(ann, { rights: [{ role: "reviewer", right: "interrupt", access: "allow" }] });
  await profile.getByText("control the run").waitFor();
  await ann.keyboard.press("Escape");
  await profile.waitFor({ state: "detached" });
  await bob.locator('[data-person="operator"] .person-open').click();
  await bob.getByRole("dialog", { name: "operator" }).getByText("owner").waitFor();
  await nothingWrong(ann, bob);
});

test("the account dialogs fit on a phone, and are in Chinese", async () => {
  const ann = await member("Ann", { locale: "zh-CN", viewport: { width: 360, height: 740 } });
  await ann.goto(server.url);
  // On a phone, the button is in a drawer.
  await ann.locator("button.account").first().waitFor({ state: "attached" });
  await ann
    .locator("button.account")
    .first()
    .evaluate((element) => element.click());
  await ann.getByRole("button", { name: "创建令牌" }).click();
  const dialog = ann.getByRole("dialog", { name: "创建令牌" });
  await dialog.getByLabel("名称").waitFor();
  const wide = await ann.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  assert.ok(!wide, "nothing is wider than the phone");
  assert.deepEqual(await faults(ann), []);
});

test("an owner admits one knock with the keyboard, and declines another", async () => {
  const [ann, address] = await alone();
  await say(ann, "@people hello");
  await reads(ann, "hello");
  const link = await knockLink(ann);
  const eve = await knocks(link, "Eve");
  await ann.getByRole("group", { name: "Someone asks to join" }).waitFor();
  await ann.getByTestId("announcer").getByText("Eve asks to join as member").waitFor({ state: "attached" });
  assert.deepEqual(await faults(ann), []);
  assert.deepEqual(await faults(eve), []);
  // A waiting person can reload the page and still waits.
  await eve.reload();
  await eve.getByRole("heading", { name: "You asked to join" }).waitFor();

  const mal = await knocks(link, "Mal");
  await button(ann, "Decline Mal").click();
  await mal.getByRole("heading", { name: "Your request was declined" }).waitFor();
  await ann.locator(".note", { hasText: "declined the request from Mal" }).waitFor();

  await button(ann, "Admit Eve").focus();
  await ann.keyboard.press("Enter");
  await connected(eve);
  assert.equal(eve.url(), address);
  await say(eve, "@people thank you");
  await reads(ann, "thank you");
  assert.equal(await ann.locator(".knocks").count(), 0);
  await nothingWrong(ann, eve, mal);
});

test("a link with a vote admits a person, and their removal closes open links", async () => {
  const [ann, bob] = await pair();
  const open = await invite(ann, "viewer");
  const used = await invite(ann, "reviewer");
  await accept(await browser.person(), used, "Rex");
  const late = await browser.person();
  await late.goto(used);
  await late.getByRole("heading", { name: "This invitation cannot be used" }).waitFor();

  await button(ann, "Remove Bob").click();
  const dialog = ann.getByRole("dialog");
  assert.ok(await dialog.getByLabel("Also close all open links of this session").isChecked());
  assert.deepEqual(await faults(ann), []);
  await dialog.getByRole("button", { name: "Remove", exact: true }).click();
  await bob.getByText("You were removed from this session").waitFor();
  await late.goto("about:blank");
  await late.goto(open);
  await late.getByRole("heading", { name: "This invitation cannot be used" }).waitFor();
  await nothingWrong(ann, bob, late);
});
