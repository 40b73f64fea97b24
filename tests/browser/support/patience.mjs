// How long the tests wait for what has to come.

/** Longer than anything takes, even on a machine that has much else to do. In milliseconds. */
export const PATIENCE = 30_000;

/** What comes in time, or an error that names it: a test that waits for what never comes would hold up all others for ever. */
export function within(what, coming) {
  return new Promise((done, no) => {
    const timer = setTimeout(() => no(new Error(`no ${what} within ${PATIENCE / 1000} s`)), PATIENCE);
    coming.then(done, no).finally(() => clearTimeout(timer));
    // Whoever has raced it against something else has gone on.
    timer.unref();
  });
}
