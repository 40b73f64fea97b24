/** Knowledge bases and their documents. */
import { useEffect, useCallback, useRef, useState } from "react";
import { type Base, documentUrl, knowledge, uploadDocument, type Document } from "../wire/knowledge";
import { useApp, useClient } from "./hooks";
import { useRefreshTrigger, useMutation } from "./requests";
import { commandId } from "../wire/commandId";
import { fetchBytes } from "../wire/content";
import type { UploadTask } from "../wire/uploadTask";
import { enqueueUploads, useUploads } from "./uploads";

/** Returns the bases, null until they arrive; `refusal` is the error. They are fetched again when `page` changes. */
export function useBases(page: unknown = null): { bases: Base[] | null; refusal: string | null } {
  const client = useClient();
  const bases = useApp((app) => app.bases);
  const [status, request] = useMutation();
  const trigger = useRefreshTrigger();
  useEffect(() => {
    if (trigger) void request(() => client.refreshBases());
  }, [request, client, trigger, page]);
  return { bases, refusal: status.error };
}

/** A text and its name. */
export interface DocumentInput {
  name: string;
  content: Blob;
}

/** A removed document whose content this page still has. */
export interface RemovedDocument extends DocumentInput {
  /** True if another document has its name now. */
  replaced: boolean;
}

/** Returns the name of uploads to a base. */
export function baseUploadTarget(base: number): string {
  return `/knowledge/${base}`;
}

/** Adds a text to the base. Returns the document that it replaces, if any. */
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

/** Uploads texts, a few at a time. A document that is replaced can be restored. */
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

/** Removes a document from the base and keeps its content here. */
export async function removeDocument(base: number, name: string): Promise<RemovedDocument> {
  const content = await fetchBytes(documentUrl(base, name));
  await knowledge.removeDocument(base, name);
  return { name, content, replaced: false };
}

interface Documents {
  /** Null until they arrive. */
  documents: Document[] | null;
  /** Error of the request. */
  refusal: string | null;
  refresh: () => Promise<void>;
}

/** Returns the documents of a knowledge base. */
export function useDocuments(base: number): Documents {
  const client = useClient();
  const [documents, setDocuments] = useState<Document[] | null>(null);
  const [status, request] = useMutation();
  const trigger = useRefreshTrigger();
  const onTheirWay = useUploads(baseUploadTarget(base)).filter((one) => one.state !== "refused").length;
  const asked = useRef({ now: false, again: false, changed: false });
  const look = useCallback(
    async (changed: boolean) => {
      // If many changes arrive at the same time, one more request after this one shows them all.
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
            // The page of the base fetches the bases itself; their summary changes with the documents.
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
    if (trigger) void look(false);
  }, [look, trigger]);
  // An upload in progress can be complete now.
  const before = useRef(onTheirWay);
  useEffect(() => {
    if (before.current === onTheirWay) return;
    before.current = onTheirWay;
    void refresh();
  }, [refresh, onTheirWay]);
  return { documents, refusal: status.error, refresh };
}
