// Timeouts of the tests.

/** Milliseconds that any step can take, even on a busy machine. */
export const TIMEOUT_MS = 30_000;

/** Returns the result of `coming`, or an error that names it after the timeout. Without it, one test could block all. */
export function within(what, coming) {
  return new Promise((done, no) => {
    const timer = setTimeout(() => no(new Error(`no ${what} within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS);
    coming.then(done, no).finally(() => clearTimeout(timer));
    // The timer must not keep the process alive.
    timer.unref();
  });
}
