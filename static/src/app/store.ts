/** The state of the client and its subscribers. Frames are applied in batches, once per animation frame. */
import type { ServerFrame } from "../protocol";
import { emptyApp, type AppState } from "../state/model";
import { reduce, type Action } from "../state/reducer";

/**
 * Milliseconds after which frames are applied even without a paint, because background pages get no animation frames.
 */
const MAX_DELAY_MS = 200;

export class Store {
  #state: AppState = emptyApp;
  #listeners = new Set<() => void>();
  #waiting: ServerFrame[] = [];
  #painted = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  get = (): AppState => this.#state;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Applies an action now, after all earlier ones. */
  dispatch(action: Action): void {
    this.#apply();
    this.#set(reduce(this.#state, action));
  }

  /**
   * Applies a frame in the next animation frame: twenty agents that write at the same time cost one render, not twenty.
   */
  receive(frame: ServerFrame): void {
    this.#waiting.push(frame);
    if (this.#waiting.length > 1) return;
    this.#painted = requestAnimationFrame(this.flush);
    this.#timer = setTimeout(this.flush, MAX_DELAY_MS);
  }

  /** Applies the queued frames. */
  flush = (): void => {
    const before = this.#state;
    this.#apply(true);
    if (this.#state !== before) this.#tell();
  };

  #apply(quiet = false): void {
    if (this.#waiting.length === 0) return;
    cancelAnimationFrame(this.#painted);
    clearTimeout(this.#timer);
    const frames = this.#waiting;
    this.#waiting = [];
    const now = Date.now();
    let state = this.#state;
    for (const frame of frames) state = reduce(state, { type: "frame", frame, now });
    if (quiet) this.#state = state;
    else this.#set(state);
  }

  #set(state: AppState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
