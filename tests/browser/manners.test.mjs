import assert from "node:assert/strict";
import { faults } from "./support/axe.mjs";
import { browser, model, server, setStage, test } from "./support/stage.mjs";
import {
  accept,
  anotherOf,
  begin,
  connected,
  invite,
  message,
  nothingWrong,
  reads,
  say,
  signedIn,
  toGate,
  until,
} from "./support/steps.mjs";

let ann, address;
setStage({
  async prepare() {
    ann = await signedIn();
  },
});

test("everything can be done with the keyboard", async () => {
  await ann.keyboard.press("Alt+h");
  await ann.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await ann.keyboard.press("Escape");
  address = await begin(ann, "Write cases", { team: "Test case" });
  (await model.turn()).end("A draft.");
  const review = await model.turn();
  review.write("Something");
  await reads(ann, "Something");

  // Esc shows a hint that disappears by itself; pressing it twice interrupts.
  await ann.locator(".timeline").focus();
  await ann.evaluate(() => {
    const hint = document.querySelector(".control .armed");
    window.hints = [];
    const look = () => window.hints.push(hint.textContent);
    new MutationObserver(look).observe(hint, { childList: true, characterData: true, subtree: true });
  });
  await ann.keyboard.press("Escape");
  await until(ann, () => window.hints.length === 2);
  assert.deepEqual(await ann.evaluate(() => window.hints), ["Press Esc again to interrupt", ""]);
  review.write(" more");
  await reads(ann, "Something more");
  await ann.keyboard.press("Escape");
  await ann.keyboard.press("Escape");
  assert.equal(await review.dropped, true);
  await ann.getByTestId("gate").waitFor();

  // Alt+R rejects with a comment, which goes to the team.
  await ann.locator(".timeline").focus();
  await ann.keyboard.press("Alt+r");
  await ann.locator(".reject textarea").waitFor();
  assert.ok(await ann.locator("#composer-text").isHidden(), "there is one place for words");
  await ann.keyboard.type("Shorter, please");
  await ann.keyboard.press("Enter");
  const next = await model.turn();
  assert.match(next.asked, /Shorter, please/);
  next.end("Short.");
  (await model.turn()).end("Good.");
  await ann.getByTestId("gate").waitFor();
  await ann.locator(".gate-decided", { hasText: "Rejected" }).getByText("Shorter, please").waitFor();
  assert.equal(await message(ann, "Shorter, please").count(), 0, "the decision says it, and nothing twice");

  // Alt+J and Alt+K move between messages, @ completes, Alt+S searches, Ctrl+K finds.
  await ann.locator(".timeline").focus();
  await ann.keyboard.press("Alt+k");
  await ann.keyboard.press("Alt+k");
  await until(ann, () => document.activeElement?.matches("article.message"));
  const composer = ann.locator("#composer-text");
  await composer.pressSequentially("看看 @Rev");
  await ann.getByRole("option", { name: /TestCase_Reviewer/ }).waitFor();
  await composer.press("Tab");
  assert.equal(await composer.inputValue(), "看看 @TestCase_Reviewer ");
  // Typing immediately continues after the name, even if the caret was in the middle of the text.
  await composer.fill("x");
  await composer.press("Home");
  const completed = await ann.evaluate(async () => {
    const field = document.querySelector("#composer-text");
    const set = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set;
    set.call(field, "@testcx");
    field.setSelectionRange(6, 6);
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    for (const key of ["ArrowDown", "Enter"]) {
      field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      // As after a real key: the change is rendered, but no frame has been painted.
      await Promise.resolve();
    }
    return { text: field.value, caret: field.selectionStart };
  });
  assert.match(completed.text, /^@TestCase_\w+ x$/);
  assert.equal(completed.caret, completed.text.length - 1, "the caret is there before the next key");
  await composer.fill("");
  await composer.press("Escape");
  await ann.keyboard.press("Alt+s");
  await until(ann, () => document.activeElement?.matches(".search input"));
  await ann.keyboard.type("no such session");
  await ann.getByText("No results for").waitFor();
  await ann.keyboard.press("Escape");
  await ann.keyboard.press("Control+k");
  await ann.keyboard.type("themedark");
  await ann.keyboard.press("Enter");
  await until(ann, () => document.documentElement.dataset.theme === "dark");
  await nothingWrong(ann);
});

