/**
 * Client of the worker that parses slow text, one request at a time. A worker that takes too long is
 * terminated.
 */
import { useEffect, useState } from "react";
import type { Token } from "marked";

type Blocks = Token[] | null;

/** Maximum duration of one request, in milliseconds. Slower text is shown as written. */
const BUDGET_MS = 1000;
/** Maximum number of cached results. */
const MAX_CACHED = 50;

const cache = new Map<string, Blocks>();
let worker: Promise<Worker> | null = null;
let turn: Promise<unknown> = Promise.resolve();

/** Returns a loaded worker. The time to load it does not count toward the budget of a request. */
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

/**
 * Returns the blocks of the text. The result is cached. It is null if parsing fails or takes too long, or if
 * the text has too many blocks to render.
 */
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

/**
 * Returns the blocks of the text once they are parsed. Returns null before that, and while the text is null.
 */
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
