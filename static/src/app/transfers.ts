/** Contents on their way to the server: a few at a time, each with how far it has come and what became of it. */
import { useSyncExternalStore } from "react";
import type { ErrorBody } from "../protocol";
import { Refusal } from "../wire/rest";
import type { Sending } from "../wire/send";

/** What is to be sent. */
export interface Parcel {
  id: string;
  /** Where it goes: the screen of this place shows it. */
  place: string;
  name: string;
  content: Blob;
  /** It is to come with the words that are being written. */
  attached?: boolean;
  /** Sends it; `done` includes all that has to happen then. */
  send(onProgress: (sent: number) => void): Sending<unknown>;
}

/** One of them, and how it stands. */
export interface Transfer extends Parcel {
  sent: number;
  state: "waiting" | "sending" | "refused";
  refused?: ErrorBody;
}

/** As many as do not stand in each other's way. */
const AT_ONCE = 2;

let transfers: Transfer[] = [];
const sendings = new Map<string, Sending<unknown>>();
const listeners = new Set<() => void>();

/** Sends them, in this order. */
export function transfer(parcels: Parcel[]): void {
  change([...transfers, ...parcels.map((one): Transfer => ({ ...one, sent: 0, state: "waiting" }))]);
  next();
}

/** Once more, after a refusal. */
export function sendAgain(id: string): void {
  set(id, { state: "waiting", sent: 0, refused: undefined });
  next();
}

/** It is not to be sent, or its refusal has been read. */
export function dropTransfer(id: string): void {
  change(transfers.filter((one) => one.id !== id));
  sendings.get(id)?.stop();
}

/** What is on its way there, or was refused. */
export function useTransfers(place: string): Transfer[] {
  const all = useSyncExternalStore(subscribe, () => transfers);
  return all.filter((one) => one.place === place);
}

function next(): void {
  for (const one of transfers.filter(({ state }) => state === "waiting")) {
    if (sendings.size >= AT_ONCE) return;
    void start(one);
  }
}

async function start(one: Transfer): Promise<void> {
  const { id } = one;
  const sending = one.send((sent) => set(id, { sent }));
  sendings.set(id, sending);
  set(id, { state: "sending" });
  try {
    await sending.done;
    change(transfers.filter((one) => one.id !== id));
  } catch (error) {
    const refused: ErrorBody =
      error instanceof Refusal ? error.body : { code: "internal", message: String(error) };
    // Many at once are too many for a moment: the others wait with it.
    const wait = refused.code === "rate_limited" ? refused.retry_after_ms : null;
    if (wait) await new Promise((done) => setTimeout(done, wait));
    set(id, wait ? { state: "waiting", sent: 0 } : { state: "refused", refused });
  } finally {
    sendings.delete(id);
    next();
  }
}

function set(id: string, how: Partial<Transfer>): void {
  change(transfers.map((one) => (one.id === id ? { ...one, ...how } : one)));
}

function change(all: Transfer[]): void {
  transfers = all;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
