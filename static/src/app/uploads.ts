/** Files on their way to the server: a few at a time, each with how far it has come and what became of it. */
import { useSyncExternalStore } from "react";
import type { ErrorBody, SessionId } from "../protocol";
import { commandId } from "../wire/commandId";
import { sendFile, type Sending } from "../wire/files";
import { Refusal } from "../wire/rest";
import { attach } from "./drafts";

/** One file. */
export interface Upload {
  /** Its command's id: sent again with the same one, it counts once. */
  id: string;
  session: SessionId;
  name: string;
  content: Blob;
  /** It is to come with the words that are being written. */
  attached: boolean;
  sent: number;
  state: "waiting" | "sending" | "refused";
  refused?: ErrorBody;
}

/** As many as do not stand in each other's way. */
const AT_ONCE = 2;

let uploads: Upload[] = [];
const sendings = new Map<string, Sending>();
const listeners = new Set<() => void>();

/** Sends the files, each as a new one or a new version of its name. */
export function upload(session: SessionId, files: File[], attached: boolean): void {
  const fresh = files.map((file): Upload => ({
    id: commandId(),
    session,
    name: file.name,
    content: file,
    attached,
    sent: 0,
    state: "waiting",
  }));
  change([...uploads, ...fresh]);
  next();
}

/** Once more, after a refusal. */
export function sendAgain(id: string): void {
  set(id, { state: "waiting", sent: 0, refused: undefined });
  next();
}

/** It is not to be sent, or its refusal has been read. */
export function dropUpload(id: string): void {
  change(uploads.filter((one) => one.id !== id));
  sendings.get(id)?.stop();
}

/** What is on its way in this session, or was refused. */
export function useUploads(session: SessionId): Upload[] {
  const all = useSyncExternalStore(subscribe, () => uploads);
  return all.filter((one) => one.session === session);
}

function next(): void {
  for (const one of uploads.filter(({ state }) => state === "waiting")) {
    if (sendings.size >= AT_ONCE) return;
    void send(one);
  }
}

async function send({ id, session, name, content, attached }: Upload): Promise<void> {
  const sending = sendFile(session, name, id, content, (sent) => set(id, { sent }));
  sendings.set(id, sending);
  set(id, { state: "sending" });
  try {
    const file = await sending.done;
    if (attached) attach(session, [file.id]);
    change(uploads.filter((one) => one.id !== id));
  } catch (error) {
    const refused: ErrorBody =
      error instanceof Refusal ? error.body : { code: "internal", message: String(error) };
    set(id, { state: "refused", refused });
  } finally {
    sendings.delete(id);
    next();
  }
}

function set(id: string, how: Partial<Upload>): void {
  change(uploads.map((one) => (one.id === id ? { ...one, ...how } : one)));
}

function change(all: Upload[]): void {
  uploads = all;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
