import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { faults } from "./support/axe.mjs";
import { CALLS, shop } from "./support/shop.mjs";
import { server, setStage, test } from "./support/stage.mjs";
import { anotherOf, button, nothingWrong, pair, post, say, settings, until } from "./support/steps.mjs";
import { inViewport, PHONE, readable } from "./support/viewports.mjs";

// People who allow a call can also allow similar calls in the future, so that they are not asked again.
const sent = async () => (await readFile(join(server.folder, CALLS), "utf8")).trim().split("\n").length;

setStage({ each: true, demo: { config: shop } });

const gate = (page) => page.locator('[data-testid="gate"][data-kind="tool"]:visible');
const finished = (page) => page.locator(".note", { hasText: "The run is finished" }).first().waitFor();
const made = (page, node) => page.locator('.tool[data-state="completed"]', { hasText: node });
const told = (node) => `Do it\n/tool mcp_shop_restart {"node":"${node}"}`;
const choose = (page, name) => gate(page).locator(".segment", { hasText: name }).click();
const permissions = (page) => page.getByTestId("permissions");
const isVote = (frame) => frame.type === "command" && frame.do === "vote";
const people = () => pair({ role: "reviewer", team: "(ReAct)" });

test("a call is allowed together with later ones, until the permission is revoked", async () => {
  const [ann, bob, address] = await people();
  await say(ann, told("a1"));
  await gate(ann).getByTestId("risk").getByText("High risk").waitFor();

  // With the keyboard: into the form, out of it, and back.
  await button(gate(ann), "Allow and don't ask again…").focus();
  await ann.keyboard.press("Enter");
  await until(ann, () => document.activeElement.matches(".standing input:checked"));
  await ann.keyboard.press("Escape");
  await until(ann, () => document.activeElement.matches(".dock"));
  await button(gate(ann), "Allow and don't ask again…").click();
  await choose(ann, "any arguments");
  await choose(ann, "a number of calls");
  const number = gate(ann).getByRole("spinbutton", { name: "Number of calls" });
  await number.fill("1001");
  await gate(ann).getByText("from 1 to 1,000").waitFor();
  assert.equal(await button(gate(ann), "Allow and don't ask again").isDisabled(), true);
  assert.deepEqual(await faults(ann), []);
  await number.fill("3");
  await button(gate(ann), "Allow and don't ask again").click();
  // A call that cannot be undone is held for some seconds.
  await button(gate(ann), "Approve now").click();
  for (const page of [ann, bob]) {
    await page.locator(".note", { hasText: "with any arguments without asking, for 3 more calls" }).waitFor();
    await finished(page);
    await permissions(page).getByText("0 of 3 calls used").waitFor();
    await button(page, "1 standing permission").waitFor();
  }

  await say(bob, told("b2"));
  await made(ann, "b2").waitFor();
  assert.equal(await gate(ann).count(), 0, "nobody is asked");
  assert.equal(await sent(), 2);
  await permissions(ann).getByText("1 of 3 calls used").waitFor();
  const call = made(bob, "b2");
  await call.locator(".tool-line").click();
  await call.getByText("Made without asking: standing permission by operator (owner)").waitFor();

  // On a phone, the header leads to the list.
  const phone = await anotherOf(bob, {
    viewport: { width: 360, height: 640 },
    hasTouch: true,
    isMobile: true,
  });
  await phone.goto(address);
  await button(phone, "1 standing permission").click();
  const dialog = phone.getByRole("dialog", { name: "Standing permissions" });
  await dialog.getByText("granted by operator (owner)").waitFor();
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  assert.deepEqual(await faults(phone), []);
  await button(dialog, "Revoke: mcp_shop_restart for Assistant").click();
  await dialog.getByText("There are none now.").waitFor();
  await until(phone, () => document.activeElement.matches(".permissions"));
  for (const page of [ann, bob]) {
    await permissions(page).waitFor({ state: "detached" });
    await page.locator(".note", { hasText: /^Bob \([^)]+\) revoked the permission for Assistant/ }).waitFor();
  }

  await say(ann, told("c3"));
  await gate(bob).waitFor();
  await nothingWrong(ann, bob, phone);
});

