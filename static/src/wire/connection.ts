/**
 * The WebSocket connection: opens, pings, detects a dead connection, and reconnects. It does not know about
 * sessions.
 */
import type { ClientFrame, ServerFrame } from "../protocol";
import { stringify } from "../json/lossless";

/** State of the socket. */
export type ConnectionState =
  | { phase: "connecting" }
  | { phase: "live" }
  | { phase: "offline"; since: number; retryAt: number | null; attempt: number }
  | { phase: "refused"; code: number; reason: string };

/** Callbacks of a connection. */
interface Callbacks {
  frame(frame: ServerFrame): void;
  state(state: ConnectionState): void;
  /**
   * Called when a socket could not be opened. Returns whether the server still knows this browser; null if
   * that is unknown.
   */
  signedIn(): Promise<boolean | null>;
}

/** Milliseconds of silence before a ping is sent. */
const PING_AFTER_MS = 4_000;
/**
 * Milliseconds of silence after a ping until the connection counts as dead. Doubles with each consecutive
 * timeout.
 */
const PONG_TIMEOUT_MS = 4_000;
const MAX_PONG_TIMEOUT_MS = 60_000;
/** Milliseconds without a `welcome` after which a connection attempt is abandoned. */
const CONNECT_TIMEOUT_MS = 8_000;
const MIN_BACKOFF_MS = 400;
const MAX_BACKOFF_MS = 15_000;
/** First of the close codes after which the client must not reconnect; the last one is 4999. */
const FIRST_FINAL_CODE = 4500;
const UNAUTHENTICATED = 4500;

export class Connection {
  #socket: WebSocket | null = null;
  #welcomed = false;
  #stopped = false;
  #attempt = 0;
  #since: number | null = null;
  /** Time of the last frame from the server; null before the first one. */
  #heard: number | null = null;
  /**
   * Number of consecutive connections that were dropped because of silence. A snapshot is a single frame, and
   * on a slow network nothing else arrives until it is complete. If the timeout stayed the same, it would
   * never arrive.
   */
  #timeouts = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #ping: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly url: string,
    private readonly callbacks: Callbacks,
  ) {
    window.addEventListener("online", this.retryNow);
    window.addEventListener("offline", this.#offline);
  }

  /** Opens the socket if there is none. */
  open(): void {
    if (this.#socket || this.#stopped) return;
    clearTimeout(this.#retry);
    const socket = new WebSocket(this.url);
    this.#socket = socket;
    this.#welcomed = false;
    clearTimeout(this.#ping);
    this.#ping = setTimeout(this.#drop, CONNECT_TIMEOUT_MS);
    if (this.#since !== null) this.#offlineSince(this.#since, null);
    socket.onmessage = (message: MessageEvent<unknown>) => this.#onMessage(socket, message.data);
    socket.onclose = (event) => this.#onClose(socket, event.code, event.reason);
  }

  /** Sends the frame if the connection is open. Returns whether it was sent. */
  send(frame: ClientFrame): boolean {
    if (!this.#welcomed || this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(stringify(frame));
    return true;
  }

  /** Opens the socket immediately, without waiting for the scheduled retry. */
  retryNow = (): void => {
    this.open();
  };

  /** Closes the connection permanently. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#ping);
    window.removeEventListener("online", this.retryNow);
    window.removeEventListener("offline", this.#offline);
    this.#socket?.close();
  }

  #onMessage(socket: WebSocket, data: unknown): void {
    if (socket !== this.#socket || typeof data !== "string") return;
    const frame = JSON.parse(data) as ServerFrame;
    this.#heard = Date.now();
    if (frame.type === "pong" || frame.type === "caught_up") this.#timeouts = 0;
    if (frame.type === "welcome") this.#welcomed = true;
    if (this.#welcomed) this.#schedulePing();
    if (frame.type === "welcome") {
      this.#attempt = 0;
      this.#since = null;
    }
    this.callbacks.frame(frame);
  }

  #onClose(socket: WebSocket, code: number, reason: string): void {
    if (socket !== this.#socket) return;
    const welcomed = this.#welcomed;
    this.#socket = null;
    this.#welcomed = false;
    clearTimeout(this.#ping);
    if (this.#stopped) return;
    if (code >= FIRST_FINAL_CODE && code < 5000) {
      this.#refused(code, reason);
      return;
    }
    this.#wait();
    // Browsers do not report why an upgrade failed. If the server no longer knows this browser, retries
    // cannot succeed.
    if (!welcomed) {
      void this.callbacks.signedIn().then((known) => {
        if (known === false) this.#refused(UNAUTHENTICATED, "");
      });
    }
  }

  #refused(code: number, reason: string): void {
    clearTimeout(this.#retry);
    this.callbacks.state({ phase: "refused", code, reason });
    this.stop();
  }

  #wait(): void {
    this.#attempt++;
    this.#since ??= this.#heard ?? Date.now();
    const ceiling = Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** (this.#attempt - 1));
    // Half of the delay is random, so that many pages do not reconnect at the same time.
    const wait = ceiling / 2 + Math.random() * (ceiling / 2);
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.open(), wait);
    this.#offlineSince(this.#since, Date.now() + wait);
  }

  /** Reports the offline state. A null `retryAt` means that a retry is in progress. */
  #offlineSince(since: number, retryAt: number | null): void {
    this.callbacks.state({ phase: "offline", since, retryAt, attempt: this.#attempt });
  }

  #schedulePing(): void {
    clearTimeout(this.#ping);
    this.#ping = setTimeout(() => {
      this.send({ type: "ping" });
      const pongTimeoutMs = Math.min(MAX_PONG_TIMEOUT_MS, PONG_TIMEOUT_MS * 2 ** this.#timeouts);
      this.#ping = setTimeout(() => {
        this.#timeouts++;
        this.#drop();
      }, pongTimeoutMs);
    }, PING_AFTER_MS);
  }

  #offline = (): void => {
    this.#drop();
  };

  /** Drops a dead connection. Waiting for the socket's own timeout would take minutes. */
  #drop = (): void => {
    const socket = this.#socket;
    if (!socket) return;
    socket.close();
    this.#onClose(socket, 1006, "");
  };
}
