// What the tests of one file play on: a model that the test holds in its hand, a server that asks it, and a browser.
import { after, afterEach, before, beforeEach } from "node:test";
import { startBrowser } from "./browser.mjs";
import { startModel } from "./model.mjs";
import { startServer } from "./server.mjs";

export let browser, model, server;

/** Sets the stage for the whole file, and prepares it; with `each`, every test gets a model and a server of its own. */
export function setStage({ each = false, prepare } = {}) {
  const open = async () => {
    model = await startModel();
    server = await startServer({ model });
    await prepare?.();
  };
  const close = async () => {
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
    await browser?.close();
    if (!each) await close();
  });
}
