/**
 * Delivers every command to the server exactly once: keeps it while offline, and resends it under its id after a
 * reconnect.
 */
import type { ClientFrame, SessionId } from "../protocol";
import type { PendingCommand } from "../state/model";
import { unacknowledgedCommands } from "../state/pendingCommands";
import type { CommandFrame, ErrorFrame } from "../wire/frames";
import { readStorage, writeStorage } from "./storage";
import type { Store } from "./store";

/** Error codes about the server's state rather than the command. */
const SERVER_UNAVAILABLE: ReadonlySet<string> = new Set(["store_unavailable", "shutting_down"]);
const MAX_TRIES = 5;
const DEFAULT_RETRY_MS = 1000;

type StoredCommand = Pick<PendingCommand, "command" | "at">;

export class Outbox {
  /** Commands sent on the current socket. */
  #sent = new Set<string>();
  #tries = new Map<string, number>();
  #storedSessions: unknown;

  constructor(
    private readonly store: Store,
    private readonly send: (frame: ClientFrame) => boolean,
  ) {
    store.subscribe(() => this.#storeMessages());
  }

  /** Adds a command and shows it as pending immediately. */
  enqueue(command: CommandFrame & { session: SessionId }): void {
    this.store.dispatch({ type: "command_added", pending: { command, at: Date.now() } });
    this.flush(command.session);
  }

  /** Clears the list of sent commands, because the socket is new. */
  reconnected(): void {
    this.#sent.clear();
  }

  /** Sends the session's commands that have no response, unless they were already sent on the current socket. */
  flush(session: SessionId): void {
    const state = this.store.get();
    if (!state.sessions[session]?.joined) return;
    for (const { command } of unacknowledgedCommands(state, session)) {
      if (this.#sent.has(command.id)) continue;
      if (!this.send({ type: "command", ...command })) return;
      this.#sent.add(command.id);
      this.store.dispatch({ type: "command_sent", id: command.id, now: Date.now() });
    }
  }

  /** Schedules a retry of the command if the error allows one. Returns whether it did. */
  retryLater(frame: ErrorFrame): boolean {
    const id = frame.id;
    if (!id || !frame.retryable) return false;
    const tries = (this.#tries.get(id) ?? 0) + 1;
    this.#tries.set(id, tries);
    const pending = unacknowledgedCommands(this.store.get()).find((one) => one.command.id === id);
    // Messages are kept for as long as it takes; a vote or a pause belongs to a particular moment, which passes.
    const hasNoLimit = SERVER_UNAVAILABLE.has(frame.code) && pending?.command.do === "say";
    if (!pending || (tries >= MAX_TRIES && !hasNoLimit)) return false;
    const { code, message, retryable } = frame;
    this.store.dispatch({ type: "command_delayed", id, error: { code, message, retryable } });
    setTimeout(() => {
      this.#sent.delete(id);
      this.flush(pending.command.session);
    }, frame.retry_after_ms ?? DEFAULT_RETRY_MS);
    return true;
  }

  /** Restores messages for which an earlier page received no acknowledgement. */
  restore(session: SessionId): void {
    for (const stored of readStorage<StoredCommand[]>(`outbox.${session}`) ?? []) {
      const current = this.store.get().sessions[session]?.pending ?? [];
      if (current.some((pending) => pending.command.id === stored.command.id)) continue;
      this.store.dispatch({ type: "command_added", pending: stored });
    }
  }

  /** Stores messages across reloads. Votes and controls are not stored, because they belong to a past moment. */
  #storeMessages(): void {
    const { sessions } = this.store.get();
    if (sessions === this.#storedSessions) return;
    const before = this.#storedSessions as typeof sessions | undefined;
    this.#storedSessions = sessions;
    for (const session of Object.values(sessions)) {
      if (before?.[session.id]?.pending === session.pending) continue;
      const messages: StoredCommand[] = session.pending
        .filter((pending) => pending.command.do === "say" && !pending.acked)
        .map(({ command, at }) => ({ command, at }));
      if (messages.length > 0 || before?.[session.id]?.pending.length) {
        writeStorage(`outbox.${session.id}`, messages.length > 0 ? messages : null);
      }
    }
  }
}