test("axe finds nothing serious, in the light and dark themes, on every page", async () => {
  assert.deepEqual(await faults(ann), [], "dark");
  await ann.evaluate(() => localStorage.removeItem("roundtable.theme"));
  await ann.reload();
  await connected(ann);
  await ann.getByTestId("gate").waitFor();
  assert.deepEqual(await faults(ann), [], "light");
  await ann.getByRole("tab", { name: "Usage" }).click();
  assert.deepEqual(await faults(ann), [], "usage");
  await ann.getByRole("tab", { name: "People" }).click();
  await ann.keyboard.press("Control+k");
  await ann.getByRole("dialog").waitFor();
  assert.deepEqual(await faults(ann), [], "palette");
  await ann.keyboard.press("Escape");
  const stranger = await browser.person();
  await stranger.goto(server.url);
  await stranger.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.deepEqual(await faults(stranger), [], "sign-in");
  await nothingWrong(ann, stranger);
});

test("anything new since the last visit is marked and announced to screen readers", async () => {
  const link = await invite(ann, "member");
  const bob = await browser.person();
  await accept(bob, link, "Bob");
  await ann.goto(server.url);
  await ann.getByRole("heading", { name: "Open a session or start a new one" }).waitFor();
  await say(bob, "@people shall we meet?");
  await reads(bob, "shall we meet?");
  await ann.goto(address);
  await ann.getByRole("separator", { name: /New since you left/ }).waitFor();
  await reads(ann, "shall we meet?");
  assert.equal(await ann.getByTestId("announcer").textContent(), "", "what was there before is read");
  await say(bob, "@people I come at ten");
  await until(ann, () => /Bob/.test(document.querySelector('[data-testid="announcer"]')?.textContent ?? ""));
  await say(ann, "@people @Nobody are you there?");
  const hint = (page) => message(page, "are you there?").getByText("Nobody here is called “Nobody”.");
  await hint(ann).waitFor();
  await ann.reload();
  await hint(ann).waitFor();
  await nothingWrong(ann, bob);
});

test("a phone shows one region at a time, and the gate is within the thumb's reach", async () => {
  const phone = await anotherOf(ann, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await phone.goto(address);
  await connected(phone);
  const approve = phone.getByRole("button", { name: "Approve" });
  await approve.waitFor();
  const box = await approve.boundingBox();
  assert.ok(box.height >= 44 && box.y > 844 / 2, `the button is at ${JSON.stringify(box)}`);
  assert.equal(await phone.locator(".sidebar").count(), 0);
  await phone.getByRole("button", { name: "People" }).click();
  await phone.locator('[data-person="Bob"]').waitFor();
  assert.equal(await phone.locator(".timeline").count(), 0);
  await phone.getByRole("button", { name: "Sessions" }).click();
  await phone.locator(".session").first().click();
  await phone.locator(".timeline").waitFor();
  const wider = await phone.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  assert.equal(wider, false, "nothing sticks out sideways");
  assert.deepEqual(await faults(phone), []);
  await nothingWrong(phone);
});

test("a Chinese browser shows Chinese, and everybody can switch", async () => {
  const li = await anotherOf(ann, { locale: "zh-CN" });
  await li.goto(server.url);
  await connected(li);
  await begin(li, "生成支付接口的测试用例");
  await toGate(li, "**支付**用例");
  await li.getByRole("button", { name: "同意" }).waitFor();
  assert.equal(await li.evaluate(() => document.documentElement.lang), "zh-CN");
  const english = await li.evaluate(() =>
    [...document.querySelectorAll(".bottom, .sidebar h2, .tabs, .panel h2")]
      .map((one) => one.innerText)
      .join(" "),
  );
  assert.doesNotMatch(english, /\b(Approve|Reject|People|Usage|Agents|Needs you|Cancel)\b/);
  await li.getByRole("button", { name: /English/ }).click();
  await li.getByRole("button", { name: "Approve" }).waitFor();
  await li.reload();
  await li.getByRole("button", { name: "Approve" }).waitFor();
  await nothingWrong(li);
});

test("text from agents cannot run in the page", async () => {
  const page = await anotherOf(ann);
  await page.goto(server.url);
  await connected(page);
  await begin(page, "Write something evil", { team: "Test case" });
  const evil = [
    "<script>window.evil = 1</script>",
    "<img src=x onerror='window.evil = 2'>",
    "[press](javascript:window.evil=3)",
    "![](https://example.org/track.png)",
    "```js\nconst evil = '<b>no</b>';\n```",
  ].join("\n\n");
  await toGate(page, evil);
  await page.locator(".markdown .hljs-keyword").first().waitFor();
  assert.equal(await page.evaluate(() => window.evil), undefined);
  assert.equal(await page.locator(".markdown img, .markdown script").count(), 0);
  assert.equal(await page.locator('.markdown a[href^="javascript"]').count(), 0);
  await nothingWrong(page);
});
