// A recording of what a page sends and receives, for the report of a test that fails.

/** Frames and requests that are kept. */
const KEPT = 40;
const MAX_LINE = 300;
const MAX_TEXT = 3000;

/** Starts to record a page. */
export function record(page) {
  const start = Date.now();
  const lines = [];
  const running = new Set();
  const keep = (line) => {
    lines.push(`+${Date.now() - start} ms ${line}`.slice(0, MAX_LINE));
    if (lines.length > KEPT) lines.shift();
  };
  page.on("websocket", (socket) => {
    keep("socket opened");
    socket.on("framesent", ({ payload }) => keep(`> ${payload}`));
    socket.on("framereceived", ({ payload }) => keep(`< ${payload}`));
    socket.on("close", () => keep("socket closed"));
  });
  page.on("request", (request) => running.add(request));
  page.on("requestfailed", (request) => {
    running.delete(request);
    keep(`${request.method()} ${request.url()} failed: ${request.failure()?.errorText}`);
  });
  page.on("requestfinished", (request) => running.delete(request));
  return {
    /** Describes the page: its address, text and focus, the requests without a response, and the last frames. */
    async report() {
      const shown = await page
        .evaluate((most) => {
          const focus = document.activeElement;
          return `focus: ${focus?.outerHTML.slice(0, 200)}\n${document.body.innerText.slice(0, most)}`;
        }, MAX_TEXT)
        .catch((error) => `the page does not respond: ${error.message}`);
      const requests = [...running].map((request) => `running: ${request.method()} ${request.url()}`);
      return [`--- ${page.url()}`, shown, ...requests, ...lines].join("\n");
    },
  };
}
