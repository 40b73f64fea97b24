/** Texts for a knowledge base. */
import { commandId } from "../wire/commandId";
import { fetchBytes } from "../wire/content";
import { documentUrl, knowledge, uploadDocument } from "../wire/knowledge";
import type { UploadTask } from "../wire/upload";
import { enqueueUploads } from "./uploadQueue";

/** A text, and the name that it is to have. */
export interface DocumentInput {
  name: string;
  content: Blob;
}

/** What the base does not have any more, though this page has it. */
export interface RemovedDocument extends DocumentInput {
  /** Another one has its name now. */
  replaced: boolean;
}

/** What transfers to a base go by. */
export function baseUploadTarget(base: number): string {
  return `/knowledge/${base}`;
}

/** Puts a text into the base; what it replaces, where there is one of its name, comes back. */
export function putDocument(
  base: number,
  { name, content }: DocumentInput,
  replaces: boolean,
  onProgress: (sent: number) => void = () => undefined,
): UploadTask<RemovedDocument | null> {
  const gone = new AbortController();
  let sending: UploadTask<unknown> | null = null;
  const put = async () => {
    const before = replaces ? await fetchBytes(documentUrl(base, name), gone.signal) : null;
    gone.signal.throwIfAborted();
    sending = uploadDocument(base, name, content, onProgress);
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
export function uploadDocuments(
  base: number,
  texts: DocumentInput[],
  has: (name: string) => boolean = () => false,
  onReplaced?: (before: RemovedDocument) => void,
): void {
  enqueueUploads(
    texts.map(({ name, content }) => ({
      id: commandId(),
      to: baseUploadTarget(base),
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
export async function removeDocument(base: number, name: string): Promise<RemovedDocument> {
  const content = await fetchBytes(documentUrl(base, name));
  await knowledge.removeDocument(base, name);
  return { name, content, replaced: false };
}
