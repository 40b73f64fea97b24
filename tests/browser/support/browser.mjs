// Debian's Chromium, and the people who use it.
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { watchStates } from "./axe.mjs";
import { record } from "./recording.mjs";
import { TIMEOUT_MS } from "./timeouts.mjs";

// The headless shell is the same engine without a window system, and needs a third less CPU time.
const known = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
const flags = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--font-render-hinting=none",
];

/** Starts a browser without any saved state. */
export async function startBrowser() {
  const executablePath = process.env.CHROMIUM_BIN ?? known.find((path) => existsSync(path));
  if (!executablePath) throw new Error("no Chromium: install the package chromium, or set CHROMIUM_BIN");
  const folder = await mkdtemp(join(tmpdir(), "roundtable-chromium-"));
  const first = await chromium.launchPersistentContext(folder, {
    executablePath,
    args: flags,
    headless: true,
  });
  const browser = first.browser();
  // Errors inside any page since the test began.
  let wrongs = [];
  // One recording per page since the test began.
  let recordings = [];
  return {
    /** A window with its own context, which shares nothing with the others. */
    async person(options = {}) {
      const context = await browser.newContext({
        viewport: { width: 1360, height: 860 },
        locale: "en-GB",
        colorScheme: "light",
        reducedMotion: "reduce",
        ...options,
      });
      context.setDefaultTimeout(TIMEOUT_MS);
      const wrong = [];
      wrongs.push(wrong);
      await watchStates(context, (fault) => wrong.push(fault));
      const page = await context.newPage();
      page.wrong = wrong;
      recordings.push(record(page));
      page.on("pageerror", (error) => wrong.push(String(error)));
      page.on("console", (message) => {
        // Failed requests while the server is down are expected in some tests.
        if (
          message.type() === "error" &&
          !/net::ERR|WebSocket|Failed to load resource/.test(message.text())
        ) {
          wrong.push(message.text());
        }
      });
      return page;
    },
    /** Closes all pages: otherwise they would keep reconnecting to their server and delay its stop. */
    async leave() {
      await Promise.all(browser.contexts().map((context) => context !== first && context.close()));
    },
    /** What the pages of the failed test show, and what they sent and received last. */
    async report() {
      return (await Promise.all(recordings.map((recording) => recording.report()))).join("\n");
    },
    /** Errors inside any page since the test began. */
    wrong: () => wrongs.flat(),
    /** Forgets the errors and recordings of the test. */
    forget() {
      wrongs = [];
      recordings = [];
    },
    async close() {
      await first.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
