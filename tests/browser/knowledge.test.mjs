import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { faults } from "./support/axe.mjs";
import { browser, server, setStage, test } from "./support/stage.mjs";
import {
  accept,
  begin,
  button,
  connected,
  invite,
  member,
  nothingWrong,
  reads,
  say,
  signedIn,
  until,
  wheel,
} from "./support/steps.mjs";

let ann;
setStage({
  each: true,
  demo: { settings: { "knowledge.max_document_bytes": "4096" } },
  async prepare() {
    ann = await signedIn();
  },
});

const RULES = `# 登录规则

用户连续三次输入错误密码后，账户锁定 30 分钟。

## 解锁

锁定期间的请求返回 423。管理员可以手动解锁。
`;
const LIMITS = "# Limits\n\nA payment has at most 50,000.00.\n";
const text = (name, content) => ({
  name,
  mimeType: "text/plain",
  buffer: Buffer.from(content),
});
const document = (page, name) => page.locator(`[data-document="${name}"]`);
const hit = (page, name) => page.locator(`[data-hit="${name}"]`);
const opened = (page) => page.getByTestId("document");
const add = (page, ...given) => page.locator(".documents-head input[type=file]").setInputFiles(given);
const marked = (scope) => scope.locator("mark").allTextContents();

/** Holds requests to this address until the returned function is called. */
async function hold(page, address) {
  let go;
  const gone = new Promise((done) => (go = done));
  await page.route(address, (route) => gone.then(() => route.continue()));
  return go;
}

/** Creates a base and opens its page. */
async function make(page, name, documents = []) {
  await page.goto(`${server.url}/knowledge`);
  await button(page, "New knowledge base").click();
  const dialog = page.getByRole("dialog", { name: "New knowledge base" });
  await dialog.getByRole("textbox", { name: "Name" }).fill(name);
  await button(dialog, "Create").click();
  await page.getByRole("heading", { name }).waitFor();
  if (documents.length > 0) await add(page, ...documents);
  for (const one of documents) await document(page, one.name).waitFor();
  return page.url();
}

/** Searches the base that is open. */
async function find(page, query) {
  await page.getByRole("searchbox", { name: "Test what agents find" }).fill(query);
}

test("a base is created, filled, searched as agents would search it, and deleted", async () => {
  // Everything except choosing files works with the keyboard.
  await ann.keyboard.press("Alt+b");
  await ann.getByRole("heading", { name: "No knowledge bases yet" }).waitFor();
  assert.deepEqual(await faults(ann), []);
  await make(ann, "登录与账户");
  await ann.getByText("No documents yet.").waitFor();
  const scan = {
    name: "scan.pdf",
    mimeType: "application/pdf",
    buffer: Buffer.from([0x25, 0x50, 0xff, 0x00]),
  };
  await add(
    ann,
    text("登录规则.md", RULES),
    text("limits.md", LIMITS),
    scan,
    text("large.txt", "x".repeat(5000)),
  );
  await document(ann, "登录规则.md").waitFor();
  await document(ann, "limits.md").waitFor();
  await ann.locator('[data-upload="scan.pdf"]').getByText("the document is not UTF-8 text").waitFor();
  const large = ann.locator('[data-upload="large.txt"]');
  await large.getByText("The file is 5 kB; the limit is 4.1 kB.").waitFor();
  await button(large, "Dismiss").click();
  await ann.getByText("2 documents").waitFor();
  assert.deepEqual(await faults(ann), []);

  // Two characters in the middle of a sentence are found, marked, and shown in context.
  await ann.locator("#conversation").focus();
  await ann.keyboard.press("Alt+s");
  await ann.keyboard.type("账户怎么锁定");
  await hit(ann, "登录规则.md").first().waitFor();
  assert.deepEqual(await marked(hit(ann, "登录规则.md").first()), ["账户锁定"]);
  assert.equal(await hit(ann, "limits.md").count(), 0);
  assert.deepEqual(await faults(ann), []);
  await ann.keyboard.press("Escape");
  await hit(ann, "登录规则.md").first().waitFor({ state: "detached" });
  await find(ann, "解锁 payment");
  await hit(ann, "limits.md").waitFor();
  await hit(ann, "登录规则.md").filter({ hasText: "手动" }).locator("button").click();
  await opened(ann).locator(".passage", { hasText: "管理员可以手动解锁" }).waitFor();
  assert.deepEqual(await faults(ann), []);
  await ann.keyboard.press("Escape");
  await find(ann, "nothing of the sort");
  await ann.getByText("Agents find nothing for “nothing of the sort” here.").waitFor();

  // j and k move between the documents; Enter opens one.
  await ann.keyboard.press("Escape");
  await ann.keyboard.press("Alt+j");
  await ann.keyboard.press("Enter");
  await opened(ann).getByRole("heading", { name: "Limits" }).waitFor();
  await ann.keyboard.press("Escape");

  // Before deleting permanently, the dialog says what will be lost.
  await button(ann, "Delete 登录与账户").click();
  const dialog = ann.getByRole("dialog", { name: "Delete “登录与账户”?" });
  await dialog.getByText(/^2 documents with .* are deleted with it/).waitFor();
  await button(dialog, "Keep it").click();
  await button(ann, "Edit 登录与账户").click();
  await ann.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("Accounts");
  await ann.getByRole("dialog").getByRole("textbox", { name: "Description" }).fill("Locks and limits");
  await button(ann.getByRole("dialog"), "Save").click();
  await ann.getByRole("heading", { name: "Accounts" }).waitFor();
  await ann.getByText("Locks and limits").waitFor();
  await button(ann, "Delete Accounts").click();
  await button(ann.getByRole("dialog"), "Delete it").click();
  await ann.getByRole("heading", { name: "No knowledge bases yet" }).waitFor();
  await nothingWrong(ann);
});

