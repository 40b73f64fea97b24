import assert from "node:assert/strict";
import { faults } from "./support/axe.mjs";
import { browser, model, server, setStage, test } from "./support/stage.mjs";
import {
  accept,
  alone,
  anotherOf,
  begin,
  button,
  connected,
  invite,
  member,
  message,
  nothingWrong,
  post,
  reads,
  say,
  settings,
  toGate,
} from "./support/steps.mjs";

let ann, address;
setStage({
  async prepare() {
    [ann, address] = await alone("", { title: "Who may what" });
  },
});

/** Another window of Ann, with a new session. */
async function ownerOf(title) {
  const owner = await anotherOf(ann);
  await owner.goto(server.url);
  await connected(owner);
  await begin(owner, "", { team: "Test case", title });
  return owner;
}

test("an empty session explains itself, and a viewer can only watch until somebody lets them speak", async () => {
  await ann.getByRole("heading", { name: "Say what you need" }).waitFor();
  const eve = await browser.person();
  await accept(eve, await invite(ann, "viewer"), "Eve");
  await eve.getByText("You can watch this session, but not write in it.").waitFor();
  assert.equal(await eve.locator("#composer-text").count(), 0);
  assert.equal(await eve.getByRole("button", { name: "New session" }).count(), 0, "guests begin no sessions");

  await ann.locator('[data-person="Eve"] select').selectOption("member");
  await eve.locator("#composer-text").waitFor();
  await say(eve, "@people now I may");
  await reads(ann, "now I may");

  await ann.getByRole("button", { name: "Remove Eve" }).click();
  await ann.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await eve.getByText("You were removed from this session").waitFor();
  await ann.locator('[data-person="Eve"]').waitFor({ state: "detached" });
  // Nothing on the page suggests that she can still see the session.
  await eve.locator('[data-connection="out"]').getByText("You were removed").waitFor();
  assert.equal(await eve.locator('[data-connection="live"]').count(), 0);
  assert.equal(await eve.locator(".here-now").count(), 0);
  assert.equal(await eve.locator('[data-here="true"]').count(), 0);
  await eve.locator(".sidebar .session").waitFor({ state: "detached" });
  assert.equal(await eve.locator("#composer-text").count(), 0);
  await nothingWrong(ann, eve);
});

test("leaving with the keyboard is confirmed after an explanation, and the page says nothing else", async () => {
  await ann.goto(address);
  await connected(ann);
  await button(ann.locator(".panel"), "Leave session").click();
  await ann.getByRole("dialog").getByText("You are the only person who owns it").waitFor();
  await ann.keyboard.press("Escape");

  const cleo = await browser.person();
  await accept(cleo, await invite(ann, "member"), "Cleo");
  await say(ann, "Write cases for leaving");
  await toGate(ann);
  await cleo.getByTestId("gate").waitFor();
  const command = async (page, letters) => {
    await page.locator(".timeline").focus();
    await page.keyboard.press("Control+k");
    await page.keyboard.type(letters);
    await page.keyboard.press("Enter");
  };
  await command(cleo, "leave");
  const dialog = cleo.getByRole("dialog");
  await dialog.getByText("you need a new invite link").waitFor();
  assert.deepEqual(await faults(cleo), []);
  await button(dialog, "Leave the session").press("Enter");
  await cleo.getByText("You left this session. You see its content up to that point").waitFor();
  await ann.locator('[data-person="Cleo"]').waitFor({ state: "detached" });
  await cleo.locator('[data-connection="out"]').getByText("You left").waitFor();
  await cleo.locator(".sidebar .session").waitFor({ state: "detached" });
  for (const selector of [".control", ".dock", "#composer-text", ".leave", ".here-now", ".writing-state"])
    assert.equal(await cleo.locator(selector).count(), 0, selector);
  assert.equal(await cleo.getByText(/Waiting for|below|You can watch|^Live$/).count(), 0);
  await cleo.getByText("Was waiting for a decision").waitFor();

  await command(ann, "cancel run");
  await button(ann.getByRole("dialog"), "End the run").press("Enter");
  await ann.locator(".note", { hasText: "cancelled the run" }).waitFor();
  await nothingWrong(ann, cleo);
});

