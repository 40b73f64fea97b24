// A recording of what a page sends and receives, for the report of a test that fails.

/** Frames and failed requests in a report. */
const MAX_LINES = 40;
const MAX_LINE_CHARS = 300;
const MAX_TEXT_CHARS = 3000;

/** Starts to record a page. */
export function record(page) {
  const start = Date.now();
  const lines = [];
  const running = new Set();
  const add = (line) => {
    lines.push(`+${Date.now() - start} ms ${line}`.slice(0, MAX_LINE_CHARS));
    if (lines.length > MAX_LINES) lines.shift();
  };
  page.on("websocket", (socket) => {
    add("socket opened");
    socket.on("framesent", ({ payload }) => add(`> ${payload}`));
    socket.on("framereceived", ({ payload }) => add(`< ${payload}`));
    socket.on("close", () => add("socket closed"));
  });
  page.on("request", (request) => running.add(request));
  page.on("requestfailed", (request) => {
    running.delete(request);
    add(`${request.method()} ${request.url()} failed: ${request.failure()?.errorText}`);
  });
  page.on("requestfinished", (request) => running.delete(request));
  return {
    /** Describes the page: its address, text and focus, the requests without a response, and the last frames. */
    async report() {
      const shown = await page
        .evaluate((maxChars) => {
          const focus = document.activeElement;
          return `focus: ${focus?.outerHTML.slice(0, 200)}\n${document.body.innerText.slice(0, maxChars)}`;
        }, MAX_TEXT_CHARS)
        .catch((error) => `the page does not respond: ${error.message}`);
      const requests = [...running].map((request) => `running: ${request.method()} ${request.url()}`);
      return [`--- ${page.url()}`, shown, ...requests, ...lines].join("\n");
    },
  };
}
