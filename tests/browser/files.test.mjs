import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { faults } from "./support/axe.mjs";
import { setStage, test } from "./support/stage.mjs";
import { button, message, nothingWrong, pair, reads, say, until } from "./support/steps.mjs";

setStage({ each: true, demo: { settings: { "files.max_file_bytes": "4096" } } });

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const files = (page) => page.getByRole("tab", { name: "Files" }).click();
const item = (page, name) => page.locator(`.file-item[data-file="${name}"]`);
const chosen = (page, name) => page.locator(`.enclosed [data-chosen="${name}"]`);
const preview = (page) => page.getByTestId("preview");
const text = (name, content) => ({ name, mimeType: "text/plain", buffer: Buffer.from(content) });

/** Chooses files with the button next to the composer. */
const choose = (page, ...chosen) => page.locator(".composer input[type=file]").setInputFiles(chosen);

/** Drops a file on the conversation. */
async function drop(page, name, content) {
  const data = await page.evaluateHandle(
    ([name, content]) => {
      const data = new DataTransfer();
      data.items.add(new File([content], name));
      return data;
    },
    [name, content],
  );
  const target = page.locator(".drop");
  await target.dispatchEvent("dragenter", { dataTransfer: data });
  await page.getByText("Drop files to attach them").waitFor();
  await target.dispatchEvent("drop", { dataTransfer: data });
}