test("a refused message stays on screen with the server's reason, and can be corrected", async () => {
  await say(ann, `too long ${"x".repeat(70_000)}`);
  const refused = ann.locator("article.pending.refused");
  await refused.getByText("Not sent:").waitFor();
  await refused.getByText("at most 65536 are accepted").waitFor();
  await refused.getByRole("button", { name: "Edit and send again" }).click();
  await refused.waitFor({ state: "detached" });
  assert.match(await ann.locator("#composer-text").inputValue(), /^too long x/);
  await say(ann, "@people short enough");
  await reads(ann, "short enough");
  assert.equal(await message(ann, "too long").count(), 0);
  await nothingWrong(ann);
});

test("a missing session, a used link and an unknown browser each say what to do", async () => {
  for (const id of [`s_${"0".repeat(32)}`, "s_12", "what"]) {
    await ann.goto(`${server.url}/s/${id}`);
    await ann
      .getByRole("alert")
      .filter({ hasText: "The session does not exist, or you are not in it." })
      .waitFor();
    await connected(ann);
    await ann.getByRole("button", { name: "Back to your sessions" }).click();
    await ann.getByRole("heading", { name: "Open a session or start a new one" }).waitFor();
  }

  const stranger = await browser.person();
  await stranger.goto(server.link);
  await stranger.getByText("This link did not work.").waitFor();
  await stranger.goto(`${server.url}/invite#nonsense`);
  await stranger.getByRole("heading", { name: "This invitation cannot be used" }).waitFor();
  await stranger.goto(address);
  await stranger.getByRole("heading", { name: "Sign in" }).waitFor();
  await nothingWrong(ann, stranger);
});

test("an invitation asks a stranger for their name, without a request for their identity", async () => {
  await ann.goto(address);
  await connected(ann);
  const link = await invite(ann, "viewer");
  const zoe = await browser.person();
  const failed = [];
  zoe.on("response", (answer) => answer.status() >= 400 && failed.push(`${answer.status()} ${answer.url()}`));
  await accept(zoe, link, "Zoë 🚀");
  assert.deepEqual(failed, []);
  await zoe.goto(link);
  await zoe.getByText("You will join as Zoë 🚀.").waitFor();
  await nothingWrong(zoe);
});

/** The horizontal positions of the run's buttons. */
const places = (page, ...names) =>
  Promise.all(names.map(async (name) => (await button(page.locator(".control"), name).boundingBox()).x));

test("pausing and ending a run", async () => {
  await ann.goto(address);
  await connected(ann);
  await say(ann, "Write cases");
  const draft = await model.turn();
  draft.write("Working");
  await reads(ann, "Working");
  const control = ann.locator(".control");
  const before = await places(ann, "Interrupt", "Cancel run");
  await control.getByRole("button", { name: "Pause" }).click();
  await control.getByText("TestCase_Generator finishes first").waitFor();
  const resume = control.getByRole("button", { name: "Resume" });
  const pause = control.getByRole("button", { name: "Pause" });
  // A pending pause can be cancelled, and requested again.
  await resume.click();
  await pause.click();
  await resume.and(ann.locator(":enabled")).waitFor();
  await ann.locator(".control-acts button:enabled", { hasText: "Interrupt" }).waitFor();
  draft.end(" on it.");
  await ann
    .locator(".note", { hasText: "asked for a pause" })
    .getByText(/^paused .* after (your|the server received the) request$/)
    .waitFor();
  await ann.locator(".group.paused .session", { hasText: "Who may what" }).waitFor();
  // Buttons without an effect are disabled, and the bar says why; nothing moves into their place.
  await control.getByText("nothing is running to interrupt").waitFor();
  assert.ok(await button(control, "Interrupt").isDisabled());
  assert.deepEqual(await places(ann, "Interrupt", "Cancel run"), before);
  await control.getByRole("button", { name: "Resume" }).click();
  const review = await model.turn();
  review.write("Reviewing");
  await reads(ann, "Reviewing");
  await control.getByRole("button", { name: "Cancel run" }).click();
  const dialog = ann.getByRole("dialog");
  await dialog.getByRole("textbox").fill("wrong question");
  await dialog.getByRole("button", { name: "End the run" }).click();
  assert.equal(await review.dropped, true);
  await ann.locator(".note", { hasText: "cancelled the run" }).getByText("Reason: wrong question").waitFor();
  await control.waitFor({ state: "detached" });
  const told = await ann.locator(".note", { hasText: "wrong question" }).allTextContents();
  assert.equal(told.length, 1, "it is told once");
  assert.match(told[0], /^operator \(owner\) cancelled the run/);

  // The pause is a separate period, drawn, labelled, and in the table.
  await ann.getByRole("tab", { name: "Timeline" }).click();
  await ann.getByRole("toolbar", { name: /^Pauses: 1 period/ }).waitFor();
  await ann.getByRole("list", { name: "What the bars mean" }).getByText("paused").waitFor();
  await ann.getByText("As a table").press("Enter");
  await ann.getByRole("rowheader", { name: /Pauses nobody works, resumed/ }).waitFor();
  assert.deepEqual(await faults(ann), []);
  await ann.getByRole("tab", { name: "People" }).click();
  await nothingWrong(ann);
});

