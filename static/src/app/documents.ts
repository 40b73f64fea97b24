/** Texts for a knowledge base. */
import { commandId } from "../wire/commandId";
import { bytesOf } from "../wire/content";
import { documentUrl, knowledge, sendDocument } from "../wire/knowledge";
import type { Sending } from "../wire/send";
import { transfer } from "./transfers";

/** A text, and the name that it is to have. */
export interface NamedText {
  name: string;
  content: Blob;
}

/** What the base does not have any more, though this page has it. */
export interface Before extends NamedText {
  /** Another one has its name now. */
  replaced: boolean;
}

/** What transfers to a base go by. */
export function addressOf(base: number): string {
  return `/knowledge/${base}`;
}

/** Puts a text into the base; what it replaces, where there is one of its name, comes back. */
export function putDocument(
  base: number,
  { name, content }: NamedText,
  replaces: boolean,
  onProgress: (sent: number) => void = () => undefined,
): Sending<Before | null> {
  const gone = new AbortController();
  let sending: Sending<unknown> | null = null;
  const put = async () => {
    const before = replaces ? await bytesOf(documentUrl(base, name), gone.signal) : null;
    gone.signal.throwIfAborted();
    sending = sendDocument(base, name, content, onProgress);
    await sending.done;
    return before && { name, content: before, replaced: true };
  };
  const stop = () => {
    gone.abort();
    sending?.stop();
  };
  return { done: put(), stop };
}

/** Sends the texts, a few at a time. What one of them replaces, where the base `has` one of its name, can be put back. */
export function addDocuments(
  base: number,
  texts: NamedText[],
  has: (name: string) => boolean = () => false,
  onReplaced?: (before: Before) => void,
): void {
  transfer(
    texts.map(({ name, content }) => ({
      id: commandId(),
      to: addressOf(base),
      name,
      content,
      send(onProgress) {
        const { done, stop } = putDocument(base, { name, content }, has(name), onProgress);
        return { done: done.then((before) => before && onReplaced?.(before)), stop };
      },
    })),
  );
}

/** Takes a document out of the base, and keeps what is in it. */
export async function takeDocument(base: number, name: string): Promise<Before> {
  const content = await bytesOf(documentUrl(base, name));
  await knowledge.removeDocument(base, name);
  return { name, content, replaced: false };
}