test("files of one person are shown to the other: with messages, in versions, and when restored", async () => {
  const [ann, bob] = await pair({ role: "member" });
  await choose(ann, text("notes.md", "# Rules\n\nPay **twice** <img src=x onerror=alert(1)>"));
  await chosen(ann, "notes.md").waitFor();
  await ann.getByText("Only you can see them until you send.").waitFor();
  await drop(ann, "other.md", "not meant for anybody");
  await button(ann.locator(".enclosed"), "Do not send other.md").click();
  await files(bob);
  await bob.getByText("Files from people and agents appear here.").waitFor();
  await ann.locator("#composer-text").fill("@Bob look at this");
  await ann.keyboard.press("Enter");
  await chosen(ann, "notes.md").waitFor({ state: "detached" });
  await reads(bob, "look at this");
  await item(bob, "notes.md").waitFor();
  assert.equal(await bob.locator(".file-item").count(), 1, "what was taken back never left her page");
  await message(bob, "look at this").locator(".addressees.mine", { hasText: "to you" }).waitFor();
  assert.equal(await message(ann, "look at this").locator(".addressees").textContent(), "to Bob");
  await message(bob, "look at this").locator('[data-file="notes.md"]').click();
  await preview(bob).getByRole("heading", { name: "Rules" }).waitFor();
  await preview(bob).getByText("<img src=x").waitFor();
  assert.deepEqual(await faults(bob), []);
  await bob.keyboard.press("Escape");

  // Dropping a file with an existing name adds a new version.
  await drop(bob, "notes.md", "# Other rules");
  await chosen(bob, "notes.md").waitFor();
  await say(bob, "@operator these hold now");
  await files(ann);
  await item(ann, "notes.md").getByText("version 2").waitFor();
  await item(ann, "notes.md").locator("button.file-name").click();
  await preview(ann).getByRole("heading", { name: "Other rules" }).waitFor();
  await preview(ann).getByLabel("Versions of notes.md").selectOption({ index: 1 });
  await preview(ann).getByRole("heading", { name: "Rules", exact: true }).waitFor();
  await button(preview(ann), "Make this the newest").click();
  await ann.keyboard.press("Escape");
  await item(ann, "notes.md").getByText("version 3").waitFor();
  const told = (page, words) => page.locator(".timeline .note", { hasText: words }).first().waitFor();
  await told(bob, "operator (owner) restored version 1 of");
  assert.deepEqual(await faults(ann), []);

  // Anybody can restore a removed file, whoever removed it.
  await files(bob);
  await button(item(ann, "notes.md"), "Remove notes.md").click();
  await bob.getByText("Removed (1)").click();
  await ann.getByText("notes.md is removed.").waitFor();
  await button(ann, "Undo").click();
  await item(bob, "notes.md").getByText("version 4").waitFor();
  await told(bob, "operator (owner) removed notes.md");
  await bob.reload();
  await told(bob, "operator (owner) removed notes.md");
  await files(bob);
  await item(bob, "notes.md").getByText("version 4").waitFor();
  const [saved] = await Promise.all([
    bob.waitForEvent("download"),
    item(bob, "notes.md").getByRole("link", { name: "Download notes.md" }).click(),
  ]);
  assert.equal(saved.suggestedFilename(), "notes.md");
  assert.match(await readFile(await saved.path(), "utf8"), /^# Rules/);
  await nothingWrong(ann, bob);
});

test("a rejected file says why and what to do, and a pending upload delays the message", async () => {
  const [ann, bob] = await pair({ role: "viewer" });
  await choose(ann, text("large.txt", "x".repeat(5000)));
  await say(ann, "@Bob a long one");
  const large = ann.locator('[data-upload="large.txt"]');
  await large.getByText("The file is 5 kB; the limit is 4.1 kB.").waitFor();
  assert.equal(await button(large, "Try again").count(), 0);
  await button(large, "Dismiss").click();
  assert.equal(await ann.locator("#composer-text").inputValue(), "@Bob a long one", "nothing was said");

  // A failed upload is retried; the message waits until the file has been uploaded.
  let held;
  const holding = new Promise((done) => (held = done));
  await ann.route("**/files/shot.png*", (route) =>
    route.request().method() === "PUT" ? held(route) : route.continue(),
  );
  await choose(ann, { name: "shot.png", mimeType: "image/png", buffer: PIXEL });
  await say(ann, "@all look at the picture");
  const shot = ann.locator('[data-upload="shot.png"]');
  await shot.locator("progress").waitFor();
  assert.ok(!(await ann.locator("#composer-text").isEditable()), "it is as good as sent");
  assert.ok(await ann.locator(".composer [type=submit]").isDisabled());
  await (await holding).abort();
  await shot.getByText("The server cannot be reached").waitFor();
  await ann.unroute("**/files/shot.png*");
  await button(shot, "Try again").click();
  await reads(ann, "look at the picture");

  // A viewer sees the picture immediately as a thumbnail, and cannot add files.
  const small = message(bob, "look at the picture").getByRole("button", { name: "shot.png" });
  await until(bob, () => document.querySelector(".thumbnail img")?.naturalWidth === 1);
  assert.equal(await small.getByRole("img").getAttribute("loading"), "lazy");
  assert.deepEqual(await faults(bob), []);
  await small.click();
  await until(bob, () => document.querySelector(".preview-picture")?.naturalWidth === 1);
  await bob.keyboard.press("Escape");
  await files(bob);
  await item(bob, "shot.png").waitFor();
  assert.equal(await button(bob, "Add files").count(), 0);
  assert.equal(await button(bob, "Remove shot.png").count(), 0);
  await nothingWrong(ann, bob);
});

test("a file made by an agent is shown where it was made, and among the files of the session", async () => {
  const [ann, bob] = await pair({ role: "viewer", team: "(ReAct)" });
  const file = { name: "result.md", content: "# Result\n\nAll is well" };
  await say(ann, `Write it down\n/tool file_write ${JSON.stringify(file)}`);
  for (const page of [ann, bob]) {
    await page.locator(".note", { hasText: "The run is finished" }).waitFor();
    await page.locator('.tool [data-file="result.md"]').click();
    await preview(page).getByRole("heading", { name: "Result" }).waitFor();
    await page.keyboard.press("Escape");
  }
  // A person who joins later finds it in the same place.
  await bob.reload();
  await bob.locator('.timeline [data-file="result.md"]').waitFor();
  await files(bob);
  await item(bob, "result.md").getByText("Assistant").waitFor();
  assert.deepEqual(await faults(bob), []);
  await nothingWrong(ann, bob);
});

test("a report is shown as a page, and as its source", async () => {
  const [ann] = await pair({ role: "viewer", team: "(ReAct)" });
  await say(ann, `Report\n/tool report ${JSON.stringify({ title: "Week 47", markdown: "All **is** well" })}`);
  await ann.locator('.tool [data-file="Week 47.html"]').click();
  const page = preview(ann).frameLocator("iframe");
  await page.getByRole("heading", { name: "Week 47" }).waitFor();
  await page.locator("strong", { hasText: "is" }).waitFor();
  assert.equal(await preview(ann).locator("iframe").getAttribute("sandbox"), "");
  assert.deepEqual(await faults(ann), []);
  await button(preview(ann), "Source").click();
  await preview(ann).getByText("<strong>is</strong>").waitFor();
  await nothingWrong(ann);
});
