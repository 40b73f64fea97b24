/** Reads texts that may take long, beside the page. */
import { blocksOf, isTooLarge } from "./lex";

self.addEventListener("message", ({ data }: MessageEvent<string>) => {
  try {
    const blocks = blocksOf(data);
    self.postMessage(isTooLarge(blocks) ? null : blocks);
  } catch {
    self.postMessage(null);
  }
});
self.postMessage("ready");
