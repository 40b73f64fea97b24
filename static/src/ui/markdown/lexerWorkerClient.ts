/** Client of the worker that parses slow texts, one at a time. The worker is terminated if a text takes too long. */
import { useEffect, useState } from "react";
import type { Token } from "marked";

type Blocks = Token[] | null;

/** Maximum milliseconds per text; a slower one is shown as written. */
const BUDGET_MS = 1000;
/** Maximum number of cached texts. */
const MAX_CACHED = 50;

const cache = new Map<string, Blocks>();
let worker: Promise<Worker> | null = null;
let turn: Promise<unknown> = Promise.resolve();

/** Returns a loaded worker. Loading time does not count toward the budget of a text. */
function ready(): Promise<Worker> {
  worker ??= new Promise((resolve) => {
    const started = new Worker(new URL("./lexer.worker.ts", import.meta.url), { type: "module" });
    started.addEventListener("message", () => resolve(started), { once: true });
  });
  return worker;
}

async function read(text: string): Promise<Blocks> {
  const reader = await ready();
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      reader.terminate();
      worker = null;
      resolve(null);
    }, BUDGET_MS);
    const answer = ({ data }: MessageEvent<Blocks>) => {
      clearTimeout(timer);
      resolve(data);
    };
    reader.addEventListener("message", answer, { once: true });
    reader.postMessage(text);
  });
}

/** Returns the blocks of a text, each parsed once; null if it takes too long. */
function lexInWorker(text: string): Promise<Blocks> {
  const before = cache.get(text);
  if (before !== undefined) return Promise.resolve(before);
  const answer = turn.then(async () => {
    const blocks = cache.get(text) ?? (await read(text));
    cache.set(text, blocks);
    for (const oldest of cache.keys()) if (cache.size > MAX_CACHED) cache.delete(oldest);
    return blocks;
  });
  turn = answer;
  return answer;
}

/** Returns the blocks of the text as soon as they are known; none while the text is null. */
export function useWorkerBlocks(text: string | null): Blocks {
  const [read, setRead] = useState<{ text: string; blocks: Blocks } | null>(null);
  useEffect(() => {
    if (text === null) return;
    let isStale = false;
    void lexInWorker(text).then((blocks) => isStale || setRead({ text, blocks }));
    return () => void (isStale = true);
  }, [text]);
  if (text === null) return null;
  return read?.text === text ? read.blocks : (cache.get(text) ?? null);
}
