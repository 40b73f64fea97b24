/** The socket: opens, pings, notices that it is gone, opens again. It knows nothing of sessions. */
import type { ClientFrame, ServerFrame } from "../protocol";
import { write } from "../json/exact";
import type { Connection as State } from "../state/model";

/** What the owner of a connection is told. */
interface Hooks {
  frame(frame: ServerFrame): void;
  state(state: State): void;
  /** A socket could not be opened; the answer says whether the server knows this browser at all. */
  signedIn(): Promise<boolean | null>;
}

const PING_EVERY = 20_000;
const PONG_WITHIN = 10_000;
const FIRST_WAIT = 400;
const LONGEST_WAIT = 15_000;
/** From here on, closing means: do not come back. */
const FINAL_CODES = 4500;
const UNAUTHENTICATED = 4500;

export class Connection {
  #socket: WebSocket | null = null;
  #welcomed = false;
  #stopped = false;
  #attempt = 0;
  #since: number | null = null;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #ping: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly url: string,
    private readonly hooks: Hooks,
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
    socket.onmessage = (message: MessageEvent<unknown>) => this.#onMessage(socket, message.data);
    socket.onclose = (event) => this.#onClose(socket, event.code, event.reason);
  }

  /** Sends the frame, if there is somebody to hear it. */
  send(frame: ClientFrame): boolean {
    if (!this.#welcomed || this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(write(frame));
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
    this.#schedulePing();
    const frame = JSON.parse(data) as ServerFrame;
    if (frame.type === "welcome") {
      this.#welcomed = true;
      this.#attempt = 0;
      this.#since = null;
    }
    this.hooks.frame(frame);
  }

  #onClose(socket: WebSocket, code: number, reason: string): void {
    if (socket !== this.#socket) return;
    const welcomed = this.#welcomed;
    this.#socket = null;
    this.#welcomed = false;
    clearTimeout(this.#ping);
    if (this.#stopped) return;
    if (code >= FINAL_CODES && code < 5000) {
      this.#refused(code, reason);
      return;
    }
    this.#wait();
    // A browser does not say why an upgrade failed. If the server no longer knows us, trying again is no use.
    if (!welcomed) {
      void this.hooks.signedIn().then((known) => {
        if (known === false) this.#refused(UNAUTHENTICATED, "");
      });
    }
  }

  #refused(code: number, reason: string): void {
    clearTimeout(this.#retry);
    this.hooks.state({ phase: "refused", code, reason });
    this.stop();
  }

  #wait(): void {
    this.#attempt++;
    this.#since ??= Date.now();
    const ceiling = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (this.#attempt - 1));
    // Half of it by chance, so that a thousand pages do not come back in the same millisecond.
    const wait = ceiling / 2 + Math.random() * (ceiling / 2);
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.open(), wait);
    const retryAt = Date.now() + wait;
    this.hooks.state({ phase: "offline", since: this.#since, retryAt, attempt: this.#attempt });
  }

  #schedulePing(): void {
    clearTimeout(this.#ping);
    this.#ping = setTimeout(() => {
      this.send({ type: "ping" });
      this.#ping = setTimeout(this.#drop, PONG_WITHIN);
    }, PING_EVERY);
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
