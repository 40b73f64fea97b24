/** Uploads to the server: a few at a time, each with its progress and its outcome. */
import type { ErrorBody, FileId, SessionId } from "../protocol";
import { ApiError } from "../wire/rest";
import type { UploadTask } from "../wire/uploadTask";
import { atom } from "./atom";
import { commandId } from "../wire/commandId";
import { uploadFile } from "../wire/files";
import { addDraftAttachments } from "./drafts";

/** What is to be sent. */
export interface Upload {
  id: string;
  /** Where it goes, as the screen that shows it calls that. */
  to: string;
  name: string;
  content: Blob;
  /** It is to come with the words that are being written. */
  attached?: boolean;
  /** It is given up. */
  dropped?(): void;
  /** Sends it; `done` includes all that has to happen then. */
  send(onProgress: (sent: number) => void): UploadTask<unknown>;
}

/** One of them, and how it stands. */
export interface QueuedUpload extends Upload {
  sent: number;
  state: "waiting" | "sending" | "refused";
  refused?: ErrorBody;
}

/** As many as do not stand in each other's way. */
const MAX_PARALLEL = 2;

const queue = atom<QueuedUpload[]>([]);
const active = new Map<string, UploadTask<unknown>>();

/** Sends them, in this order. */
export function enqueueUploads(parcels: Upload[]): void {
  queue.set([...queue.get(), ...parcels.map((one): QueuedUpload => ({ ...one, sent: 0, state: "waiting" }))]);
  startNext();
}

/** Once more, after a refusal. */
export function retryUpload(id: string): void {
  update(id, { state: "waiting", sent: 0, refused: undefined });
  startNext();
}

/** It is not to be sent, or its refusal has been read. */
export function cancelUpload(id: string): void {
  queue
    .get()
    .find((one) => one.id === id)
    ?.dropped?.();
  queue.set(queue.get().filter((one) => one.id !== id));
  active.get(id)?.stop();
}

/** What is on its way there, or was refused. */
export function useUploads(to: string): QueuedUpload[] {
  return queue.use().filter((one) => one.to === to);
}

function startNext(): void {
  for (const one of queue.get().filter(({ state }) => state === "waiting")) {
    if (active.size >= MAX_PARALLEL) return;
    void start(one);
  }
}

async function start(one: QueuedUpload): Promise<void> {
  const { id } = one;
  const sending = one.send((sent) => update(id, { sent }));
  active.set(id, sending);
  update(id, { state: "sending" });
  try {
    await sending.done;
    queue.set(queue.get().filter((one) => one.id !== id));
  } catch (error) {
    const refused: ErrorBody =
      error instanceof ApiError ? error.body : { code: "internal", message: String(error), retryable: false };
    // Many at once are too many for a moment: the others wait with it.
    const wait = refused.code === "rate_limited" ? refused.retry_after_ms : null;
    if (wait) await new Promise((done) => setTimeout(done, wait));
    update(id, wait ? { state: "waiting", sent: 0 } : { state: "refused", refused });
  } finally {
    active.delete(id);
    startNext();
  }
}

function update(id: string, how: Partial<QueuedUpload>): void {
  queue.set(queue.get().map((one) => (one.id === id ? { ...one, ...how } : one)));
}

/** Sends the files, each as a new one or a new version of its name. */
export function uploadFiles(session: SessionId, files: File[]): void {
  enqueueUploads(files.map((content) => fileUpload(session, content)));
}

/**
 * Sends the files that come with words, and `say`s those once all are there. Where one is given up nothing is said: the
 * others stay with what is being written.
 */
export function uploadAttachments(session: SessionId, files: File[], say: (ids: FileId[]) => void): void {
  const ids = new Map<File, FileId>();
  let given = true;
  const arrived = (content: File, id: FileId) => {
    ids.set(content, id);
    if (!given) addDraftAttachments(session, [id]);
    else if (ids.size === files.length) say(files.map((file) => ids.get(file)!));
  };
  const dropped = () => {
    if (given) addDraftAttachments(session, [...ids.values()]);
    given = false;
  };
  enqueueUploads(
    files.map((content) => ({
      ...fileUpload(session, content, (id) => arrived(content, id)),
      attached: true,
      dropped,
    })),
  );
}

function fileUpload(session: SessionId, content: File, arrived?: (id: FileId) => void): Upload {
  // Its command's id: sent again with the same one, it counts once.
  const id = commandId();
  const { name } = content;
  return {
    id,
    to: session,
    name,
    content,
    send(onProgress) {
      const { done, stop } = uploadFile(session, name, id, content, onProgress);
      return { done: done.then((file) => arrived?.(file.id)), stop };
    },
  };
}
