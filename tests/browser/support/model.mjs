// A model that the test controls: an OpenAI-compatible server whose every answer the test writes piece by piece, so
// that "in mid-sentence" is a fact and not a matter of timing.
import { createServer } from "node:http";
import { once } from "node:events";
import { within } from "./timeouts.mjs";

/** Starts the model on a free port. */
export async function startModel() {
  const turns = [];
  const wanted = [];
  const server = createServer((request, response) => {
    if (request.method !== "POST") {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ object: "list", data: [{ id: "by-hand", object: "model" }] }));
      return;
    }
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      const turn = new Turn(JSON.parse(body), request, response);
      const waiting = wanted.shift();
      if (waiting) waiting(turn);
      else turns.push(turn);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    /** The next request, once it arrives. */
    async turn() {
      if (turns.length > 0) return turns.shift();
      let waiting;
      const coming = new Promise((done) => wanted.push((waiting = done)));
      try {
        return await within("request to the model", coming);
      } catch (late) {
        // A waiter that has timed out takes no request from the next one.
        if (wanted.includes(waiting)) wanted.splice(wanted.indexOf(waiting), 1);
        throw late;
      }
    },
    /** Drops all waiters: the next request goes to the next caller. */
    forget: () => void wanted.splice(0),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A request to the model, and its answer. */
class Turn {
  #closed;

  constructor(question, request, response) {
    this.question = question;
    this.response = response;
    this.#closed = new Promise((done) => response.on("close", () => done(!response.writableFinished)));
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
  }

  /** Resolves when the server has closed the connection, so that nobody pays for an unwanted answer. */
  get dropped() {
    return within("end of the connection", this.#closed);
  }

  /** Everything that was sent to the model, as one text. */
  get asked() {
    return this.question.messages.map((message) => JSON.stringify(message.content)).join("\n");
  }

  /** Writes another part of the answer. */
  write(text) {
    this.#chunk({
      choices: [{ index: 0, delta: { role: "assistant", content: text }, finish_reason: null }],
    });
    return this;
  }

  /** Writes the rest and ends normally, or for the given reason. */
  end(text = "", reason = "stop") {
    if (text) this.write(text);
    this.#chunk({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
    this.#chunk({ choices: [], usage: { prompt_tokens: 120, completion_tokens: 80, total_tokens: 200 } });
    this.response.end("data: [DONE]\n\n");
    return this;
  }

  #chunk(fields) {
    const chunk = { id: "x", object: "chat.completion.chunk", created: 0, model: "by-hand", ...fields };
    this.response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
}
