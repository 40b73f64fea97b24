/** The socket: opens, pings, notices that it is gone, opens again. It knows nothing of sessions. */
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
  /** A socket could not be opened; the answer says whether the server knows this browser at all. */
  signedIn(): Promise<boolean | null>;
}

/** Silence after which the server is asked whether it is still there. */
const PING_AFTER_MS = 4_000;
/** Further silence after which the connection is given up. */
const PONG_TIMEOUT_MS = 4_000;
const MAX_PONG_TIMEOUT_MS = 60_000;
/** A connection that is not welcome by then leads to an address where nobody answers. */
const CONNECT_TIMEOUT_MS = 8_000;
const MIN_BACKOFF_MS = 400;
const MAX_BACKOFF_MS = 15_000;
/** From here on, closing means: do not come back. */
const FIRST_FINAL_CODE = 4500;
const UNAUTHENTICATED = 4500;

export class Connection {
  #socket: WebSocket | null = null;
  #welcomed = false;
  #stopped = false;
  #attempt = 0;
  #since: number | null = null;
  /** When the server was heard last. */
  #heard: number | null = null;
  /** Connections in a row that were given up for their silence. A snapshot is one frame, and over a slow network nothing
   * else is heard until all of it is there: with the same patience each time it would never come. */
  #silences = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #ping: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly url: string,
    private readonly callbacks: Callbacks,
  ) {
    window.addEventListener("online", this.retryNow);
    window.addEventListener("offline", this.#offline);
  }

  /** Opens the socket, unless there is one. */
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

  /** Sends the frame, if there is somebody to hear it. */
  send(frame: ClientFrame): boolean {
    if (!this.#welcomed || this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(stringify(frame));
    return true;
  }

  /** Tries again at once. */
  retryNow = (): void => {
    this.open();
  };

  /** Ends for good. */
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
    if (frame.type === "pong" || frame.type === "caught_up") this.#silences = 0;
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
    // A browser does not say why an upgrade failed. If the server no longer knows us, trying again is no use.
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
    // Half of it by chance, so that a thousand pages do not come back in the same millisecond.
    const wait = ceiling / 2 + Math.random() * (ceiling / 2);
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.open(), wait);
    this.#offlineSince(this.#since, Date.now() + wait);
  }

  /** Says so; without `retryAt` it is being tried now. */
  #offlineSince(since: number, retryAt: number | null): void {
    this.callbacks.state({ phase: "offline", since, retryAt, attempt: this.#attempt });
  }

  #schedulePing(): void {
    clearTimeout(this.#ping);
    this.#ping = setTimeout(() => {
      this.send({ type: "ping" });
      const patience = Math.min(MAX_PONG_TIMEOUT_MS, PONG_TIMEOUT_MS * 2 ** this.#silences);
      this.#ping = setTimeout(() => {
        this.#silences++;
        this.#drop();
      }, patience);
    }, PING_AFTER_MS);
  }

  #offline = (): void => {
    this.#drop();
  };

  /** The other side is not there any more, whatever the socket says; waiting for its own time-out takes minutes. */
  #drop = (): void => {
    const socket = this.#socket;
    if (!socket) return;
    socket.close();
    this.#onClose(socket, 1006, "");
  };
}
