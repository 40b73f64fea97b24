// Recurring steps of the tests, in the wording of the page.
import assert from "node:assert/strict";
import { faults } from "./axe.mjs";
import { TIMEOUT_MS } from "./timeouts.mjs";
import { browser, model, server } from "./stage.mjs";

/** Signs in with the link that the server prints. */
export async function signIn(page, server) {
  await page.goto(server.link);
  await page.locator(".shell").waitFor();
  await connected(page);
}

/** Waits until the page says that it is live. */
export async function connected(page) {
  await page.locator('[data-connection="live"]').first().waitFor();
}

/** Scrolls the conversation as a reader does. */
export async function wheel(page, pixels) {
  await page.locator(".timeline").hover();
  await page.mouse.wheel(0, pixels);
}

/** Begins a session and returns its address. */
export async function begin(page, message, { team, title } = {}) {
  await page.keyboard.press("Alt+n");
  const dialog = page.getByRole("dialog");
  await dialog.locator('[name="message"]').fill(message);
  if (team) await dialog.locator(".team", { hasText: team }).click();
  if (title) await dialog.locator('[name="title"]').fill(title);
  await dialog.locator('button[type="submit"]').click();
  await page.waitForURL(/\/s\/s_/);
  await dialog.waitFor({ state: "detached" });
  await connected(page);
  return page.url();
}

/** A person who has signed in. */
export async function signedIn(options) {
  const ann = await browser.person(options);
  await signIn(ann, server);
  return ann;
}

/** A member of the server who has signed in with a token. */
export async function member(name, options) {
  const page = await browser.person(options);
  await page.goto(server.url);
  const data = { code: await server.token(name) };
  await page.request.post(`${server.url}/api/v1/sign-in`, { data });
  return page;
}

/** Another window of the same person, with an empty page. */
export async function anotherOf(ann, options) {
  const page = await browser.person(options);
  await page.context().addCookies(await ann.context().cookies());
  return page;
}

/** A person who has begun a session, and its address. */
export async function alone(text = "", how = {}) {
  const ann = await signedIn();
  const address = await begin(ann, text, { team: "Test case", ...how });
  return [ann, address];
}

/** Two people in a session, the second by an invite link, and its address. */
export async function pair({ role = "member", name = "Bob", text, ...how } = {}) {
  const [ann, address] = await alone(text, how);
  const bob = await browser.person();
  await accept(bob, await invite(ann, role), name);
  return [ann, bob, address];
}

/** Creates an invite link through the panel. */
export async function invite(page, role) {
  await page.locator(".panel section").first().getByRole("button").last().click();
  const dialog = page.getByRole("dialog");
  await dialog.locator('select[name="role"]').selectOption(role);
  await dialog.locator('button[type="submit"]').click();
  const link = await dialog.locator('input[name="link"]').inputValue();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  return link;
}

/** Joins through an invite link. */
export async function accept(page, link, name) {
  await page.goto(link);
  await page.locator('input[name="name"]:focus').fill(name);
  await submitInvite(page);
}

/** Accepts an invitation as a person who has signed in. */
export async function acceptSignedIn(page, link) {
  await page.goto(server.url);
  await connected(page);
  await page.goto(link);
  await submitInvite(page);
}

async function submitInvite(page) {
  await page.locator('button[type="submit"]').click();
  await page.waitForURL(/\/s\/s_/);
  await connected(page);
}

/** Says something with the keyboard. */
export async function say(page, text) {
  // An event can arrive before the answer that closes a dialog, and the page behind an open dialog takes no keys.
  await page.locator("dialog[open]").first().waitFor({ state: "detached" });
  const composer = page.locator("#composer-text");
  await composer.fill(text);
  await composer.press("Enter");
}

/** Changes the settings of the open session. */
export async function settings(page, settings) {
  assert.ok(await post(page, { do: "set", data: { settings } }));
}

/** Sends a command to the open session without the page's controls. Returns whether it was accepted. */
export function post(page, command) {
  return page.evaluate(async (command) => {
    const session = location.pathname.split("/").pop();
    const body = JSON.stringify({ id: `c_${crypto.randomUUID()}`, ...command });
    const headers = { "content-type": "application/json" };
    return (await fetch(`/api/v1/sessions/${session}/commands`, { method: "POST", headers, body })).ok;
  }, command);
}

/** A button by its name. */
export function button(scope, name) {
  return scope.getByRole("button", { name });
}

/** The messages with this text that the server has confirmed. */
export function message(page, text) {
  return page.locator("article.message:not(.pending)", { hasText: text });
}

/** Waits until the message is in the timeline. */
export async function reads(page, text) {
  await message(page, text).first().waitFor();
}

/** Plays to the gate of a run, with answers to its first two turns. */
export async function toGate(page, draft = "A draft with `code` and a [link](https://example.org).") {
  (await model.turn()).end(draft);
  (await model.turn()).end("A review.");
  await page.getByTestId("gate").waitFor();
}

/** Checks that there are no errors inside the page, and no accessibility violations in its current state. */
export async function nothingWrong(...pages) {
  for (const page of pages) {
    assert.deepEqual(await faults(page), []);
    assert.deepEqual(page.wrong, []);
  }
}

/** Waits until `check` is true in the page. */
export function until(page, check, argument) {
  return page.waitForFunction(check, argument, { timeout: TIMEOUT_MS, polling: 50 });
}
