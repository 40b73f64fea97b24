/** Sees to it that every command reaches the server once: kept while offline, sent again under its id after a reconnect. */
import type { ClientFrame, CommandFrame, SessionId } from "../protocol";
import type { Pending } from "../state/model";
import { unanswered } from "../state/pending";
import type { ErrorFrame } from "../wire/frames";
import { recall, remember } from "./memory";
import type { Store } from "./store";

/** Refusals that mean "the same again, later". */
const RETRYABLE: ReadonlySet<string> = new Set([
  "rate_limited",
  "busy",
  "store_unavailable",
  "shutting_down",
  "timed_out",
]);
/** Those that say nothing about the command, but that the server is not well. */
const UNWELL: ReadonlySet<string> = new Set(["store_unavailable", "shutting_down"]);
const TRIES = 5;
const DEFAULT_WAIT = 1000;

type Kept = Pick<Pending, "command" | "at">;

export class Outbox {
  /** Commands that this very socket has carried. */
  #sent = new Set<string>();
  #tries = new Map<string, number>();
  #keptBefore: unknown;

  constructor(
    private readonly store: Store,
    private readonly send: (frame: ClientFrame) => boolean,
  ) {
    store.subscribe(() => this.#keep());
  }

  /** Takes a command and shows it as pending at once. */
  give(command: CommandFrame & { session: SessionId }): void {
    this.store.dispatch({ type: "given", pending: { command, at: Date.now() } });
    this.flush(command.session);
  }

  /** A new socket has carried nothing yet. */
  reconnected(): void {
    this.#sent.clear();
  }

  /** Sends what has no answer yet. */
  flush(session: SessionId): void {
    const state = this.store.get();
    if (!state.sessions[session]?.joined) return;
    for (const { command } of unanswered(state, session)) {
      if (this.#sent.has(command.id)) continue;
      if (!this.send({ type: "command", ...command })) return;
      this.#sent.add(command.id);
      this.store.dispatch({ type: "sent", id: command.id, now: Date.now() });
    }
  }

  /** Whether the refusal was taken care of, by sending the same again later. */
  retries(frame: ErrorFrame): boolean {
    const id = frame.id;
    if (!id || !RETRYABLE.has(frame.code)) return false;
    const tries = (this.#tries.get(id) ?? 0) + 1;
    this.#tries.set(id, tries);
    const pending = unanswered(this.store.get()).find((one) => one.command.id === id);
    // Words are kept for as long as it takes; a vote or a pause answers to a moment, which passes.
    const lasting = UNWELL.has(frame.code) && pending?.command.do === "say";
    if (!pending || (tries >= TRIES && !lasting)) return false;
    const { code, message } = frame;
    this.store.dispatch({ type: "delayed", id, error: { code, message } });
    setTimeout(() => {
      this.#sent.delete(id);
      this.flush(pending.command.session);
    }, frame.retry_after_ms ?? DEFAULT_WAIT);
    return true;
  }

  /** Takes up what an earlier page left unsent. */
  restore(session: SessionId): void {
    for (const kept of recall<Kept[]>(`outbox.${session}`) ?? []) {
      const known = this.store.get().sessions[session]?.pending ?? [];
      if (known.some((pending) => pending.command.id === kept.command.id)) continue;
      this.store.dispatch({ type: "given", pending: kept });
    }
  }

  /** Somebody's words survive a reload; votes and controls do not, since they answer to a moment that has passed. */
  #keep(): void {
    const { sessions } = this.store.get();
    if (sessions === this.#keptBefore) return;
    const before = this.#keptBefore as typeof sessions | undefined;
    this.#keptBefore = sessions;
    for (const session of Object.values(sessions)) {
      if (before?.[session.id]?.pending === session.pending) continue;
      const words: Kept[] = session.pending
        .filter((pending) => pending.command.do === "say" && !pending.acked)
        .map(({ command, at }) => ({ command, at }));
      if (words.length > 0 || before?.[session.id]?.pending.length) {
        remember(`outbox.${session.id}`, words.length > 0 ? words : null);
      }
    }
  }
}
