// Writes docs/screenshots: the pictures in the README, from the real server with its demo model.
import { mkdir } from "node:fs/promises";
import { startBrowser } from "./support/browser.mjs";
import { startServer } from "./support/server.mjs";
import { shop } from "./support/shop.mjs";
import { incident, makeTeam } from "./support/topology.mjs";
import {
  accept,
  begin,
  connected,
  invite,
  nothingWrong,
  say,
  settings,
  signIn,
  until,
  wheel,
} from "./support/steps.mjs";

const folder = process.env.SCREENSHOTS ?? new URL("../../docs/screenshots/", import.meta.url).pathname;
await mkdir(folder, { recursive: true });

const REFUNDS = `# Refunds

A refund never exceeds what was paid. Partial refunds are counted together.

## When a refund is refused

A refund is refused with \`E_TOO_OLD\` after 180 days, and with \`E_CLOSED\` where the account is closed.
`;
const LIMITS =
  "# Limits\n\nA payment has at least 0.01 and at most 50,000.00. A refund has no least amount.\n";
const DEFECTS = "# 已知缺陷\n\n网络超时后重试，曾产生重复退款；2025 年 3 月起以请求编号去重。\n";
const INCIDENTS =
  "# Signing in with one-time codes\n\nIn March codes were refused just after midnight: their age was counted in days. In June a " +
  "customer asked for three codes and typed in the first.\n";

const [server, browser] = await Promise.all([
  startServer({
    settings: { "demo.tokens_per_second": "80" },
    config: (folder) => shop(folder) + incident(folder),
  }),
  startBrowser(),
]);
const shoot = async (page, name) => {
  await page.mouse.move(0, 0);
  await page.screenshot({ path: `${folder}/${name}.png` });
  console.log(`${name}.png`);
};

/** The team's own prompt starter, for which the demo model has a good story. */
const starter = async (page, team) => {
  const { teams } = await page.evaluate(async () => (await fetch("/api/v1/server")).json());
  return teams.find(({ name }) => name === team).starters[0];
};

/** Waits until this many characters have been written. */
const written = (page, n) =>
  until(page, (n) => (document.querySelector(".markdown.growing")?.textContent.length ?? 0) > n, n);