test("a document is dropped, pasted, written, replaced and removed, and its earlier version can be restored", async () => {
  await make(ann, "Rules", [text("limits.md", LIMITS)]);
  const limits = document(ann, "limits.md");
  const says = async (words) => {
    await limits.getByRole("button", { name: "limits.md", exact: true }).click();
    await opened(ann).getByText(words).waitFor();
    await ann.keyboard.press("Escape");
  };

  const dropped = await ann.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(["# Limits\n\nA payment has at most ten."], "limits.md"));
    return data;
  });
  // Anywhere in the window, even outside the drop target.
  await ann.locator(".sidebar").dispatchEvent("dragenter", { dataTransfer: dropped });
  await ann.getByText("Drop text files to add them").waitFor();
  await ann.locator(".sidebar").dispatchEvent("drop", { dataTransfer: dropped });
  await ann.getByText("limits.md is replaced.").waitFor();
  await says("at most ten");
  await button(ann, "Undo: restore the earlier limits.md").click();
  await limits.getByText(`${LIMITS.length} B`).waitFor();
  await says("50,000.00");

  await button(ann, "Remove limits.md").click();
  await limits.waitFor({ state: "detached" });
  await button(ann, "Undo: restore limits.md").click();
  await limits.waitFor();
  await says("50,000.00");

  await limits.locator("input[type=file]").setInputFiles(text("other-name.txt", "A payment is free."));
  await limits.getByText("18 B").waitFor();
  await says("A payment is free.");

  // Pasted text becomes a document, named after its first words.
  await ann.locator("#conversation").focus();
  await ann.evaluate(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", "# 退款规则\n\n退款不超过付款。");
    document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
  });
  const writing = ann.getByRole("dialog", { name: "New document" });
  assert.equal(await writing.getByRole("textbox", { name: "Name" }).inputValue(), "退款规则.md");
  await writing.getByRole("textbox", { name: "Text" }).fill("x".repeat(5000));
  await button(writing, "Add").click();
  await writing.getByText("the limit is 4.1 kB").waitFor();
  assert.deepEqual(await faults(ann), []);
  await writing.getByRole("textbox", { name: "Text" }).fill("# 退款规则\n\n退款不超过付款。");
  await button(writing, "Add").click();
  await writing.waitFor({ state: "detached" });
  await document(ann, "退款规则.md").locator("button.file-name").click();
  await opened(ann).getByRole("heading", { name: "退款规则" }).waitFor();
  await button(opened(ann), "Edit").click();
  await ann.getByRole("dialog").getByRole("textbox", { name: "Text" }).fill("退款要在 180 天之内。");
  await button(ann.getByRole("dialog"), "Replace").click();
  await ann.getByText("退款规则.md is replaced.").waitFor();
  await ann.getByRole("dialog").waitFor({ state: "detached" });
  await find(ann, "天之内");
  await hit(ann, "退款规则.md").waitFor();
  const [saved] = await Promise.all([
    ann.waitForEvent("download"),
    ann.getByRole("link", { name: "Download 退款规则.md" }).click(),
  ]);
  assert.equal(await readFile(await saved.path(), "utf8"), "退款要在 180 天之内。");
  await nothingWrong(ann);
});

