// A bot that follows a session and votes over HTTP, like a program that somebody else has written.
import assert from "node:assert/strict";
import { server } from "./stage.mjs";
import { post } from "./steps.mjs";
import { within } from "./timeouts.mjs";

/** Invites a new bot into the session that the page shows; it follows the session from then on. */
export async function inviteBot(page, name) {
  const token = await server.token(name, "--role", "bot");
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const ask = (path, how) => fetch(`${server.url}/api/v1${path}`, { headers, ...how });
  const { you } = await (await ask("/me")).json();
  assert.ok(await post(page, { do: "invite", data: { participant: you.id, role: "bot" } }));
  const session = `/sessions/${new URL(page.url()).pathname.split("/").pop()}`;
  return new Bot(you.id, session, ask, (await ask(`${session}/events`)).body);
}

class Bot {
  #session;
  #ask;
  #events = [];
  #wanted = [];

  constructor(id, session, ask, stream) {
    this.id = id;
    this.#session = session;
    this.#ask = ask;
    /** Resolves with the last frame when the server ends the stream. */
    this.ended = within("end of the bot's stream", this.#follow(stream));
    // A test that fails earlier leaves this promise behind.
    this.ended.catch(() => undefined);
  }

  async #follow(stream) {
    let text = "";
    let last;
    for await (const piece of stream.pipeThrough(new TextDecoderStream())) {
      const frames = (text + piece).split("\n\n");
      text = frames.pop();
      for (const frame of frames) {
        const data = frame.split("\n").find((line) => line.startsWith("data:"));
        if (!data) continue;
        last = JSON.parse(data.slice("data:".length));
        if (last.type === "event") this.#note(last);
      }
    }
    return last;
  }

  #note(event) {
    this.#events.push(event);
    this.#wanted = this.#wanted.filter(({ check, done }) => !check(event) || done(event));
  }

  /** The first event, past or future, for which `check` returns true. */
  #event(check) {
    const read = this.#events.find(check);
    return read ?? within("event for the bot", new Promise((done) => this.#wanted.push({ check, done })));
  }

  /** Sends a command to the session. Returns the response. */
  async command(command) {
    const body = JSON.stringify({ id: `c_${crypto.randomUUID()}`, ...command });
    return (await this.#ask(`${this.#session}/commands`, { method: "POST", body })).json();
  }

  /** Approves the next gate of this kind whose subject is edited, in its edited form. */
  async approveChanged(kind) {
    const isOpened = (gate) => (one) => one.event === "gate.opened" && one.data.gate.id === gate;
    const { data } = await this.#event(
      ({ event, data }) =>
        event === "gate.revised" && this.#events.find(isOpened(data.gate))?.data.gate.kind === kind,
    );
    const vote = { gate: data.gate, choice: "approve" };
    const answer = await this.command({ do: "vote", data: vote, expect: { rev: data.rev } });
    assert.equal(answer.code, undefined, answer.message);
  }
}