test("a proposed permission is decided together with the call, and covers waiting calls", async () => {
  const [ann, bob] = await people();
  await settings(ann, { approval: { kind: "at_least", n: 2 } });
  await say(ann, `${told("a1")}\n/tool mcp_shop_restart {"node":"a2"}`);
  await gate(ann).waitFor();
  await button(gate(ann), "Allow this call").click();
  await button(gate(ann), "Approve now").click();
  await gate(bob).getByText("1 of 2 approved").waitFor();
  await button(gate(bob), "Allow and don't ask again…").click();
  await choose(bob, "any arguments");
  await button(gate(bob), "Allow and don't ask again").click();
  await button(gate(bob), "Approve now").click();

  const proposal = "Approving also allows mcp_shop_restart with any arguments for the rest of this run.";
  const first = ann.locator('[data-testid="gate"]', { hasText: proposal });
  await ann.locator(".gate-chip", { hasText: "a1" }).click();
  await first.getByText("proposed not to ask again; earlier votes no longer count").waitFor();
  assert.deepEqual(await faults(ann), []);
  await button(first, "Allow this call").click();
  await button(first, "Approve now").click();
  for (const page of [ann, bob]) {
    await page.locator(".note", { hasText: "a standing permission allows the call" }).waitFor();
    await finished(page);
    // It ended with the run.
    await permissions(page).waitFor({ state: "detached" });
  }
  assert.equal(await sent(), 2);
  await nothingWrong(ann, bob);
});

test("a permission with a duration outlives its run, until somebody revokes it", async () => {
  const [ann, bob] = await people();
  await say(ann, told("a1"));
  await button(gate(ann), "Allow and don't ask again…").click();
  await choose(ann, "8 hours");
  await button(gate(ann), "Allow and don't ask again").click();
  await button(gate(ann), "Approve now").click();
  await finished(ann);
  const item = permissions(ann).locator("li");
  await item.getByText("until").waitFor();
  const permission = await item.getAttribute("data-permission");
  assert.ok(await post(bob, { do: "revoke_permission", data: { permission } }));
  assert.equal(await post(bob, { do: "revoke_permission", data: { permission } }), false);
  await permissions(ann).waitFor({ state: "detached" });
  await nothingWrong(ann, bob);
});

for (const [viewport, options, less] of [
  ["on a desktop", {}, { width: 844, height: 390 }],
  ["on a phone", PHONE, { width: 320, height: 640 }],
]) {
  test(`a permission ends at a chosen time, which can be tomorrow, ${viewport}`, async () => {
    const [ann, bob, address] = await people();
    const page = await inViewport(ann, address, { options });
    const votes = [];
    // A page that has been loaded has its socket already.
    page.on("websocket", (socket) =>
      socket.on("framesent", ({ payload }) => votes.push(...[JSON.parse(payload)].filter(isVote))),
    );
    await page.reload();
    await say(bob, told("a1"));
    await button(gate(page), "Allow and don't ask again…").click();
    const form = gate(page).locator(".standing");
    const submit = button(form, "Allow and don't ask again");

    // With the keyboard: from the first limit to the time, and into its field.
    await form.getByRole("radio", { name: "this run" }).focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
    assert.ok(await form.getByRole("radio", { name: "until a time" }).isChecked());
    await page.keyboard.press("Tab");
    const field = form.getByLabel("Ends at", { exact: true });
    await until(page, () => document.activeElement.type === "time");
    await form.getByText("A time that has already passed today means tomorrow.").waitFor();
    assert.equal(await submit.isDisabled(), true, "no time is chosen");

    // A time that has passed means tomorrow, and one to come means today. Around midnight, they are the other way round.
    const choose = async (minutes) => {
      const at = new Date(Date.now() + minutes * 60_000);
      const isOtherDay = at.getDate() !== new Date().getDate();
      await field.fill(at.toTimeString().slice(0, 5));
      const day = minutes < 0 === isOtherDay ? "today" : "tomorrow";
      await form
        .getByRole("status")
        .getByText(`Ends ${day} at ${at.toTimeString().slice(0, 5)}.`)
        .waitFor();
    };
    await choose(5);
    await choose(-5);
    await readable(page, { less }, field, form.getByRole("status").first(), submit);
    await nothingWrong(page);
    await submit.click();
    await button(gate(page), "Approve now").click();
    await finished(bob);
    const [{ data }] = votes;
    assert.deepEqual([data.choice, data.standing.arguments], ["approve", "same"]);
    const inHours = (Date.parse(data.standing.until) - Date.now()) / 3_600_000;
    // Clocks may change by an hour until then.
    assert.ok(inHours > 22.5 && inHours < 25, data.standing.until);
    await bob
      .locator(".note", { hasText: /with the same arguments without asking, until .*\d\d:\d\d/ })
      .waitFor();
    await permissions(bob)
      .getByText(/until .*\d\d:\d\d · used 0 times/)
      .waitFor();

    // It allows the same call in the next run.
    await say(bob, told("a1"));
    await made(bob, "a1").nth(1).waitFor();
    assert.equal(await gate(bob).count(), 0);
    assert.equal(await sent(), 2);
    await nothingWrong(ann, bob, page);
  });
}
