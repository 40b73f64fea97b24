/** Contents on their way to the server: a few at a time, each with how far it has come and what became of it. */
import type { ErrorBody } from "../protocol";
import { Refusal } from "../wire/rest";
import type { Sending } from "../wire/send";
import { held } from "./held";

/** What is to be sent. */
export interface Parcel {
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

const transfers = held<Transfer[]>([]);
const sendings = new Map<string, Sending<unknown>>();

/** Sends them, in this order. */
export function transfer(parcels: Parcel[]): void {
  transfers.set([
    ...transfers.get(),
    ...parcels.map((one): Transfer => ({ ...one, sent: 0, state: "waiting" })),
  ]);
  next();
}

/** Once more, after a refusal. */
export function sendAgain(id: string): void {
  set(id, { state: "waiting", sent: 0, refused: undefined });
  next();
}

/** It is not to be sent, or its refusal has been read. */
export function dropTransfer(id: string): void {
  transfers
    .get()
    .find((one) => one.id === id)
    ?.dropped?.();
  transfers.set(transfers.get().filter((one) => one.id !== id));
  sendings.get(id)?.stop();
}

/** What is on its way there, or was refused. */
export function useTransfers(to: string): Transfer[] {
  return transfers.use().filter((one) => one.to === to);
}

function next(): void {
  for (const one of transfers.get().filter(({ state }) => state === "waiting")) {
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
    transfers.set(transfers.get().filter((one) => one.id !== id));
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
  transfers.set(transfers.get().map((one) => (one.id === id ? { ...one, ...how } : one)));
}
