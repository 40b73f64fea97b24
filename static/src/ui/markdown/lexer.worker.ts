/** Reads texts that may take long, beside the page. */
import { blocksOf } from "./lex";

self.addEventListener("message", ({ data }: MessageEvent<string>) => {
  try {
    self.postMessage(blocksOf(data));
  } catch {
    self.postMessage(null);
  }
});
self.postMessage("ready");
