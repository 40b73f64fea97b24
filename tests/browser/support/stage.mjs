// What the tests of one file play on: a model that the test holds in its hand, or the one of demonstrations; a server that
// asks it; and a browser.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test as unbounded } from "node:test";
import { startBrowser } from "./browser.mjs";
import { startModel } from "./model.mjs";
import { startServer } from "./server.mjs";

/** Milliseconds that one test may take: one that hangs is named, where the bound of all would only name its file. */
const TEST_WITHIN = 120_000;

/** One test, on the stage that was set: it fails also where something went wrong inside of a page. */
export function test(name, play) {
  unbounded(name, { timeout: TEST_WITHIN }, async () => {
    await play();
    assert.deepEqual(browser.wrong(), []);
  });
}

/** The model of demonstrations writes at once. */
const QUICK = { "demo.speed": "0", "demo.delay_ms": "0" };

export let browser, model, server;

/**
 * Sets the stage for the whole file, and prepares it; with `each`, every test gets a model and a server of its own. With
 * `demo`, the model of demonstrations plays, on a server with those settings and that configuration; `settings` and
 * `config` are the server's where the test holds the model.
 */
export function setStage({ each = false, demo, settings: own = {}, config, prepare } = {}) {
  const open = async () => {
    if (!demo) model = await startModel();
    const settings = { ...QUICK, ...demo?.settings };
    server = await startServer(demo ? { ...demo, settings } : { model, settings: own, config });
    await prepare?.();
  };
  const close = async () => {
    await browser?.leave();
    await server?.stop();
    model?.close();
  };
  // Node does not wait for one `before` of a file before it calls the next.
  before(async () => {
    browser = await startBrowser();
    if (!each) await open();
  });
  if (each) {
    beforeEach(open);
    afterEach(close);
  }
  after(async () => {
    if (!each) await close();
    await browser?.close();
  });
}
