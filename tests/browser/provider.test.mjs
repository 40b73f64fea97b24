import assert from "node:assert/strict";
import { after } from "node:test";
import { faults } from "./support/axe.mjs";
import { startProvider } from "./support/provider.mjs";
import { browser, server, setStage, test } from "./support/stage.mjs";
import { button, connected, member, nothingWrong } from "./support/steps.mjs";

const provider = await startProvider();
after(() => provider.stop());
setStage({
  demo: { config: () => provider.config("Example SSO") },
  prepare: () => provider.setOrigin(server.url),
});

test("a person signs in at the provider, returns to the requested page, and signs out of both", async () => {
  await provider.setAccount("u1", { name: "Ann Lee" });
  const ann = await browser.person();
  await ann.goto(`${server.url}/knowledge`);
  await ann.getByRole("heading", { name: "Sign in" }).waitFor();
  const withProvider = button(ann, "Sign in with Example SSO");
  await withProvider.waitFor();
  assert.deepEqual(await faults(ann), []);
  await withProvider.click();

  await ann.getByLabel("Account").fill("u1");
  await button(ann, "Continue").click();
  await ann.waitForURL(`${server.url}/knowledge`);
  await connected(ann);
  await nothingWrong(ann);

  await button(ann, "You are Ann Lee").click();
  await ann.getByRole("button", { name: "Sign out", exact: true }).click();
  await ann.waitForURL(/\/session\/end/);
  await ann.goto(`${server.url}/knowledge`);
  await ann.getByRole("heading", { name: "Sign in" }).waitFor();
});

test("a sign-in that fails says why, in both languages", async () => {
  const ann = await browser.person();
  await ann.goto(`${server.url}/api/v1/sign-in/oidc/callback?code=1&state=2`);
  await ann.getByText("The sign-in took too long, or began in another window.").waitFor();
  assert.deepEqual(await faults(ann), []);
  const wang = await browser.person({ locale: "zh-CN" });
  await wang.goto(`${server.url}/sign-in?error=disabled`);
  await wang.getByText("你在这个服务器上的账号已停用，请联系管理员。").waitFor();
  await button(wang, "使用 Example SSO 登录").waitFor();
});

test("an invited person signs in at the provider and joins under their own name", async () => {
  await provider.setAccount("u2", { name: "Bea Moss" });
  const ann = await member("Ann");
  const post = async (path, data) =>
    (await ann.request.post(`${server.url}/api/v1/${path}`, { data })).json();
  const { session } = await post("sessions", {});
  const { link } = await post(`sessions/${session}/invites`, { role: "member" });
  const bea = await browser.person();
  await bea.goto(link);
  const withProvider = button(bea, "Sign in with Example SSO");
  await withProvider.waitFor();
  assert.deepEqual(await faults(bea), []);
  await withProvider.click();
  assert.ok(!bea.url().includes("rt_invite"), "the provider does not learn the link");
  await bea.getByLabel("Account").fill("u2");
  await button(bea, "Continue").click();
  await bea.getByText("Bea Moss").first().waitFor();
  await button(bea, "Join").click();
  await connected(bea);
  await nothingWrong(bea);
});