test("a private base is visible to its owner alone; a shared one can be searched by all and changed by its owner", async () => {
  const address = await make(ann, "Rules", [text("limits.md", LIMITS)]);
  await begin(ann, "", { team: "(ReAct)" });
  const guest = await browser.person();
  await accept(guest, await invite(ann, "viewer"), "Gus");
  await guest.keyboard.press("Alt+b");
  await guest.getByText("Nobody has shared a knowledge base yet.").waitFor();
  assert.equal(await button(guest, "New knowledge base").count(), 0, "guests make none");
  const bob = await member("Bob");
  await bob.goto(address);
  await bob.getByRole("heading", { name: "This knowledge base cannot be opened" }).waitFor();
  assert.deepEqual(await faults(bob), []);

  await ann.goto(address);
  await button(ann, "Share").click();
  await ann.getByText("shared", { exact: true }).waitFor();
  await guest.goto(address);
  await guest.getByRole("heading", { name: "This knowledge base cannot be opened" }).waitFor();
  await bob.getByRole("link", { name: "All knowledge bases" }).click();
  await bob.locator('[data-base="Rules"]').getByText("operator").waitFor();
  await bob.locator('[data-base="Rules"] a').click();
  await find(bob, "payment");
  await hit(bob, "limits.md").waitFor();
  // A query longer than the limit does not fit into the field, and earlier results do not stay below it.
  await find(bob, "x".repeat(600));
  await bob.getByText(/^Agents find nothing for “x{500}” here\.$/).waitFor();
  assert.equal(await hit(bob, "limits.md").count(), 0);
  const sideways = () =>
    document.querySelector(".find").scrollWidth > document.querySelector(".find").clientWidth;
  assert.equal(await bob.evaluate(sideways), false);
  // Dropping a file outside a drop target does not navigate away from the page.
  const kept = await bob.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["free"], "free.txt"));
    const drop = () => new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
    return ["body", ".sidebar", "h1"].every((at) => !document.querySelector(at).dispatchEvent(drop()));
  });
  assert.ok(kept);
  for (const name of [
    /^Remove/,
    /^Replace/,
    /^Delete/,
    "Share",
    "Stop sharing",
    "Add documents",
    "Write a document",
  ]) {
    assert.equal(await button(bob, name).count(), 0, String(name));
  }

  await button(ann, "Stop sharing").click();
  await ann.getByText("only you").waitFor();
  await bob.reload();
  await bob.getByRole("heading", { name: "This knowledge base cannot be opened" }).waitFor();

  // Bob finds his id under his own name, and Ann can name him as a reader by it.
  await bob.locator(".account").click();
  const id = await bob.locator(".own-id").innerText();
  await button(ann, "Edit Rules").click();
  await ann.locator('[name="participants"]').fill(id);
  await button(ann.getByRole("dialog"), "Save").click();
  await ann.getByText("1 reader").waitFor();

  // Teams are chosen from the server's list.
  await button(ann, "Edit Rules").click();
  const form = ann.getByRole("dialog");
  await form.getByText("every team").click();
  await form.getByRole("checkbox", { name: "assistant-en" }).check();
  await form.getByText("1 team", { exact: true }).waitFor();
  assert.deepEqual(await faults(ann), []);
  await button(form, "Save").click();
  await ann.locator(".tag", { hasText: "For sessions of 1 team" }).waitFor();
  await bob.reload();
  await find(bob, "payment");
  await hit(bob, "limits.md").waitFor();
  await nothingWrong(ann, bob);
});

