// Debian's Chromium and people who sit before it.
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { watchStates } from "./axe.mjs";
import { TIMEOUT_MS } from "./timeouts.mjs";

// The headless shell is the same engine without a window system: it takes a third less of the processor.
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

/** Starts a browser with nothing remembered. */
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
  // What went wrong inside of a page, of everybody who came since a test began.
  let wrongs = [];
  return {
    /** A window of somebody's own: nothing is shared with the others but the machine. */
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
      page.on("pageerror", (error) => wrong.push(String(error)));
      page.on("console", (message) => {
        // Requests that fail while the server is down are what some tests are about.
        if (
          message.type() === "error" &&
          !/net::ERR|WebSocket|Failed to load resource/.test(message.text())
        ) {
          wrong.push(message.text());
        }
      });
      return page;
    },
    /** Everybody goes: pages that stay would look for their server again and again, and take its time to stop. */
    async leave() {
      await Promise.all(browser.contexts().map((context) => context !== first && context.close()));
    },
    /** What went wrong inside of any page since this was asked last. */
    wrong() {
      const all = wrongs.flat();
      wrongs = [];
      return all;
    },
    async close() {
      await first.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
