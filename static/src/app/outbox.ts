/** Sees to it that every command reaches the server once: kept while offline, sent again under its id after a reconnect. */
import type { ClientFrame, CommandFrame, SessionId } from "../protocol";
import type { PendingCommand } from "../state/model";
import { unanswered } from "../state/pendingCommands";
import type { ErrorFrame } from "../wire/frames";
import { readStorage, writeStorage } from "./storage";
import type { Store } from "./store";

/** Refusals that say nothing about the command, but that the server is not well. */
const SERVER_UNAVAILABLE: ReadonlySet<string> = new Set(["store_unavailable", "shutting_down"]);
const MAX_TRIES = 5;
const DEFAULT_RETRY_MS = 1000;

type StoredCommand = Pick<PendingCommand, "command" | "at">;

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
  enqueue(command: CommandFrame & { session: SessionId }): void {
    this.store.dispatch({ type: "command_added", pending: { command, at: Date.now() } });
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
      this.store.dispatch({ type: "command_sent", id: command.id, now: Date.now() });
    }
  }

  /** Whether the refusal was taken care of, by sending the same again later. */
  retryLater(frame: ErrorFrame): boolean {
    const id = frame.id;
    if (!id || !frame.retryable) return false;
    const tries = (this.#tries.get(id) ?? 0) + 1;
    this.#tries.set(id, tries);
    const pending = unanswered(this.store.get()).find((one) => one.command.id === id);
    // Words are kept for as long as it takes; a vote or a pause answers to a moment, which passes.
    const lasting = SERVER_UNAVAILABLE.has(frame.code) && pending?.command.do === "say";
    if (!pending || (tries >= MAX_TRIES && !lasting)) return false;
    const { code, message, retryable } = frame;
    this.store.dispatch({ type: "command_delayed", id, error: { code, message, retryable } });
    setTimeout(() => {
      this.#sent.delete(id);
      this.flush(pending.command.session);
    }, frame.retry_after_ms ?? DEFAULT_RETRY_MS);
    return true;
  }

  /** Takes up what an earlier page left unsent. */
  restore(session: SessionId): void {
    for (const kept of readStorage<StoredCommand[]>(`outbox.${session}`) ?? []) {
      const known = this.store.get().sessions[session]?.pending ?? [];
      if (known.some((pending) => pending.command.id === kept.command.id)) continue;
      this.store.dispatch({ type: "command_added", pending: kept });
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
      const words: StoredCommand[] = session.pending
        .filter((pending) => pending.command.do === "say" && !pending.acked)
        .map(({ command, at }) => ({ command, at }));
      if (words.length > 0 || before?.[session.id]?.pending.length) {
        writeStorage(`outbox.${session.id}`, words.length > 0 ? words : null);
      }
    }
  }
}
