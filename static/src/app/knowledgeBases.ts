/** Knowledge bases and their documents. */
import { useEffect, useCallback, useRef, useState } from "react";
import { type Base, documentUrl, knowledge, uploadDocument, type Document } from "../wire/knowledge";
import { useApp, useClient } from "./hooks";
import { useRefreshTrigger, useMutation } from "./requests";
import { commandId } from "../wire/commandId";
import { fetchBytes } from "../wire/content";
import type { UploadTask } from "../wire/uploadTask";
import { enqueueUploads, useUploads } from "./uploads";

/** Returns the bases (null until they arrive) and the error of the last request. Fetches again when `page` changes. */
export function useBases(page: unknown = null): { bases: Base[] | null; error: string | null } {
  const client = useClient();
  const bases = useApp((app) => app.bases);
  const [status, request] = useMutation();
  const trigger = useRefreshTrigger();
  useEffect(() => {
    if (trigger) void request(() => client.refreshBases());
  }, [request, client, trigger, page]);
  return { bases, error: status.error };
}

/** Content of a document, and its name. */
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

/** Adds a document to the base. Returns the document that it replaces, if any. */
export function putDocument(
  base: number,
  { name, content }: DocumentInput,
  replaces: boolean,
  onProgress: (sent: number) => void = () => undefined,
): UploadTask<RemovedDocument | null> {
  const controller = new AbortController();
  let sending: UploadTask<unknown> | null = null;
  const put = async () => {
    const before = replaces ? await fetchBytes(documentUrl(base, name), controller.signal) : null;
    controller.signal.throwIfAborted();
    sending = uploadDocument(base, name, content, onProgress);
    await sending.done;
    return before && { name, content: before, replaced: true };
  };
  const stop = () => {
    controller.abort();
    sending?.stop();
  };
  return { done: put(), stop };
}

/** Uploads documents, a few at a time. A document that is replaced can be restored. */
export function uploadDocuments(
  base: number,
  inputs: DocumentInput[],
  has: (name: string) => boolean = () => false,
  onReplaced?: (before: RemovedDocument) => void,
): void {
  enqueueUploads(
    inputs.map(({ name, content }) => ({
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
  /** Null until the documents arrive. */
  documents: Document[] | null;
  /** Error of the request. */
  error: string | null;
  refresh: () => Promise<void>;
}

/** Returns the documents of a knowledge base. */
export function useDocuments(base: number): Documents {
  const client = useClient();
  const [documents, setDocuments] = useState<Document[] | null>(null);
  const [status, request] = useMutation();
  const trigger = useRefreshTrigger();
  const pendingUploads = useUploads(baseUploadTarget(base)).filter((one) => one.state !== "failed").length;
  const fetchState = useRef({ now: false, again: false, changed: false });
  const fetchDocuments = useCallback(
    async (changed: boolean) => {
      // If many changes arrive at the same time, one more request after this one shows them all.
      fetchState.current.again = true;
      fetchState.current.changed ||= changed;
      if (fetchState.current.now) return;
      fetchState.current.now = true;
      while (fetchState.current.again) {
        const refreshesBases = fetchState.current.changed;
        fetchState.current = { now: true, again: false, changed: false };
        await request(async () => {
          const [documents] = await Promise.all([
            knowledge.documents(base),
            // The page of the base fetches the bases itself; their summary changes with the documents.
            refreshesBases && client.refreshBases(),
          ]);
          setDocuments(documents);
        });
      }
      fetchState.current.now = false;
    },
    [request, base, client],
  );
  const refresh = useCallback(() => fetchDocuments(true), [fetchDocuments]);
  useEffect(() => {
    if (trigger) void fetchDocuments(false);
  }, [fetchDocuments, trigger]);
  // An upload in progress can be complete now.
  const before = useRef(pendingUploads);
  useEffect(() => {
    if (before.current === pendingUploads) return;
    before.current = pendingUploads;
    void refresh();
  }, [refresh, pendingUploads]);
  return { documents, error: status.error, refresh };
}