test("a session gets a base, an agent finds what it needs there, and people see what it found", async () => {
  await make(ann, "登录与账户", [text("登录规则.md", RULES)]);
  const [id] = /\d+$/.exec(ann.url());
  await button(ann, "Start a session with it").click();
  const dialog = ann.getByRole("dialog", { name: "New session" });
  await dialog.locator(".base-chip.on", { hasText: "登录与账户" }).waitFor();
  await dialog.locator(".team", { hasText: "(ReAct)" }).click();
  assert.deepEqual(await faults(ann), []);
  await button(dialog, "Start").click();
  await ann.waitForURL(/\/s\/s_/);
  await connected(ann);
  const bob = await browser.person();
  await accept(bob, await invite(ann, "viewer"), "Bob");

  const search = { query: "账户锁定多久" };
  await say(ann, `Look it up\n/tool document_search ${JSON.stringify(search)}`);
  for (const page of [ann, bob]) {
    const call = page.locator(".tool", { hasText: "document_search" });
    await page.locator(".note", { hasText: "The run is finished" }).waitFor();
    await call.locator(".tool-line").click();
    await hit(call, "登录规则.md").first().getByText("登录与账户").waitFor();
    assert.deepEqual(await marked(hit(call, "登录规则.md").first()), ["账户锁定"]);
    assert.deepEqual(await faults(page), []);
    await hit(call, "登录规则.md").first().locator("button").click();
  }
  await opened(ann).locator(".passage", { hasText: "账户锁定 30 分钟" }).waitFor();
  // Everybody in the session sees what an agent found; the rest of a private base is visible only to its owner.
  await opened(bob).locator(".refusal").waitFor();
  for (const page of [ann, bob]) await page.keyboard.press("Escape");

  // Only people who manage the session choose bases; the others see the choice.
  for (const page of [ann, bob]) await page.getByRole("tab", { name: "Files" }).click();
  await ann.locator('[data-given="登录与账户"]').waitFor();
  await bob.locator(`[data-given="${id}"]`).getByText("not shared with you, or deleted").waitFor();
  assert.equal(await button(bob, "Choose").count(), 0);
  await button(ann, "Choose").click();
  const choice = ann.getByRole("dialog", {
    name: "What can the agents search?",
  });
  assert.deepEqual(await faults(ann), []);
  await choice.getByRole("checkbox", { name: "登录与账户" }).uncheck();
  await button(choice, "Save").click();
  for (const page of [ann, bob]) {
    await page.getByText("The agents of this session cannot search any knowledge base.").waitFor();
    await page.locator(".note", { hasText: "operator (owner) changed the knowledge bases" }).waitFor();
  }
  await say(ann, `Once more\n/tool document_search ${JSON.stringify(search)}`);
  await reads(ann, "Once more");
  await until(ann, () => document.querySelector(".row:last-child .note.good"));
  const again = ann.locator(".tool", { hasText: "document_search" }).last();
  await again.locator(".tool-line").click();
  await again.getByText("No results.").waitFor();

  // A person who opens the page later reads the same rows to the end of the run, including earlier calls.
  await ann.reload();
  await ann.locator(".row:last-child .note.good", { hasText: "The run is finished" }).waitFor();
  await wheel(ann, -100_000);
  await ann.locator(".note", { hasText: /Bob( \([^)]+\))? joined as viewer/ }).waitFor();
  await ann.locator(".tool", { hasText: "document_search" }).first().waitFor();
  await nothingWrong(ann, bob);
});

test("a base is opened with a single request for the list of bases, both directly and from that list", async () => {
  await make(ann, "Once", [text("limits.md", "# Limits\n\nAt most **3** at a time.")]);
  const asked = [];
  const count = (request) => /\/api\/v1\/knowledge$/.test(request.url()) && asked.push(request.method());
  const opens = async (open) => {
    asked.length = 0;
    await open();
    await document(ann, "limits.md").waitFor();
    // Any further requests of the page would have been sent by the time that this request is answered.
    await ann.getByRole("searchbox", { name: "Test what agents find" }).fill("limits");
    await hit(ann, "limits.md").waitFor();
    assert.deepEqual(asked, ["GET"]);
  };
  ann.on("request", count);
  // The page already has its heading while the list is loading.
  const held = await hold(ann, "**/api/v1/knowledge");
  await opens(async () => {
    await ann.reload();
    await ann.getByRole("heading", { level: 1, name: "Knowledge bases" }).waitFor({ state: "attached" });
    assert.deepEqual(await faults(ann), []);
    held();
  });
  const listed = ann.waitForResponse((response) => /\/api\/v1\/knowledge$/.test(response.url()));
  await ann.getByRole("link", { name: "Knowledge bases" }).first().click();
  await ann.getByRole("link", { name: "Once" }).waitFor();
  await listed;
  await opens(() => ann.getByRole("link", { name: "Once" }).click());
  ann.off("request", count);

  // Markdown in the document is plain text in the hit.
  assert.equal(await hit(ann, "limits.md").locator(".hit-text").innerText(), "Limits\nAt most 3 at a time.");
  assert.deepEqual(await marked(hit(ann, "limits.md")), ["Limits"]);
  await nothingWrong(ann);
});