test("text in progress can be stopped while a pause waits for it", async () => {
  await ann.goto(address);
  await connected(ann);
  await say(ann, "Write more cases");
  const draft = await model.turn();
  draft.write("A long text");
  await reads(ann, "A long text");
  const before = await places(ann, "Pause", "Cancel run");
  await ann.locator(".control").getByRole("button", { name: "Pause" }).click();
  await ann.getByText("finishes first").waitFor();
  await ann.locator(".timeline").focus();
  await ann.keyboard.press("Escape");
  await ann.keyboard.press("Escape");
  assert.equal(await draft.dropped, true);
  await message(ann, "A long text").getByText("interrupted here").waitFor();
  await ann.locator(".control.paused").getByText("Paused", { exact: true }).waitFor();

  // While the run is paused, nothing refers to a running step.
  await ann.getByPlaceholder("Paused. Add something").waitFor();
  assert.equal(await ann.locator(".segment").count(), 0);
  await say(ann, "Mind the refunds");
  await ann.locator(".inbox li[data-waiting]").getByText("when the run continues").waitFor();

  // After resuming, the run waits for people immediately: the bar says so, and not that it is running.
  await ann.locator(".control").getByRole("button", { name: "Resume" }).click();
  await ann.locator(".control.waiting").getByText("Your turn").waitFor();
  await ann.locator(".control.waiting").getByText("say how to continue").waitFor();
  assert.equal(await ann.locator(".control .phases").count(), 0);
  assert.deepEqual(
    await places(ann, "Pause", "Cancel run"),
    before,
    "nothing came into the place of another",
  );
  await nothingWrong(ann);
});

test("an owner changes what a role may do in the settings, and the controls of others follow", async () => {
  const owner = await ownerOf("Other rights");
  const fay = await browser.person();
  await accept(fay, await invite(owner, "reviewer"), "Fay");
  await say(owner, "Write cases for rights");
  await toGate(owner);
  await fay.getByTestId("gate").waitFor();
  const pause = fay.getByRole("button", { name: "Cancel run" });
  assert.equal(await pause.count(), 0, "a reviewer does not control the run");

  await button(owner.locator(".rules"), "Settings").click();
  const dialog = owner.getByRole("dialog");
  await dialog.getByText("Rights of each role").click();
  await dialog.getByLabel("reviewer: control the run").selectOption("allow");
  await dialog.getByLabel("reviewer: answer").press("Space");
  await dialog.locator("td[data-changed]").nth(1).waitFor();
  assert.equal(await dialog.getByLabel("member: manage").isDisabled(), true);
  assert.deepEqual(await faults(owner), []);
  await button(dialog, "Save").click();
  await dialog.waitFor({ state: "detached" });
  await pause.waitFor();

  await button(owner.locator(".rules"), "Settings").click();
  await dialog.getByText("Rights of each role").click();
  await button(dialog, "Reset to defaults").click();
  assert.equal(await dialog.locator("td[data-changed]").count(), 0);
  await button(dialog, "Save").click();
  await pause.waitFor({ state: "detached" });
  await nothingWrong(owner, fay);
});

