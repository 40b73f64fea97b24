/** Texts for a knowledge base. */
import { commandId } from "../wire/commandId";
import { bytesOf, sendDocument, documentUrl } from "../wire/knowledge";
import type { Sending } from "../wire/send";
import { transfer } from "./transfers";

/** A text, and the name that it is to have. */
export interface Given {
  name: string;
  content: Blob;
}

/** What the base does not have any more, though this page has it. */
export interface Before extends Given {
  /** Another one has its name now. */
  replaced: boolean;
}

/** Where transfers to a base are shown. */
export function placeOf(base: number): string {
  return `/knowledge/${base}`;
}

/** Sends the texts. What one of them replaces, where the base `has` one of its name, can be put back. */
export function addDocuments(
  base: number,
  given: Given[],
  has: (name: string) => boolean = () => false,
  onReplaced?: (before: Before) => void,
): void {
  transfer(
    given.map(({ name, content }) => ({
      id: commandId(),
      place: placeOf(base),
      name,
      content,
      send(onProgress): Sending<unknown> {
        const gone = new AbortController();
        let sending: Sending<unknown> | null = null;
        const replace = async () => {
          const before = has(name) ? await bytesOf(documentUrl(base, name), gone.signal) : null;
          gone.signal.throwIfAborted();
          sending = sendDocument(base, name, content, onProgress);
          await sending.done;
          if (before) onReplaced?.({ name, content: before, replaced: true });
        };
        const stop = () => {
          gone.abort();
          sending?.stop();
        };
        return { done: replace(), stop };
      },
    })),
  );
}
