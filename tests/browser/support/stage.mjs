// The setup that the tests of a file share: a model that the test controls, or the demo model; a server that uses it;
// and a browser.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test as unbounded } from "node:test";
import { startBrowser } from "./browser.mjs";
import { startModel } from "./model.mjs";
import { startServer } from "./server.mjs";

/**
 * Maximum time of one test, in milliseconds. A test that hangs is named, whereas the global limit would only name its
 * file.
 */
const TEST_WITHIN = 120_000;
/** Time for the report of a failed test, in milliseconds. */
const REPORT_WITHIN = 10_000;

/**
 * A test on the prepared stage. It also fails if an error occurred inside a page. If it fails, what its pages show and
 * last received is printed, so that a failure that cannot be repeated can still be explained.
 */
export function test(name, play) {
  unbounded(name, { timeout: TEST_WITHIN + REPORT_WITHIN }, async (context) => {
    try {
      await within(TEST_WITHIN, play());
      assert.deepEqual(browser.wrong(), []);
    } catch (error) {
      context.diagnostic(await browser.report());
      throw error;
    } finally {
      browser.forget();
    }
  });
}

/** Waits for a promise, at most this number of milliseconds. */
async function within(milliseconds, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`the test takes longer than ${milliseconds} ms`)),
      milliseconds,
    );
  });
  await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** The demo model writes without delay. */
const QUICK = { "demo.tokens_per_second": "0", "demo.delay_ms": "0" };

export let browser, model, server;

/**
 * Prepares the stage for the whole file; with `each`, every test gets its own model and server. With `demo`, the demo
 * model plays, on a server with the given settings and configuration; `settings` and `config` apply to the server if
 * the test controls the model.
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