test("if a role must ask, an owner sees the message and lets it through or refuses it", async () => {
  const owner = await ownerOf("Asking first");
  const gil = await browser.person();
  await accept(gil, await invite(owner, "reviewer"), "Gil");
  await button(owner.locator(".rules"), "Settings").click();
  const dialog = owner.getByRole("dialog");
  await dialog.getByText("Rights of each role").click();
  await dialog.getByLabel("reviewer: write to agents").selectOption("ask");
  await button(dialog, "Save").click();
  await dialog.waitFor({ state: "detached" });

  await gil.getByText("An owner decides whether the agents get this.").waitFor();
  await say(gil, "Write cases for asking");
  const card = (page) => page.getByTestId("gate");
  await card(gil).getByText("You asked the owners for:").waitFor();
  await card(owner).getByText("Gil").first().waitFor();
  await card(owner).locator(".command-text", { hasText: "Write cases for asking" }).waitFor();
  assert.equal(await message(owner, "Write cases for asking").count(), 0, "nobody has said it yet");
  assert.deepEqual(await faults(owner), []);
  assert.deepEqual(await faults(gil), []);
  // Withdrawn, requested again, refused, requested again, approved.
  await button(card(gil), "Take it back").click();
  await owner.locator(".gate-decided", { hasText: "Taken back" }).waitFor();
  await say(gil, "Write cases for asking");
  await button(card(owner), "Refuse").click();
  await button(card(owner), "Refuse").click();
  await gil.locator(".gate-decided", { hasText: "Command refused" }).waitFor();
  await say(gil, "Write cases for asking");
  await button(card(owner), "Approve").click();
  const draft = await model.turn();
  draft.write("Working");
  await reads(gil, "Write cases for asking");
  await gil.locator(".gate-decided", { hasText: "Command approved" }).waitFor();
  draft.end(".");
  await button(owner.locator(".control"), "Cancel run").click();
  await button(owner.getByRole("dialog"), "End the run").click();
  await owner.locator(".control").waitFor({ state: "detached" });

  // A person who may not write to agents is told so, and can still write to people.
  await button(owner.locator(".rules"), "Settings").click();
  await dialog.getByText("Rights of each role").click();
  await dialog.getByLabel("reviewer: write to agents").selectOption("deny");
  await button(dialog, "Save").click();
  await gil.getByText("You may not write to agents here.").waitFor();
  await gil.locator("#composer-text").fill("and now?");
  assert.ok(await gil.locator(".composer button[type=submit]").isDisabled());
  await say(gil, "@people and now?");
  await reads(owner, "and now?");
  await nothingWrong(owner, gil);
});

test("a role that must ask before it invites gets links with which an owner admits people, and asks for a person by name", async () => {
  const owner = await ownerOf("Guest list");
  const hal = await browser.person();
  await accept(hal, await invite(owner, "member"), "Hal");
  await settings(owner, { rights: [{ role: "member", right: "invite", access: "ask" }] });

  await hal.getByRole("button", { name: "Invite" }).click();
  const dialog = hal.getByRole("dialog");
  await dialog.getByText("Your role must ask the owners").waitFor();
  const knock = dialog.locator('[name="knock"]');
  assert.deepEqual([await knock.isChecked(), await knock.isDisabled()], [true, true]);
  await dialog.locator('button[type="submit"]').click();
  assert.match(await dialog.locator('input[name="link"]').inputValue(), /#rt_invite_/);
  assert.deepEqual(await faults(hal), []);
  await hal.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });

  const jan = await member("Jan");
  const { you } = await (await jan.request.get(`${server.url}/api/v1/me`)).json();
  assert.ok(await post(hal, { do: "invite", data: { participant: you.id, role: "viewer" } }));
  const card = owner.getByTestId("gate");
  await card.getByText("Add this participant").waitFor();
  await card.getByText("as viewer").waitFor();
  await card.locator(".command-text", { hasText: "Jan" }).waitFor();
  assert.equal(await owner.locator('[data-person="Jan"]').count(), 0);
  assert.deepEqual(await faults(owner), []);
  await button(card, "Approve").click();
  await owner.locator('[data-person="Jan"]').waitFor();
  await nothingWrong(owner, hal);
});