try {
  const wide = { viewport: { width: 1440, height: 900 }, deviceScaleFactor: 1 };
  const ann = await browser.person(wide);
  const bob = await browser.person({ ...wide, colorScheme: "dark" });
  await signIn(ann, server);
  await ann.getByTestId("first-name").locator("input").fill("Ann Weber");
  await ann.getByRole("button", { name: "Save name" }).click();
  await ann.getByTestId("first-name").waitFor({ state: "detached" });
  await connected(ann);
  const address = await begin(ann, await starter(ann, "testcase-en"));
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
  await begin(li, await starter(li, "testcase-zh"));
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

  await bob.locator(".dock").waitFor();
  await bob.locator(".timeline").focus();
  await bob.keyboard.press("Alt+a");
  await bob.keyboard.press("Enter");
  await ann.locator("article.final").waitFor();
  await shoot(ann, "answer");

  const gate = (page) => page.locator('[data-testid="gate"]:visible');
  const button = (name) => gate(bob).getByRole("button", { name });
  /** A session with both people, in which both must approve. */
  const together = async (team, title) => {
    await ann.locator(".timeline").focus();
    await begin(ann, "", { team, title });
    await bob.goto(await invite(ann, "reviewer"));
    await bob.locator('button[type="submit"]').click();
    await bob.waitForURL(/\/s\/s_/);
    await settings(ann, { approval: { kind: "at_least", n: 2 } });
  };

  /** A knowledge base that every member may read. */
  const knowledge = (name, about) =>
    ann.evaluate(
      async (wish) => {
        const body = JSON.stringify(wish);
        const headers = { "content-type": "application/json" };
        return (await (await fetch("/api/v1/knowledge", { method: "POST", headers, body })).json()).id;
      },
      { name, about, readers: { members: true } },
    );
  const put = (base, name, text) =>
    ann.evaluate(
      ([base, name, body]) =>
        fetch(`/api/v1/knowledge/${base}/documents/${encodeURIComponent(name)}`, { method: "PUT", body }),
      [base, name, text],
    );

  const incidents = await knowledge("Incidents", "What went wrong before");
  await put(incidents, "sign-in.md", INCIDENTS);
  await together("(brain)", "Signing in with codes");
  await settings(ann, { knowledge: [String(incidents)] });
  await say(ann, await starter(ann, "brain-en"));
  await gate(bob).waitFor();
  await bob.keyboard.press("Alt+e");
  await gate(bob)
    .locator("textarea")
    .first()
    .fill("Collect the rules for one-time codes first, with the limits of each channel");
  await button("Move item 1 down").click();
  await shoot(bob, "plan");
  await button("Approve with these changes").click();
  await ann.getByTestId("revised").waitFor();
  await gate(ann).getByRole("button", { name: "Confirm plan" }).click();
  await ann.locator(".note", { hasText: "The run is finished" }).waitFor();
  await ann.getByRole("tab", { name: "Timeline" }).click();
  await ann.getByText("As a table").click();
  await shoot(ann, "timeline");

  await ann.getByRole("tab", { name: "People" }).click();
  await together("(ReAct)", "The shop is slow");
  const call = { node: "a1", gently: true, ticket: 4711 };
  await say(ann, `Node a1 answers slowly\n/tool mcp_shop_restart ${JSON.stringify(call)}`);
  await gate(ann).waitFor();
  await gate(bob).waitFor();
  await bob.keyboard.press("Alt+e");
  await gate(bob).getByLabel("Node").fill("a2");
  await button("Approve with these changes").click();
  await button("Approve now").click();
  await ann.getByTestId("revised").getByText("Show what changed").click();
  await shoot(ann, "tool");

  // A knowledge base, and what an agent found in it.
  const base = await knowledge("Payments", "Rules of payments and refunds, and what went wrong before");
  await put(base, "refunds.md", REFUNDS);
  await put(base, "limits.md", LIMITS);
  await put(base, "已知缺陷.md", DEFECTS);
  await ann.goto(`${server.url}/knowledge/${base}`);
  await ann.getByRole("searchbox", { name: "Test what agents find" }).fill("partial refund 重复退款");
  await ann.locator(".hit").first().waitFor();
  await shoot(ann, "knowledge");
  await ann.getByRole("button", { name: "Start a session with it" }).click();
  const dialog = ann.getByRole("dialog");
  await dialog.locator(".team", { hasText: "(ReAct)" }).click();
  await dialog.locator('[name="title"]').fill("Refunds");
  await dialog.getByRole("button", { name: "Start" }).click();
  await ann.waitForURL(/\/s\/s_/);
  await say(
    ann,
    `When is a refund refused?\n/tool document_search ${JSON.stringify({ query: "refund refused", limit: 3 })}`,
  );
  await ann.locator(".note", { hasText: "The run is finished" }).waitFor();
  await ann.getByRole("tab", { name: "Files" }).click();
  await ann.locator(".tool-line").click();
  await wheel(ann, -100_000);
  await ann.locator(".tool .hit").first().waitFor();
  await shoot(ann, "found");

  // A team that she edits, and one at work.
  await ann.goto(`${server.url}/teams/${await makeTeam(ann)}`);
  await ann.locator('.graph-node[data-node="orders"] .graph-node-name').click();
  await ann.locator('[data-errors="0"]').waitFor();
  await shoot(ann, "team");
  const run = await begin(ann, "Checkouts have been slow since nine. Find out why.", {
    team: "Incident team",
    title: "Slow checkouts",
  });
  await ann.goto(`${run}/graph`);
  await ann.locator('.graph-node[data-node="db"][data-state="in_progress"]').waitFor();
  await ann.locator('.graph-node[data-node="web"] .graph-node-name').click();
  await ann.locator(".agent-message").first().waitFor();
  await shoot(ann, "team-run");

  // What waits for her, and recent activity.
  await ann.goto(server.url);
  await ann.locator(".home-sessions .group.needs .session").first().waitFor();
  await ann.locator(".home-sessions .group.rest .session").first().waitFor();
  await shoot(ann, "home");
  await nothingWrong(ann, bob, li, phone);
} finally {
  await browser.close();
  await server.stop();
}
