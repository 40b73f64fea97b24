// Writes docs/screenshots: the pictures that the README shows, of the real server with its demo model.
import { mkdir } from "node:fs/promises";
import { startBrowser } from "./support/browser.mjs";
import { startServer } from "./support/server.mjs";
import { accept, begin, invite, nothingWrong, say, signIn, until } from "./support/steps.mjs";

const folder = process.env.SCREENSHOTS ?? new URL("../../docs/screenshots/", import.meta.url).pathname;
await mkdir(folder, { recursive: true });

const [server, browser] = await Promise.all([
  startServer({ settings: { "demo.speed": "80" } }),
  startBrowser(),
]);
const shoot = async (page, name) => {
  await page.mouse.move(0, 0);
  await page.screenshot({ path: `${folder}/${name}.png` });
  console.log(`${name}.png`);
};

/** Until somebody has written so many characters. */
const written = (page, n) =>
  until(page, (n) => (document.querySelector(".markdown.growing")?.textContent.length ?? 0) > n, n);

try {
  const wide = { viewport: { width: 1440, height: 900 }, deviceScaleFactor: 1 };
  const ann = await browser.person(wide);
  const bob = await browser.person({ ...wide, colorScheme: "dark" });
  await signIn(ann, server);
  await shoot(ann, "home");
  const address = await begin(ann, "Write test cases for the payment interface");
  await accept(bob, await invite(ann, "reviewer"), "Bob Lindqvist");
  await written(ann, 500);
  await shoot(ann, "streaming");
  await say(ann, "@TestCase_Reviewer look at refunds in particular");
  await ann.locator(".inbox li[data-waiting]").waitFor();
  await shoot(ann, "steering");
  await ann.locator(".dock").waitFor();
  await shoot(ann, "gate");
  await shoot(bob, "gate-dark");

  const li = await browser.person({ ...wide, locale: "zh-CN" });
  await li.context().addCookies(await ann.context().cookies());
  await li.goto(server.url);
  await li.locator(".shell").waitFor();
  await begin(li, "生成支付接口的测试用例");
  await written(li, 300);
  await shoot(li, "chinese");

  const phone = await browser.person({
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    hasTouch: true,
    isMobile: true,
  });
  await phone.context().addCookies(await bob.context().cookies());
  await phone.goto(address);
  await phone.locator(".dock").waitFor();
  await shoot(phone, "phone");

  await bob.locator(".timeline").focus();
  await bob.keyboard.press("a");
  await ann.locator("article.final").waitFor();
  await shoot(ann, "answer");
  nothingWrong(ann, bob, li, phone);
} finally {
  await browser.close();
  await server.stop();
}
