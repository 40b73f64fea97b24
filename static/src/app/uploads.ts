/** Uploads to the server: a few at a time, each with its progress and its outcome. */
import type { ErrorBody, FileId, SessionId } from "../protocol";
import { ApiError } from "../wire/rest";
import type { UploadTask } from "../wire/uploadTask";
import { atom } from "./atom";
import { commandId } from "../wire/commandId";
import { uploadFile } from "../wire/files";
import { addDraftAttachments } from "./drafts";

/** An upload before it starts. */
export interface Upload {
  id: string;
  /** Name of the target. */
  to: string;
  name: string;
  content: Blob;
  /** True if it belongs to the current draft. */
  attached?: boolean;
  /** Called when the upload is cancelled. */
  onCancel?(): void;
  /** Starts the upload; `done` includes all follow-up work. */
  send(onProgress: (sent: number) => void): UploadTask<unknown>;
}

/** An upload and its state. */
export interface QueuedUpload extends Upload {
  sent: number;
  state: "waiting" | "sending" | "failed";
  error?: ErrorBody;
}

/** Maximum number of parallel uploads. */
const MAX_PARALLEL = 2;

const queue = atom<QueuedUpload[]>([]);
const active = new Map<string, UploadTask<unknown>>();

/** Queues uploads in this order. */
export function enqueueUploads(uploads: Upload[]): void {
  queue.set([...queue.get(), ...uploads.map((one): QueuedUpload => ({ ...one, sent: 0, state: "waiting" }))]);
  startNext();
}

/** Retries a failed upload. */
export function retryUpload(id: string): void {
  update(id, { state: "waiting", sent: 0, error: undefined });
  startNext();
}

/** Cancels an upload, or removes a failed one. */
export function cancelUpload(id: string): void {
  queue
    .get()
    .find((one) => one.id === id)
    ?.onCancel?.();
  queue.set(queue.get().filter((one) => one.id !== id));
  active.get(id)?.stop();
}

/** Returns the uploads to this target that are in progress or failed. */
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
    const body: ErrorBody =
      error instanceof ApiError ? error.body : { code: "internal", message: String(error), retryable: false };
    // Many concurrent uploads can exceed the rate limit; then the others wait, too.
    const delayMs = body.code === "rate_limited" ? body.retry_after_ms : null;
    if (delayMs) await new Promise((done) => setTimeout(done, delayMs));
    update(id, delayMs ? { state: "waiting", sent: 0 } : { state: "failed", error: body });
  } finally {
    active.delete(id);
    startNext();
  }
}

function update(id: string, changes: Partial<QueuedUpload>): void {
  queue.set(queue.get().map((one) => (one.id === id ? { ...one, ...changes } : one)));
}

/** Uploads files, each as a new file or a new version of its name. */
export function uploadFiles(session: SessionId, files: File[]): void {
  enqueueUploads(files.map((content) => fileUpload(session, content)));
}

/**
 * Uploads the files of a message, and calls `say` when all uploads are complete. If one is cancelled, the message is
 * not sent, and the other files stay attached to the draft.
 */
export function uploadAttachments(session: SessionId, files: File[], say: (ids: FileId[]) => void): void {
  const ids = new Map<File, FileId>();
  let isComplete = true;
  const onComplete = (content: File, id: FileId) => {
    ids.set(content, id);
    if (!isComplete) addDraftAttachments(session, [id]);
    else if (ids.size === files.length) say(files.map((file) => ids.get(file)!));
  };
  const onCancel = () => {
    if (isComplete) addDraftAttachments(session, [...ids.values()]);
    isComplete = false;
  };
  enqueueUploads(
    files.map((content) => ({
      ...fileUpload(session, content, (id) => onComplete(content, id)),
      attached: true,
      onCancel,
    })),
  );
}

function fileUpload(session: SessionId, content: File, onComplete?: (id: FileId) => void): Upload {
  // Id of the command: a retry with the same id counts only once.
  const id = commandId();
  const { name } = content;
  return {
    id,
    to: session,
    name,
    content,
    send(onProgress) {
      const { done, stop } = uploadFile(session, name, id, content, onProgress);
      return { done: done.then((file) => onComplete?.(file.id)), stop };
    },
  };
}
