/** Worker that parses text that could block the page. */
import { lexBlocks, isTooLarge } from "./lex";

self.addEventListener("message", ({ data }: MessageEvent<string>) => {
  try {
    const blocks = lexBlocks(data);
    self.postMessage(isTooLarge(blocks) ? null : blocks);
  } catch {
    self.postMessage(null);
  }
});
self.postMessage("ready");
