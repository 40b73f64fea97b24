/** Knowledge bases and their documents. */
import { useEffect, useCallback, useRef, useState } from "react";
import { type Base, documentUrl, knowledge, uploadDocument, type Document } from "../wire/knowledge";
import { useApp, useClient } from "./hooks";
import { useRefreshTrigger, useMutation } from "./requests";
import { commandId } from "../wire/commandId";
import { fetchBytes } from "../wire/content";
import type { UploadTask } from "../wire/uploadTask";
import { enqueueUploads, useUploads } from "./uploads";

/** Null until they are known; `refusal`: why they are not. They are asked for again where `page` is another one. */
export function useBases(page: unknown = null): { bases: Base[] | null; refusal: string | null } {
  const client = useClient();
  const bases = useApp((app) => app.bases);
  const [status, request] = useMutation();
  const occasion = useRefreshTrigger();
  useEffect(() => {
    if (occasion) void request(() => client.refreshBases());
  }, [request, client, occasion, page]);
  return { bases, refusal: status.error };
}

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

interface Documents {
  /** Null until they are known. */
  documents: Document[] | null;
  /** Why they are not known. */
  refusal: string | null;
  refresh: () => Promise<void>;
}

/** The documents of a knowledge base. */
export function useDocuments(base: number): Documents {
  const client = useClient();
  const [documents, setDocuments] = useState<Document[] | null>(null);
  const [status, request] = useMutation();
  const occasion = useRefreshTrigger();
  const onTheirWay = useUploads(baseUploadTarget(base)).filter((one) => one.state !== "refused").length;
  const asked = useRef({ now: false, again: false, changed: false });
  const look = useCallback(
    async (changed: boolean) => {
      // Where many come at once, one more look after this one shows them all.
      asked.current.again = true;
      asked.current.changed ||= changed;
      if (asked.current.now) return;
      asked.current.now = true;
      while (asked.current.again) {
        const other = asked.current.changed;
        asked.current = { now: true, again: false, changed: false };
        await request(async () => {
          const [documents] = await Promise.all([
            knowledge.documents(base),
            // The page of the base asks for the bases itself; with its documents, what they say of it changes.
            other && client.refreshBases(),
          ]);
          setDocuments(documents);
        });
      }
      asked.current.now = false;
    },
    [request, base, client],
  );
  const refresh = useCallback(() => look(true), [look]);
  useEffect(() => {
    if (occasion) void look(false);
  }, [look, occasion]);
  // What was on its way may be there now.
  const before = useRef(onTheirWay);
  useEffect(() => {
    if (before.current === onTheirWay) return;
    before.current = onTheirWay;
    void refresh();
  }, [refresh, onTheirWay]);
  return { documents, refusal: status.error, refresh };
}
