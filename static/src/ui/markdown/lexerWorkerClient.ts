/** Texts that may take long to read: a worker reads them one by one, and is ended where one takes too long. */
import { useEffect, useState } from "react";
import type { Token } from "marked";

type Blocks = Token[] | null;

/** Milliseconds that a text may take; one that takes longer is shown as it was written. */
const BUDGET_MS = 1000;
/** Texts that are remembered. */
const MAX_CACHED = 50;

const cache = new Map<string, Blocks>();
let worker: Promise<Worker> | null = null;
let turn: Promise<unknown> = Promise.resolve();

/** A worker that has loaded: that takes time of its own, which no text is to blame for. */
function ready(): Promise<Worker> {
  worker ??= new Promise((resolve) => {
    const made = new Worker(new URL("./lexer.worker.ts", import.meta.url), { type: "module" });
    made.addEventListener("message", () => resolve(made), { once: true });
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

/** The blocks of a text, each text read once; null where it takes too long. */
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

/** The blocks of this text as soon as they are known; none while it is null. */
export function useWorkerBlocks(text: string | null): Blocks {
  const [read, setRead] = useState<{ text: string; blocks: Blocks } | null>(null);
  useEffect(() => {
    if (text === null) return;
    let late = false;
    void lexInWorker(text).then((blocks) => late || setRead({ text, blocks }));
    return () => void (late = true);
  }, [text]);
  if (text === null) return null;
  return read?.text === text ? read.blocks : (cache.get(text) ?? null);
}
