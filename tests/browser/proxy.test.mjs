import assert from "node:assert/strict";
import { after } from "node:test";
import { faults } from "./support/axe.mjs";
import { startProxy } from "./support/proxy.mjs";
import { browser, server, setStage, test } from "./support/stage.mjs";
import { button, connected, nothingWrong, signedIn } from "./support/steps.mjs";
import { PHONE } from "./support/viewports.mjs";

const proxy = await startProxy();
after(() => proxy.close());
setStage({ demo: { config: () => proxy.config }, prepare: () => proxy.lead(server.address) });

for (const [viewport, options, person] of [
  ["on a desktop", {}, "ann@example.org"],
  ["on a phone", PHONE, "bea@example.org"],
]) {
  test(`a person continues under the name from the proxy, and the account says so, ${viewport}`, async () => {
    proxy.authenticate(person);
    const page = await browser.person(options);
    await page.goto(`${proxy.url}/knowledge`);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    const go = button(page, `Continue as ${person}`);
    await go.waitFor();
    assert.deepEqual(await faults(page), []);
    await go.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Sign in" }).waitFor({ state: "detached" });
    await page.waitForURL(`${proxy.url}/knowledge`);
    await page.goto(proxy.url);
    await page.locator(".shell").waitFor();
    await page.locator("button.account").first().waitFor({ state: "attached" });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));

    await page
      .locator("button.account")
      .first()
      .evaluate((element) => element.click());
    const dialog = page.getByRole("dialog");
    await dialog.getByTestId("last-sign-in").getByText("through the organization's proxy").waitFor();
    assert.deepEqual(await faults(page), []);
    // A sign-in here lasts without the proxy until the user signs out.
    proxy.authenticate(null);
    await page.reload();
    await page.locator("button.account").first().waitFor({ state: "attached" });
    await page
      .locator("button.account")
      .first()
      .evaluate((element) => element.click());
    await dialog.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.equal(await button(page, /^Continue as/).count(), 0, "nobody is known now");
    await nothingWrong(page);
  });
}

test("a header that the client itself sends identifies nobody", async () => {
  proxy.authenticate(null);
  const eve = await browser.person({ extraHTTPHeaders: { "x-forwarded-user": "ann@example.org" } });
  await eve.goto(proxy.url);
  await eve.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.equal(await button(eve, /^Continue as/).count(), 0);
  await eve.goto(`${proxy.url}/api/v1/sign-in/proxy`);
  await eve.getByText("proxy did not say who you are").waitFor();
  const me = await eve.request.get(`${proxy.url}/api/v1/me`);
  assert.equal(me.status(), 401);
});

test("an administrator sees how each person signed in", async () => {
  proxy.authenticate("cleo@example.org");
  const cleo = await browser.person({ locale: "zh-CN" });
  await cleo.goto(`${proxy.url}/api/v1/sign-in/proxy`);
  await connected(cleo);
  const root = await signedIn();
  await root.goto(`${proxy.url}/admin`);
  await button(root, "Participants").click();
  const row = root.locator('[data-participant="cleo"]');
  await row.getByText("through the organization's proxy").waitFor();
  await root.locator('[data-participant="operator"]').getByText("with a one-time link").waitFor();
  await row.getByRole("button", { name: /^Devices and tokens/ }).click();
  await root.getByRole("dialog").getByTestId("last-sign-in").getByText("proxy").waitFor();
  assert.deepEqual(await faults(root), []);
  await nothingWrong(root, cleo);
});
