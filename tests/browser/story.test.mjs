// One night shared by three people and a bot, from the plan to the removal of a member.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { inviteBot } from "./support/bot.mjs";
import { nightCrew, restart } from "./support/night.mjs";
import { CALLS } from "./support/shop.mjs";
import { browser, server, setStage, test } from "./support/stage.mjs";
import { accept, button, connected, member, nothingWrong, post, say, settings } from "./support/steps.mjs";
import { PHONE } from "./support/viewports.mjs";

setStage({ each: true, demo: { config: nightCrew } });

/** Two people must confirm a plan. A call of high risk needs everyone and, after a second, any two, including bots. */
const RULES = [
  { gate: "plan", quorum: { kind: "at_least", n: 2 } },
  { gate: "budget", quorum: { kind: "role", role: "owner" } },
  {
    gate: "tool",
    min_risk: "high",
    quorum: { kind: "all" },
    bots: true,
    escalation: [{ after_seconds: 1, quorum: { kind: "at_least", n: 2 } }],
  },
];

const gate = (page, kind) => page.locator(`[data-testid="gate"][data-kind="${kind}"]:visible`);
const batch = (page) => page.getByTestId("batch");
const note = (page, text) => page.locator(".note", { hasText: text }).first();
const made = (page, node) => page.locator('.tool[data-state="completed"]', { hasText: node });
const decided = (page, text) => page.locator(".gate-decided", { hasText: text }).first();
const finished = (page, times) => page.locator(".note", { hasText: "The run is finished" }).nth(times - 1);
const sent = async () =>
  (await readFile(join(server.folder, CALLS), "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).params.arguments.node);

/** Calls that change something outside are held for some seconds. */
async function allow(page, name = "Allow this call") {
  await button(gate(page, "tool"), name).click();
  await button(gate(page, "tool"), "Approve now").click();
}

/** Shows the people of the session: on a phone, they fill the screen. */
async function people(page, touch) {
  if (touch) await button(page.locator(".regions"), "People").tap();
  await page.getByRole("tab", { name: "People" }).click();
  await page.locator("[data-person]").first().waitFor();
}

/** Ann, who owns the session; Bob, a reviewer; Cleo, a member; and Otto, a bot. */
async function everybody(options) {
  const ann = await member("Ann", options);
  const create = async (path, data) =>
    (await ann.request.post(`${server.url}/api/v1/sessions${path}`, { data })).json();
  const { session } = await create("", { team: "crew" });
  await ann.goto(`${server.url}/s/${session}`);
  await connected(ann);
  const guest = async (name, role) => {
    const page = await browser.person(options);
    page.received = [];
    page.on("websocket", (socket) =>
      socket.on("framereceived", ({ payload }) => page.received.push(JSON.parse(payload))),
    );
    await accept(page, (await create(`/${session}/invites`, { role })).link, name);
    return page;
  };
  const [bob, cleo] = await Promise.all([guest("Bob", "reviewer"), guest("Cleo", "member")]);
  const otto = await inviteBot(ann, "Otto");
  await settings(ann, { approval_rules: RULES });
  return { ann, bob, cleo, otto };
}

for (const [viewport, options] of [
  ["on a desktop", {}],
  ["on phones", PHONE],
]) {
  test(`three people and a bot decide throughout a night, ${viewport}`, async () => {
    const { ann, bob, cleo, otto } = await everybody(options);
    const touch = options.hasTouch === true;
    const fits = async (page) =>
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));

    // A plan needs two of the three. An edit voids earlier approvals of the previous revision.
    await say(ann, restart("night1", "night2", "night3", "b1"));
    for (const page of [ann, bob])
      await gate(page, "plan").getByTestId("rewrite-cost").getByText("Another version uses about").waitFor();
    await button(gate(ann, "plan"), "Confirm plan").click();
    await gate(bob, "plan").getByText("1 of 2 approved").waitFor();
    await button(gate(bob, "plan"), /^Edit plan/).click();
    await gate(bob, "plan").locator(".plan-editor textarea").first().fill("Restart the shop, gently");
    await gate(bob, "plan").locator(".editor [type=submit]").click();
    await gate(ann, "plan").getByText("Bob (guest, reviewer) changed this").waitFor();
    await gate(ann, "plan").getByText("1 of 2 approved").waitFor();
    await gate(ann, "plan").getByText("you have not voted").waitFor();
    await fits(ann);
    await button(gate(cleo, "plan"), "Confirm plan").click();
    for (const page of [ann, bob]) await decided(page, "Plan confirmed").waitFor();

    // Two of the three low-risk calls are approved, and one is rejected. Each vote decides immediately.
    const tick = (node) => batch(bob).locator("li", { hasText: node }).getByRole("checkbox");
    await batch(bob).getByText("Decide on 4 calls at once").waitFor();
    await tick("night2").uncheck();
    await fits(bob);
    await button(batch(bob), "Approve 2 of 4").click();
    await batch(bob).getByText("Decide on 2 calls at once").waitFor();
    await tick("night2").check();
    await batch(bob).getByRole("button", { name: "Reject 1", exact: true }).click();
    await batch(bob).waitFor({ state: "detached" });
    await made(cleo, "night3").first().waitFor();

    // Nobody decides on the fourth call in time, so two approvals are enough. Bob proposes not to ask again, and the
    // bot agrees.
    await note(cleo, "Nobody decided in time. Now: 2 approvals needed").waitFor();
    assert.deepEqual((await sent()).sort(), ["night1", "night3"]);
    const agreed = otto.approveChanged("tool");
    await button(gate(bob, "tool"), "Allow and don't ask again…").click();
    for (const choice of ["any arguments", "a number of calls"])
      await gate(bob, "tool").locator(".segment", { hasText: choice }).click();
    await fits(bob);
    await allow(bob, "Allow and don't ask again");
    await agreed;
    await decided(ann, "Otto").waitFor();
    await finished(ann, 1).waitFor();

    // The next similar call is made without asking.
    await say(cleo, restart("b2"));
    for (const page of [cleo, bob]) await button(gate(page, "plan"), "Confirm plan").click();
    await made(ann, "b2").first().waitFor();
    await finished(ann, 2).waitFor();
    assert.deepEqual((await sent()).slice(2), ["b1", "b2"]);

    // Anybody who can decide can revoke it.
    await button(cleo, "1 standing permission").click();
    await button(cleo.getByRole("dialog"), "Revoke: mcp_shop_restart for Keeper").click();
    await note(ann, /^Cleo \([^)]+\) revoked the permission for Keeper/).waitFor();
    await cleo.keyboard.press("Escape");

    // The budget is spent before the next run begins, and only the owner raises it.
    await settings(ann, { budget: { max_tokens: 1 } });
    await say(bob, restart("c3"));
    await gate(bob, "budget").getByText("The budget of the session is spent").waitFor();
    assert.ok(await button(gate(bob, "budget"), "Raise the budget").isHidden());
    await button(gate(ann, "budget"), "Set another limit").click();
    await gate(ann, "budget").getByLabel("New limit in tokens").fill("1000000");
    await fits(ann);
    await button(gate(ann, "budget"), "Approve with these changes").click();
    await decided(bob, "Budget raised").waitFor();
    for (const page of [ann, bob]) await button(gate(page, "plan"), "Confirm plan").click();

    // People are asked again. Cleo and the bot are removed, and learn nothing about what the others then decide.
    await gate(cleo, "tool").waitFor();
    await people(ann, touch);
    for (const name of ["Cleo", "Otto"]) {
      await button(ann, `Remove ${name}`).click();
      await ann.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
      await ann.locator(`[data-person="${name}"]`).waitFor({ state: "detached" });
    }
    await cleo.getByText("You were removed from this session").waitFor();
    const last = await otto.ended;
    assert.deepEqual([last.type, last.code], ["closing", "removed"], JSON.stringify(last));
    assert.equal((await otto.command({ do: "say", data: { text: "Still here" } })).code, "unknown_session");
    assert.equal(await post(cleo, { do: "say", data: { text: "Still here" } }), false);
    await fits(ann);
    const frames = () => cleo.received.filter((frame) => frame.session);
    const { length } = frames();
    assert.deepEqual([frames().at(-1).type, frames().at(-1).code], ["closing", "removed"]);
    // Silence proves something only while others receive frames.
    await allow(bob);
    await gate(bob, "tool").getByText("1 of 2 approved").waitFor();
    assert.equal(frames().length, length, "nothing of the session reaches Cleo any more");
    await nothingWrong(ann, bob, cleo);
  });
}
